"""What a comparison ran on: processor, commit, measured peaks."""

import json
import os
import platform
import subprocess


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        fields = dict(map(str.strip, line.split(":", 1)) for line in file if ":" in line)
    return {"model": fields.get("model name", platform.machine()),
            "flags": fields.get("flags", "").split(),
            "cores": len(os.sched_getaffinity(0))}


def commit(repository):
    """The commit of a work tree, and whether it holds changes."""
    def git(*words):
        done = subprocess.run(["git", "-C", repository, *words], capture_output=True, text=True)
        return done.stdout.strip() if done.returncode == 0 else None

    return {"commit": git("rev-parse", "HEAD"), "changed": bool(git("status", "--porcelain"))}


def peaks(binaries):
    """As print_machine_peaks prints them, of all cores."""
    words = [binaries / "tests/bench/kernels/print_machine_peaks",
             str(len(os.sched_getaffinity(0)))]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)
