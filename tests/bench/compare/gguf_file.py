"""Reading the metadata of a GGUF file, and writing a file."""

import dataclasses
import math
import struct

ALIGNMENT = 32
_MAGIC = b"GGUF"
_VERSION = 3

# Types of metadata.
UINT32, FLOAT32, STRING, ARRAY = 4, 6, 8, 9
_FORMATS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q",
            11: "<q", 12: "<d"}

# Types of tensors: values and bytes of a block.
F32, Q4_0 = 0, 2
_BLOCKS = {F32: (1, 4), Q4_0: (32, 18)}


@dataclasses.dataclass(frozen=True)
class Field:
    """A value of the metadata. Strings are bytes, since tokens need not be text."""

    type: int
    value: object
    element_type: int | None = None  # Of an array.


@dataclasses.dataclass(frozen=True)
class Tensor:
    name: str
    shape: tuple  # The innermost dimension first.
    type: int
    make: object  # Gives its bytes, when they are to be written.

    @property
    def num_bytes(self):
        values, size = _BLOCKS[self.type]
        return math.prod(self.shape) // values * size


def _read_scalar(file, layout):
    (value,) = struct.unpack(layout, file.read(struct.calcsize(layout)))
    return value


def _read_value(file, type_):
    if type_ == STRING:
        return file.read(_read_scalar(file, "<Q"))
    return _read_scalar(file, _FORMATS[type_])


def _read_field(file):
    type_ = _read_scalar(file, "<I")
    if type_ != ARRAY:
        return Field(type_, _read_value(file, type_))
    element_type = _read_scalar(file, "<I")
    count = _read_scalar(file, "<Q")
    return Field(ARRAY, [_read_value(file, element_type) for _ in range(count)], element_type)


def read_metadata(path):
    """The metadata of a file, by name."""
    with open(path, "rb") as file:
        if file.read(4) != _MAGIC or _read_scalar(file, "<I") not in (2, _VERSION):
            raise ValueError(f"{path} is no GGUF file of version 2 or 3")
        _read_scalar(file, "<Q")  # Tensors.
        count = _read_scalar(file, "<Q")
        return {_read_value(file, STRING).decode(): _read_field(file) for _ in range(count)}


def _packed_string(value):
    return struct.pack("<Q", len(value)) + value


def _packed_value(type_, value):
    return _packed_string(value) if type_ == STRING else struct.pack(_FORMATS[type_], value)


def _packed_field(field):
    if field.type != ARRAY:
        return struct.pack("<I", field.type) + _packed_value(field.type, field.value)
    head = struct.pack("<IIQ", ARRAY, field.element_type, len(field.value))
    return head + b"".join(_packed_value(field.element_type, value) for value in field.value)


def _padding(length):
    return bytes(-length % ALIGNMENT)


def _head(metadata, tensors):
    parts = [_MAGIC, struct.pack("<IQQ", _VERSION, len(tensors), len(metadata))]
    for name, field in metadata.items():
        parts += [_packed_string(name.encode()), _packed_field(field)]
    offset = 0
    for tensor in tensors:
        parts += [_packed_string(tensor.name.encode()), struct.pack("<I", len(tensor.shape)),
                  struct.pack(f"<{len(tensor.shape)}Q", *tensor.shape),
                  struct.pack("<IQ", tensor.type, offset)]
        offset += tensor.num_bytes + len(_padding(tensor.num_bytes))
    head = b"".join(parts)
    return head + _padding(len(head))


def write(path, metadata, tensors):
    """Writes a file; one tensor's bytes are in memory at a time."""
    with open(path, "wb") as file:
        file.write(_head(metadata, tensors))
        for tensor in tensors:
            data = tensor.make()
            if len(data) != tensor.num_bytes:
                raise ValueError(f"{tensor.name} has {len(data)} bytes, not {tensor.num_bytes}")
            file.write(data)
            file.write(_padding(len(data)))
