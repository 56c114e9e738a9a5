"""The systems that are compared: how each is started, asked and stopped.

A system is started once for a model and stays up, idle, while others are measured.
Its `play` gives the figures of one workload: wall_s, output_tokens, cached_tokens.
"""

import json
import os
import pathlib
import socket
import subprocess
import time
import urllib.error
import urllib.request

import llama_client
import workloads
from processes import Process, wait_until

# As much for each; the workloads need less.
KV_CACHE_GIB = 3
_DRIVERS = pathlib.Path(__file__).resolve().parent / "drivers"


def _free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def _answers(url):
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except (urllib.error.URLError, OSError):
        return False


class System:
    """Subclasses fill `processes` in `start`."""

    def __init__(self, name, log_folder):
        self.name = name
        self.log_folder = pathlib.Path(log_folder)
        self.processes = []

    def plays(self, workload):
        """Whether it can do the workload at all."""
        return True

    def stop(self):
        for process in self.processes:
            process.stop()
        self.processes = []

    def _spawn(self, words, log, **options):
        process = Process(words, self.log_folder / f"{self.name}-{log}.log", **options)
        self.processes.append(process)
        return process


class Quire(System):
    """Scheduler, worker and client of a build, over gRPC."""

    def __init__(self, name, log_folder, binaries, scheduler_flags=()):
        super().__init__(name, log_folder)
        self._binaries = pathlib.Path(binaries)
        self._scheduler_flags = scheduler_flags
        self._server = None

    def start(self, files):
        api, workers, admin = (f"127.0.0.1:{port}" for port in _free_ports(3))
        self._server = api
        self._spawn([self._binaries / "scheduler/quire-scheduler", f"--model={files.gguf}",
                     f"--listen={api}", f"--worker_listen={workers}", f"--admin_listen={admin}",
                     "--max_waiting_tokens=1000000", *self._scheduler_flags], "scheduler")
        self._spawn([self._binaries / "worker/quire-worker", f"--model={files.gguf}",
                     f"--scheduler={workers}", f"--kv_cache_memory={KV_CACHE_GIB}GiB"], "worker")
        wait_until(lambda: _answers(f"http://{admin}/readyz"), self.processes)

    def play(self, workload, path):
        words = [self._binaries / "client/quire", "bench", path, f"--server={self._server}",
                 "--json", *(["--sequential"] if workload.sequential else [])]
        done = subprocess.run(words, check=True, capture_output=True, text=True)
        figures = json.loads(done.stdout)
        return {name: figures[name] for name in ("wall_s", "output_tokens", "cached_tokens")}


class QuireWithoutDrafts(Quire):
    """What Quire does where no token can be guessed."""

    # With more, no sequence has drafts before most have ended.
    MOST_STREAMS = 8

    def __init__(self, name, log_folder, binaries):
        super().__init__(name, log_folder, binaries, ["--draft_tokens=0"])

    def plays(self, workload):
        return not workload.counts_prompt and workload.num_requests <= self.MOST_STREAMS


class InProcess(System):
    """An engine in its driver's process, without a network between."""

    def __init__(self, name, log_folder, venv, driver):
        super().__init__(name, log_folder)
        self._venv = pathlib.Path(venv)
        self._driver = driver

    def model(self, files):
        return files.gguf

    def environment(self):
        return {}

    def start(self, files):
        self._spawn([self._venv / "bin/python", _DRIVERS / self._driver, self.model(files),
                     KV_CACHE_GIB], "driver", stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    text=True, env={**os.environ, **self.environment()})
        self._answer()

    def play(self, workload, path):
        order = {"workload": str(path), "sequential": workload.sequential}
        pipe = self.processes[0].handle.stdin
        print(json.dumps(order), file=pipe, flush=True)
        return self._answer()

    def _answer(self):
        line = self.processes[0].handle.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name} ended; see {self.processes[0].log_path}")
        return json.loads(line)


class Openvino(InProcess):
    def __init__(self, name, log_folder, venv):
        super().__init__(name, log_folder, venv, "openvino_driver.py")


class Vllm(InProcess):
    def __init__(self, name, log_folder, venv):
        super().__init__(name, log_folder, venv, "vllm_driver.py")

    def model(self, files):
        return files.folder

    def environment(self):
        # It asks for this library, which comes with it, in the place of the compiler's.
        return {"LD_PRELOAD": str(self._venv / "lib/libiomp5.so")}


class LlamaServer(System):
    """llama.cpp's server, over HTTP."""

    # As many requests at once as a workload has at most are started; the others wait.
    SLOTS = 64
    SLOT_TOKENS = 2304  # The longest request and some more.

    def __init__(self, name, log_folder, binaries):
        super().__init__(name, log_folder)
        self._binaries = pathlib.Path(binaries)
        self._address = ""

    def start(self, files):
        (port,) = _free_ports(1)
        self._address = f"127.0.0.1:{port}"
        self._spawn([self._binaries / "llama-server", "--model", files.q4_0, "--host", "127.0.0.1",
                     "--port", port, "--parallel", self.SLOTS,
                     "--ctx-size", self.SLOTS * self.SLOT_TOKENS, "--batch-size", 2048,
                     # Prompts of earlier rounds do not come back.
                     "--cache-ram", 0], "server")
        wait_until(lambda: _answers(f"http://{self._address}/health"), self.processes)

    def play(self, workload, path):
        requests = workloads.read(path)
        start = time.perf_counter()
        output, cached = llama_client.play(self._address, requests, workload.sequential)
        wall = time.perf_counter() - start
        return {"wall_s": wall, "output_tokens": output, "cached_tokens": cached}


class LlamaEngine(System):
    """llama.cpp's engine alone, with tokens of its own: no server, no sampling."""

    def __init__(self, name, log_folder, binaries):
        super().__init__(name, log_folder)
        self._binaries = pathlib.Path(binaries)
        self._model = None

    def plays(self, workload):
        return workload.is_even

    def start(self, files):
        self._model = files.q4_0

    def play(self, workload, path):
        streams, prompt, output = workload.num_requests, workload.prompt.mean, workload.output.mean
        words = [self._binaries / "llama-batched-bench", "--model", self._model,
                 "--ctx-size", streams * (prompt + output), "-npp", prompt, "-ntg", output,
                 "-npl", streams, "--output-format", "jsonl"]
        done = subprocess.run([str(word) for word in words], check=True, capture_output=True,
                              text=True)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        return {"wall_s": json.loads(lines[-1])["t"], "output_tokens": streams * output,
                "cached_tokens": None}
