"""A GGUF model of a Llama shape with random Q4_0 weights."""

import math
import random
import struct

from gguf_file import ARRAY, F32, FLOAT32, Q4_0, STRING, UINT32, Field, Tensor

# Of the values -7 to 7, where 0 is twice as likely as each other one.
_STEPS_DEVIATION = math.sqrt(17.5)


def _without_lowest(byte):
    """Nibbles of value 0 stand for -8 and would shift the mean: they become 8, a zero."""
    return (byte & 15 or 8) | (byte >> 4 or 8) << 4


_CENTRED = bytes(_without_lowest(byte) for byte in range(256))


def q4_0(rng, rows, columns):
    """Blocks of a random matrix that about keeps the length of what it is multiplied by."""
    num_blocks = rows * columns // 32
    exponent = math.floor(math.log2(columns**-0.5 / _STEPS_DEVIATION))
    blocks = bytearray(rng.randbytes(18 * num_blocks).translate(_CENTRED))
    # The scale, in float16: 2^exponent and up to a quarter more.
    blocks[0::18] = rng.randbytes(num_blocks)
    blocks[1::18] = bytes([(exponent + 15) << 2]) * num_blocks
    return bytes(blocks)


def cut_tokenizer(metadata, vocabulary):
    """The tokenizer's fields with the first tokens alone, and the merges that make those."""
    fields = {name: field for name, field in metadata.items() if name.startswith("tokenizer.")}
    tokens = fields["tokenizer.ggml.tokens"].value
    if len(tokens) < vocabulary:
        raise ValueError(f"the tokenizer has {len(tokens)} tokens, not {vocabulary}")
    kept = set(tokens[:vocabulary])
    for name, field in fields.items():
        if field.type != ARRAY:
            continue
        if name == "tokenizer.ggml.merges":
            values = [merge for merge in field.value if merge.replace(b" ", b"") in kept]
        else:
            values = field.value[:vocabulary]
        fields[name] = Field(ARRAY, values, field.element_type)
    return fields


def shape_metadata(shape):
    def number(value):
        return Field(UINT32, value)

    return {
        "general.architecture": Field(STRING, b"llama"),
        "general.name": Field(STRING, f"random {shape.layers} x {shape.hidden}".encode()),
        "general.file_type": number(2),  # Mostly Q4_0.
        "general.quantization_version": number(2),
        "llama.context_length": number(shape.context),
        "llama.embedding_length": number(shape.hidden),
        "llama.block_count": number(shape.layers),
        "llama.feed_forward_length": number(shape.intermediate),
        "llama.attention.head_count": number(shape.heads),
        "llama.attention.head_count_kv": number(shape.kv_heads),
        "llama.attention.layer_norm_rms_epsilon": Field(FLOAT32, 1e-5),
        "llama.rope.freq_base": Field(FLOAT32, 10000.0),
        "llama.rope.dimension_count": number(shape.hidden // shape.heads),
        "llama.vocab_size": number(shape.vocabulary),
    }


def make_tensors(shape):
    rng = random.Random(shape.seed)
    ones = struct.pack("<f", 1.0) * shape.hidden

    def norm(name):
        return Tensor(name, (shape.hidden,), F32, lambda: ones)

    def matrix(name, rows, columns):
        return Tensor(name, (columns, rows), Q4_0, lambda: q4_0(rng, rows, columns))

    kv = shape.hidden // shape.heads * shape.kv_heads
    tensors = [matrix("token_embd.weight", shape.vocabulary, shape.hidden)]
    for layer in range(shape.layers):
        tensors += [
            norm(f"blk.{layer}.attn_norm.weight"),
            matrix(f"blk.{layer}.attn_q.weight", shape.hidden, shape.hidden),
            matrix(f"blk.{layer}.attn_k.weight", kv, shape.hidden),
            matrix(f"blk.{layer}.attn_v.weight", kv, shape.hidden),
            matrix(f"blk.{layer}.attn_output.weight", shape.hidden, shape.hidden),
            norm(f"blk.{layer}.ffn_norm.weight"),
            matrix(f"blk.{layer}.ffn_gate.weight", shape.intermediate, shape.hidden),
            matrix(f"blk.{layer}.ffn_up.weight", shape.intermediate, shape.hidden),
            matrix(f"blk.{layer}.ffn_down.weight", shape.hidden, shape.intermediate),
        ]
    return [*tensors, norm("output_norm.weight"),
            matrix("output.weight", shape.vocabulary, shape.hidden)]
