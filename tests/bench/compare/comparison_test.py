#!/usr/bin/env python3
import contextlib
import io
import pathlib
import unittest

import comparison
import workloads
from workloads import Lengths, Model, Workload

WORKLOAD = Workload("small", Model("tiny", 100), 2, Lengths(8), Lengths(4))
EVEN_LESS = Workload("smaller", Model("tiny", 100), 1, Lengths(4), Lengths(2))


class FakeSystem:
    """Notes what it is asked, and takes a second for it."""

    def __init__(self, name, notes):
        self.name = name
        self.processes = []
        self.notes = notes
        self.seen = []
        self.fails_at = None
        self.is_short_of = 0

    def plays(self, workload):
        return True

    def start(self, files):
        self.notes.append(f"start {self.name}")

    def stop(self):
        self.notes.append(f"stop {self.name}")

    def play(self, workload, path):
        self.notes.append(f"{self.name} {workload.name}")
        if workload.name == self.fails_at:
            raise RuntimeError("it fell")
        requests = workloads.read(pathlib.Path(path))
        self.seen.append(tuple(requests[0]["prompt_ids"]))
        output = sum(request["max_tokens"] for request in requests) - self.is_short_of
        return {"wall_s": 2.0, "output_tokens": output, "cached_tokens": 0}


class FakeWatch:
    """Says what others take: as told, and nothing in the end."""

    told = []

    def __init__(self, processes):
        del processes

    def shares(self):
        return (FakeWatch.told.pop(0) if FakeWatch.told else 0.0), 0.0


class ComparisonTest(unittest.TestCase):
    def setUp(self):
        self.notes = []
        self.systems = [FakeSystem("quire", self.notes), FakeSystem("peer", self.notes)]
        FakeWatch.told = []

    def play(self, chosen=(WORKLOAD,), rounds=1):
        made = comparison.Comparison(self.systems, "7", 0.1, watch=FakeWatch, quiet_s=0)
        with contextlib.redirect_stderr(io.StringIO()):
            made.play_rounds(chosen, None, rounds, lambda: self.notes.append("round"))
        return made.runs

    def test_the_order_of_the_systems_alternates(self):
        self.play((WORKLOAD, EVEN_LESS), rounds=2)
        first = self.notes.index("round")
        self.assertEqual(self.notes[first:], [
            "round", "quire small", "peer small", "quire smaller", "peer smaller",
            "round", "peer small", "quire small", "peer smaller", "quire smaller",
            "stop quire", "stop peer"])

    def test_systems_of_a_round_get_the_same_prompts_and_every_round_others(self):
        self.play(rounds=3)
        quire, peer = (system.seen for system in self.systems)
        self.assertEqual(quire, peer)
        self.assertEqual(len(set(quire)), 4)  # One of them warms up.

    def test_speeds_are_tokens_of_answers_over_time(self):
        self.assertEqual([run.tok_s for run in self.play()], [4.0, 4.0])

    def test_a_disturbed_run_is_repeated_with_other_prompts(self):
        # Two warm up; then the machine is quiet, and the run is not.
        FakeWatch.told = [0, 0, 0, 0.5]
        runs = self.play()
        self.assertEqual([(run.system, run.others_cpu) for run in runs],
                         [("quire", 0.0), ("peer", 0.0)])
        self.assertEqual(len(set(self.systems[0].seen)), 3)

    def test_of_runs_that_are_all_disturbed_the_best_one_counts(self):
        FakeWatch.told = [0, 0, 0, 0.5, 0, 0.2, 0, 0.3]
        self.assertEqual(self.play()[0].others_cpu, 0.2)

    def test_a_failure_is_a_run_too_and_the_others_go_on(self):
        self.systems[1].fails_at = "small"
        runs = self.play()
        self.assertEqual([(run.system, run.error) for run in runs],
                         [("peer", "it fell"), ("quire", "")])

    def test_an_answer_that_is_too_short_is_a_failure(self):
        self.systems[1].is_short_of = 1
        (failed,) = [run for run in self.play() if run.system == "peer"]
        self.assertRegex(failed.error, "7 tokens, not 8")

    def test_all_systems_are_stopped_after_a_break(self):
        self.systems[1].start = lambda files: (_ for _ in ()).throw(KeyboardInterrupt)
        with self.assertRaises(KeyboardInterrupt):
            self.play()
        self.assertEqual(self.notes[-2:], ["stop quire", "stop peer"])


if __name__ == "__main__":
    unittest.main()
