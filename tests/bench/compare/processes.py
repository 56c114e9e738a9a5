"""Processes that systems consist of, and who took the machine's cores meanwhile."""

import os
import signal
import subprocess
import time

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_PATIENCE_S = 600


class Process:
    """A process in a session of its own, with its output in a log; ends with `stop`."""

    def __init__(self, words, log_path, **options):
        self.log_path = log_path
        with open(log_path, "ab") as log:
            streams = {"stdout": log, "stdin": subprocess.DEVNULL, **options}
            self.handle = subprocess.Popen([str(word) for word in words], stderr=log,
                                           start_new_session=True, **streams)

    def check_runs(self):
        if self.handle.poll() is not None:
            raise RuntimeError(f"ended with {self.handle.returncode}; see {self.log_path}")

    def stop(self):
        """Asks it to end, and after some seconds ends what is left of its session."""
        self.handle.terminate()
        try:
            self.handle.wait(timeout=20)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(self.handle.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.handle.wait()


def wait_until(is_ready, processes):
    """Until it holds; the processes must not end before."""
    end = time.monotonic() + _PATIENCE_S
    while not is_ready():
        for process in processes:
            process.check_runs()
        if time.monotonic() > end:
            raise RuntimeError(f"not ready within {_PATIENCE_S} s")
        time.sleep(0.05)


def _session_ticks(sessions):
    """Of processes that live: a session's id is that of its first process."""
    ticks = 0
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            with open(f"/proc/{entry.name}/stat", encoding="utf-8", errors="replace") as file:
                # Behind the name, which is in brackets and may hold anything.
                fields = file.read().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[3]) in sessions:
            ticks += int(fields[11]) + int(fields[12])
    return ticks


def _machine_ticks():
    """Ticks in which a core was busy, and in which the host took it."""
    with open("/proc/stat", encoding="utf-8") as file:
        user, nice, system, _, _, irq, softirq, steal = map(int, file.readline().split()[1:9])
    return user + nice + system + irq + softirq, steal


class CpuWatch:
    """From its making on: the share of the cores that neither this program with the
    children it waited for nor the given processes took."""

    def __init__(self, processes):
        self._sessions = {process.handle.pid for process in processes}
        self._start = self._sample()

    def _sample(self):
        busy, stolen = _machine_ticks()
        own = sum(os.times()[:4]) * _TICKS_PER_S
        return time.monotonic(), busy - own - _session_ticks(self._sessions), stolen

    def shares(self):
        """Of others, and of the host."""
        seconds, others, stolen = (now - then for now, then in zip(self._sample(), self._start))
        cores = max(seconds, 1e-9) * os.cpu_count() * _TICKS_PER_S
        return max(0.0, others / cores), max(0.0, stolen / cores)
