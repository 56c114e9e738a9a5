"""Reference values of kernels/dequantize.h, made with GGML's own Python library `gguf`.

    dequantize_reference.py write FILE            the data of dequantize_test
    dequantize_reference.py compare TOOL GROUPS   compares TOOL (dequantize_tool) on that many
                                                  random groups of every type

FILE is, for each type: its name (8 bytes, zero filled), number of groups, bytes of them and number of
elements (each 4 bytes, little endian), the groups, the elements as float32.
"""

import struct
import subprocess
import sys

import gguf
import numpy as np

# Type: where the half-precision scales of a group are. They are kept finite.
SCALES = {
    "Q4_0": [0],
    "Q4_1": [0, 2],
    "Q5_0": [0],
    "Q5_1": [0, 2],
    "Q8_0": [0],
    "Q2_K": [80, 82],
    "Q3_K": [108],
    "Q4_K": [0, 2],
    "Q5_K": [0, 2],
    "Q6_K": [208],
    "BF16": [],
}


def random_groups(name, count, seed):
    size = gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name]][1]
    rng = np.random.default_rng([seed, *name.encode()])
    groups = rng.integers(0, 256, (count, size), dtype=np.uint8)
    for offset in SCALES[name]:
        high = groups[:, offset + 1]
        infinite = (high & 0x7C) == 0x7C
        high[infinite] &= 0xBF
    if name == "BF16":
        high = groups[:, 1]
        high[(high & 0x7F) == 0x7F] &= 0xBF
    return groups


def expected(name, groups):
    kind = gguf.GGMLQuantizationType[name]
    return gguf.quants.dequantize(groups.reshape(-1), kind).astype("<f4").reshape(-1)


def write(path):
    with open(path, "wb") as out:
        for name in SCALES:
            groups = random_groups(name, 64 if name == "BF16" else 6, seed=1)
            values = expected(name, groups)
            out.write(name.encode().ljust(8, b"\0"))
            out.write(struct.pack("<III", len(groups), groups.size, values.size))
            out.write(groups.tobytes() + values.tobytes())


def compare(tool, count):
    for name in SCALES:
        groups = random_groups(name, count, seed=2)
        run = subprocess.run(
            [tool, name], input=groups.tobytes(), stdout=subprocess.PIPE, check=True
        )
        values = np.frombuffer(run.stdout, dtype=np.uint32)
        wanted = expected(name, groups).view(np.uint32)
        wrong = np.count_nonzero(values != wanted)
        print(f"{name}: {wanted.size} elements, {wrong} differ")
        if wrong:
            sys.exit(1)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2])
    else:
        compare(sys.argv[2], int(sys.argv[3]))
