"""The files of a model in the form that each system reads fastest; made on first use."""

import pathlib
import subprocess
import sys

import workloads

_HERE = pathlib.Path(__file__).resolve().parent


class ModelFiles:
    """`peers` is the folder of install_peers; files are made below its `models`."""

    def __init__(self, model, smollm2, peers):
        self._peers = pathlib.Path(peers)
        self._folder = self._peers / "models"
        self._name = model.name
        self._is_q4_0 = model == workloads.RANDOM_1B
        self.gguf = pathlib.Path(smollm2)
        if model == workloads.RANDOM_1B:
            self.gguf = self._make(f"{model.name}.Q4_0.gguf", lambda out: [
                sys.executable, _HERE / "make_model", out, f"--tokenizer_from={smollm2}",
                f"--vocabulary={model.vocabulary}"])

    @property
    def q4_0(self):
        """A GGUF file of this type, which llama.cpp computes fastest."""
        if self._is_q4_0:
            return self.gguf
        quantize = self._peers / "llama.cpp/bin/llama-quantize"
        return self._make(f"{self._name}.Q4_0.gguf", lambda out: [
            quantize, "--allow-requantize", self.gguf, out, "Q4_0"])

    @property
    def folder(self):
        """A folder in Hugging Face's layout, in bf16."""
        return self._make(f"{self._name}-bf16", lambda out: [
            self._peers / "vllm/bin/python", _HERE / "drivers/convert_gguf.py", self.gguf, out])

    def _make(self, name, words):
        """Makes a file or folder that is whole once it has its name."""
        path = self._folder / name
        if not path.exists():
            print(f"Making {path}", file=sys.stderr)
            self._folder.mkdir(parents=True, exist_ok=True)
            unfinished = self._folder / f"unfinished-{name}"
            subprocess.run([str(word) for word in words(unfinished)], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            unfinished.rename(path)
        return path
