#!/usr/bin/env python3
import os
import tempfile
import unittest

import workloads


def named(name):
    (found,) = [workload for workload in workloads.ALL if workload.name == name]
    return found


def prompts(requests):
    return [request["prompt_ids"] for request in requests]


class WorkloadsTest(unittest.TestCase):
    def test_a_seed_gives_the_same_requests_again(self):
        for workload in workloads.ALL:
            self.assertEqual(workload.requests("a"), workload.requests("a"))

    def test_two_seeds_share_no_prefix(self):
        for workload in workloads.ALL:
            firsts = {tuple(prompt[:4]) for prompt in prompts(workload.requests("a"))}
            others = {tuple(prompt[:4]) for prompt in prompts(workload.requests("b"))}
            self.assertFalse(firsts & others, workload.name)

    def test_a_decoding_one_has_even_requests(self):
        requests = named("decode_8").requests("a")
        self.assertEqual([len(prompt) for prompt in prompts(requests)], [128] * 8)
        self.assertEqual([request["max_tokens"] for request in requests], [128] * 8)
        self.assertTrue(named("decode_8").is_even)

    def test_a_prompt_alone_asks_for_one_token_and_counts_its_own(self):
        workload = named("prefill_2048")
        self.assertTrue(workload.sequential and workload.counts_prompt and not workload.is_even)
        self.assertEqual([len(prompt) for prompt in prompts(workload.requests("a"))], [2048] * 4)
        self.assertEqual({request["max_tokens"] for request in workload.requests("a")}, {1})

    def test_shared_prompts_part_behind_their_prefix(self):
        shared = prompts(named("shared_64").requests("a"))
        self.assertEqual({len(prompt) for prompt in shared}, {1056})
        self.assertEqual(len({tuple(prompt[:1024]) for prompt in shared}), 1)
        self.assertEqual(len({tuple(prompt[1024:1028]) for prompt in shared}), 64)

    def test_lengths_of_chats_vary_around_their_mean_within_their_limits(self):
        requests = [r for seed in range(40) for r in named("chat_64").requests(seed)]
        inputs = [len(prompt) for prompt in prompts(requests)]
        self.assertTrue(4 <= min(inputs) < 40 and 600 < max(inputs) <= 1024)
        # What the limits cut off is missing from the means of 161 and 338.
        self.assertTrue(135 < sum(inputs) / len(inputs) < 165)
        outputs = [request["max_tokens"] for request in requests]
        self.assertTrue(290 < sum(outputs) / len(outputs) < 340)

    def test_tokens_are_ordinary_ones_of_the_vocabulary(self):
        for workload in workloads.ALL:
            tokens = {token for prompt in prompts(workload.requests("a")) for token in prompt}
            self.assertGreaterEqual(min(tokens), 17)
            self.assertLess(max(tokens), workload.model.vocabulary)

    def test_a_shortened_one_has_the_same_prompts(self):
        chat = named("chat_64")
        short = chat.shortened(32).requests("a")
        self.assertLessEqual(max(request["max_tokens"] for request in short), 32)
        self.assertEqual(len(short), 64)
        self.assertEqual(prompts(named("decode_8").shortened(32).requests("a")),
                         prompts(named("decode_8").requests("a")))
        self.assertTrue(named("prefill_2048").shortened(32).counts_prompt)

    def test_a_file_holds_a_line_for_each_request(self):
        requests = named("decode_8").requests("a")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "workload.jsonl")
            workloads.write(requests, path)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(len(file.readlines()), 8)
            self.assertEqual(workloads.read(path), requests)


if __name__ == "__main__":
    unittest.main()
