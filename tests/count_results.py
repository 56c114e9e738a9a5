#!/usr/bin/env python3
"""Counts test cases, from what Bazel reports of one run.

  tests/count_results.py EVENTS.json [OTHER.xml ...]

EVENTS.json is what --build_event_json_file wrote; from it come the test.xml files
of this run, those of cached results among them, and the tests that have none.
OTHER.xml are results in the same form. The last line is `N passed, N failed`,
with `, N skipped` where there are any. Exits with 1 where something failed or
nothing ran.
"""

import collections
import json
import sys
import urllib.parse
import xml.etree.ElementTree

Counts = collections.Counter  # Of "passed", "failed" and "skipped".


def count_case(case):
    """What became of one <testcase>."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    skipped = case.find("skipped") is not None or case.get("result") == "skipped"
    if skipped or case.get("status") == "notrun":
        return "skipped"
    return "passed"


def count_xml(path):
    """The cases of one file."""
    root = xml.etree.ElementTree.parse(path).getroot()
    return Counts(count_case(case) for case in root.iter("testcase"))


def count_result(result):
    """The cases of one run of a test: one shard, one attempt."""
    counts = Counts()
    for output in result.get("testActionOutput", []):
        if output["name"] == "test.xml":
            path = urllib.parse.urlparse(output["uri"]).path
            try:
                counts = count_xml(urllib.parse.unquote(path))
            except (OSError, xml.etree.ElementTree.ParseError):
                counts = Counts()
    # A test that broke off may have reported nothing, or only what went well.
    passed = result.get("status") in ("PASSED", "FLAKY")
    if not passed and not counts["failed"]:
        counts["failed"] += 1
    # A test without cases is one case.
    if not counts:
        counts["passed"] += 1
    return counts


class Run:
    """What Bazel says of a run."""

    def __init__(self, events):
        self.tests = set()  # Labels of all tests that were asked for.
        self.results = {}  # (label, run, shard) -> (attempt, result).
        self.succeeded = False
        for event in events:
            self.take(event)

    def take(self, event):
        identity = event.get("id", {})
        if "configured" in event and event["configured"].get("testSize"):
            self.tests.add(identity["targetConfigured"]["label"])
        if "testResult" in event:
            self.take_result(identity["testResult"], event["testResult"])
        if "finished" in event:
            # Without an exit code it is 0, and 3 where tests failed.
            code = event["finished"].get("exitCode", {}).get("code", 0)
            self.succeeded = code in (0, 3)

    def take_result(self, identity, result):
        key = (identity["label"], identity.get("run", 1), identity.get("shard", 1))
        attempt = identity.get("attempt", 1)
        if attempt >= self.results.get(key, (0, None))[0]:
            self.results[key] = (attempt, result)

    def not_run(self):
        """The tests that have no result: they could not be built."""
        return sorted(self.tests - {label for label, _, _ in self.results})

    def count(self):
        counts = Counts()
        for _, result in self.results.values():
            counts += count_result(result)
        counts["failed"] += len(self.not_run())
        # What is no test, but could not be built.
        if not self.succeeded and not counts["failed"]:
            counts["failed"] += 1
        return counts


def read_events(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def summary(counts):
    line = f"{counts['passed']} passed, {counts['failed']} failed"
    return line + (f", {counts['skipped']} skipped" if counts["skipped"] else "")


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    run = Run(read_events(arguments[0]))
    for label in run.not_run():
        print(f"did not run: {label}")
    counts = run.count()
    for path in arguments[1:]:
        counts += count_xml(path)
    print(summary(counts))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
