#!/usr/bin/env python3
import unittest

import results


def run(number, system, tok_s, cached=0, error=""):
    return results.Run(number, "decode_8", system, "seed", 100, tok_s=tok_s,
                       cached_tokens=cached, error=error)


def row(runs, peers=("near", "far"), extras=()):
    return results.make_row(runs, "decode_8", "quire", peers, extras)


class ResultsTest(unittest.TestCase):
    def test_speeds_are_medians_with_their_extremes(self):
        made = row([run(0, "quire", 30), run(1, "quire", 10), run(2, "quire", 20)])
        self.assertEqual(made.speeds["quire"], results.Spread(20, 10, 30))

    def test_the_best_peer_is_the_one_with_the_best_median(self):
        made = row([run(0, "quire", 100), run(0, "near", 60), run(1, "near", 60),
                    run(0, "far", 90), run(1, "far", 10)])
        self.assertEqual(made.best_peer, "near")

    def test_ratios_are_of_runs_of_the_same_round(self):
        made = row([run(0, "quire", 200), run(1, "quire", 100), run(0, "near", 100),
                    run(1, "near", 40)])
        self.assertEqual(made.ratio, results.Spread(2.25, 2, 2.5))

    def test_a_round_in_which_one_failed_gives_no_ratio(self):
        made = row([run(0, "quire", 200), run(1, "quire", 100), run(0, "near", 100),
                    run(1, "near", 0, error="it fell")])
        self.assertEqual(made.ratio, results.Spread(2, 2, 2))
        self.assertEqual(made.speeds["near"], results.Spread(100, 100, 100))

    def test_an_extra_system_is_no_peer(self):
        made = row([run(0, "quire", 100), run(0, "near", 50), run(0, "engine", 80)],
                   extras=["engine"])
        self.assertEqual(made.best_peer, "near")
        self.assertEqual(made.speeds["engine"].median, 80)

    def test_without_peers_there_is_no_ratio(self):
        made = row([run(0, "quire", 100)])
        self.assertIsNone(made.ratio)
        self.assertIsNone(made.best_peer)

    def test_cached_tokens_are_those_of_all_rounds_of_the_first_system(self):
        made = row([run(0, "quire", 1, cached=5), run(1, "quire", 1, cached=6),
                    run(0, "near", 1, cached=100)])
        self.assertEqual(made.cached_tokens, 11)

    def test_the_table_says_it_all(self):
        rows = [row([run(0, "quire", 210, cached=1234), run(1, "quire", 190),
                     run(0, "near", 100), run(1, "near", 100)])]
        self.assertEqual(results.table(rows, "quire", ["near", "far"]).splitlines(), [
            "| workload | quire          | near | far | quire / best peer      | cached tokens |",
            "| -------- | -------------- | ---- | --- | ---------------------- | ------------- |",
            "| decode_8 | 200 (190..210) | 100  | -   | 2.00 (1.90..2.10) near | 1,234         |",
        ])


if __name__ == "__main__":
    unittest.main()
