#!/usr/bin/env python3
"""Copies a GGUF file's tokenizer, and nothing else, into a small GGUF file of its own."""

import argparse

import gguf

ADDERS = {
    gguf.GGUFValueType.STRING: gguf.GGUFWriter.add_string,
    gguf.GGUFValueType.UINT32: gguf.GGUFWriter.add_uint32,
    gguf.GGUFValueType.BOOL: gguf.GGUFWriter.add_bool,
    gguf.GGUFValueType.ARRAY: gguf.GGUFWriter.add_array,
}


def main():
  parser = argparse.ArgumentParser(description=__doc__)
  parser.add_argument("model")
  parser.add_argument("out")
  options = parser.parse_args()
  reader = gguf.GGUFReader(options.model)
  writer = gguf.GGUFWriter(options.out, reader.fields["general.architecture"].contents())
  for key, field in reader.fields.items():
    if key.startswith("tokenizer."):
      ADDERS[field.types[0]](writer, key, field.contents())
  writer.write_header_to_file()
  writer.write_kv_data_to_file()
  writer.write_tensors_to_file()
  writer.close()


if __name__ == "__main__":
  main()
