"""Run by tests/run."""

import os
import tempfile
import unittest

import count_results


class CountResultsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.events = []
        self.finish(0)

    def finish(self, code):
        self.finished = {"id": {"buildFinished": {}}, "finished": {"exitCode": {"code": code}}}

    def ask_for(self, label):
        self.events.append({"id": {"targetConfigured": {"label": label}},
                            "configured": {"targetKind": "cc_test rule", "testSize": "SMALL"}})

    def report(self, label, status, cases=None, **identity):
        outputs = []
        if cases is not None:
            path = os.path.join(self.folder, f"{len(self.events)}.xml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"<testsuites><testsuite>{cases}</testsuite></testsuites>")
            outputs = [{"name": "test.xml", "uri": "file://" + path}]
        self.events.append({"id": {"testResult": {"label": label, **identity}},
                            "testResult": {"status": status, "testActionOutput": outputs}})

    def summary(self):
        return count_results.summary(count_results.Run(self.events + [self.finished]).count())

    def test_counts_cases_not_targets(self):
        self.report("//a", "PASSED", "<testcase/><testcase/>")
        self.report("//b", "FAILED", "<testcase/><testcase><failure/></testcase>")
        self.assertEqual(self.summary(), "3 passed, 1 failed")

    def test_says_what_was_skipped(self):
        self.report("//a", "PASSED", '<testcase/><testcase result="skipped"/>'
                    '<testcase status="notrun"/>')
        self.assertEqual(self.summary(), "1 passed, 0 failed, 2 skipped")

    def test_a_failure_without_results_is_one(self):
        self.report("//a", "TIMEOUT")
        self.assertEqual(self.summary(), "0 passed, 1 failed")

    def test_a_failure_with_good_results_only_is_one_more(self):
        self.report("//a", "FAILED", "<testcase/>")
        self.assertEqual(self.summary(), "1 passed, 1 failed")

    def test_broken_results_of_a_failure_are_one(self):
        self.report("//a", "FAILED", "<testcase")
        self.assertEqual(self.summary(), "0 passed, 1 failed")

    def test_every_shard_counts(self):
        self.report("//a", "PASSED", "<testcase/>", shard=1)
        self.report("//a", "PASSED", "<testcase/><testcase/>", shard=2)
        self.assertEqual(self.summary(), "3 passed, 0 failed")

    def test_the_last_attempt_counts(self):
        self.report("//a", "FAILED", "<testcase><failure/></testcase>", attempt=1)
        self.report("//a", "PASSED", "<testcase/>", attempt=2)
        self.assertEqual(self.summary(), "1 passed, 0 failed")

    def test_a_test_that_could_not_be_built_failed(self):
        self.ask_for("//a")
        self.ask_for("//b")
        self.report("//b", "PASSED", "<testcase/>")
        self.finish(1)
        self.assertEqual(self.summary(), "1 passed, 1 failed")

    def test_a_build_that_failed_is_never_a_success(self):
        self.report("//a", "PASSED", "<testcase/>")
        self.finish(1)
        self.assertEqual(self.summary(), "1 passed, 1 failed")

    def test_a_run_that_broke_off_is_never_a_success(self):
        run = count_results.Run([])
        self.assertEqual(count_results.summary(run.count()), "0 passed, 1 failed")


if __name__ == "__main__":
    unittest.main()
