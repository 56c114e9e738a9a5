"""convert_gguf.py MODEL.gguf FOLDER: a GGUF file's weights in bf16, in Hugging Face's layout."""

import pathlib
import sys

import torch
import transformers


def main():
    source, folder = pathlib.Path(sys.argv[1]), sys.argv[2]
    file = {"gguf_file": source.name}
    tokenizer = transformers.AutoTokenizer.from_pretrained(source.parent, **file)
    tokenizer.save_pretrained(folder)
    model = transformers.AutoModelForCausalLM.from_pretrained(source.parent, dtype=torch.bfloat16,
                                                              **file)
    # The weights are no longer quantized, and the configuration must not say so.
    if hasattr(model.config, "quantization_config"):
        del model.config.quantization_config
    model.is_quantized = False
    model.hf_quantizer = None
    model.save_pretrained(folder)


main()
