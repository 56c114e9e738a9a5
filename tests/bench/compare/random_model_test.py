#!/usr/bin/env python3
import argparse
import os
import random
import struct
import tempfile
import unittest

import gguf_file
import random_model
from gguf_file import ARRAY, FLOAT32, STRING, UINT32, Field

SHAPE = argparse.Namespace(layers=2, hidden=64, heads=4, kv_heads=2, intermediate=96, vocabulary=5,
                           context=128, seed=7)
TOKENIZER = {
    "general.name": Field(STRING, b"other"),
    "tokenizer.ggml.model": Field(STRING, b"gpt2"),
    "tokenizer.ggml.tokens": Field(ARRAY, [b"<s>", b"a", b"b", b"ab", b"\xff", b"abb"], STRING),
    "tokenizer.ggml.token_type": Field(ARRAY, [3, 1, 1, 1, 1, 1], 5),
    "tokenizer.ggml.merges": Field(ARRAY, [b"a b", b"ab b"], STRING),
    "tokenizer.ggml.bos_token_id": Field(UINT32, 0),
}


class RandomModelTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "model.gguf")

    def test_the_tokenizer_keeps_the_first_tokens_and_what_merges_to_them(self):
        fields = random_model.cut_tokenizer(TOKENIZER, 5)
        self.assertNotIn("general.name", fields)
        self.assertEqual(fields["tokenizer.ggml.tokens"].value[-1], b"\xff")
        self.assertEqual(fields["tokenizer.ggml.token_type"].value, [3, 1, 1, 1, 1])
        self.assertEqual(fields["tokenizer.ggml.merges"].value, [b"a b"])
        self.assertEqual(fields["tokenizer.ggml.bos_token_id"], Field(UINT32, 0))

    def test_a_tokenizer_that_is_too_small_is_refused(self):
        with self.assertRaisesRegex(ValueError, "has 6 tokens, not 7"):
            random_model.cut_tokenizer(TOKENIZER, 7)

    def test_metadata_comes_back_as_written(self):
        metadata = {**random_model.shape_metadata(SHAPE),
                    **random_model.cut_tokenizer(TOKENIZER, SHAPE.vocabulary),
                    "llama.attention.layer_norm_rms_epsilon": Field(FLOAT32, 0.125)}
        gguf_file.write(self.path, metadata, random_model.make_tensors(SHAPE))
        self.assertEqual(gguf_file.read_metadata(self.path), metadata)
        self.assertEqual(metadata["llama.rope.dimension_count"].value, 16)

    def test_tensors_follow_the_head_and_are_the_same_for_a_seed(self):
        def write():
            tensors = random_model.make_tensors(SHAPE)
            gguf_file.write(self.path, {}, tensors)
            with open(self.path, "rb") as file:
                return file.read(), sum(t.num_bytes + -t.num_bytes % 32 for t in tensors)

        whole, size = write()
        embedding = random_model.make_tensors(SHAPE)[0].make()
        self.assertEqual(whole[len(whole) - size:][:len(embedding)], embedding)
        self.assertEqual((len(whole) - size) % 32, 0)
        self.assertEqual(write(), (whole, size))

    def test_another_file_is_refused(self):
        with open(self.path, "wb") as file:
            file.write(b"PK" * 40)
        with self.assertRaisesRegex(ValueError, "no GGUF file"):
            gguf_file.read_metadata(self.path)

    def test_weights_keep_the_length_of_what_they_multiply(self):
        columns = 2048
        blocks = random_model.q4_0(random.Random(1), 64, columns)
        squares = total = 0.0
        for start in range(0, len(blocks), 18):
            (scale,) = struct.unpack_from("<e", blocks, start)
            steps = [nibble - 8 for byte in blocks[start + 2:start + 18]
                     for nibble in (byte & 15, byte >> 4)]
            self.assertGreater(min(steps), -8)
            squares += sum((scale * step) ** 2 for step in steps)
            total += sum(scale * step for step in steps)
        # A row's sum of squares is the gain; rows of Q4_0 know it to a factor of two.
        self.assertTrue(0.25 < squares / 64 < 1.5, squares / 64)
        self.assertLess(abs(total) / (64 * columns), 0.001)


if __name__ == "__main__":
    unittest.main()
