"""The loop of an engine that runs inside of its driver's process.

A driver loads its engine and says {"ready": true}. Then it answers each line of
standard input, {"workload": PATH, "sequential": BOOL}, with a line of figures, and
ends with standard input. It runs in a Python of its own, with the engine's packages.
"""

import json
import os
import sys
import time


def _take_standard_output():
    """The stream to answer on; what the engine prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _play(generate, requests, sequential):
    groups = [[request] for request in requests] if sequential else [requests]
    start = time.perf_counter()
    results = [generate(group) for group in groups]
    wall = time.perf_counter() - start
    cached = [cached for _, cached in results]
    return {
        "wall_s": wall,
        "output_tokens": sum(output for output, _ in results),
        "cached_tokens": None if None in cached else sum(cached),
    }


def serve(load):
    """load() gives generate(requests), which gives how many tokens it made and how many
    of the prompts it found in its cache (None: it cannot tell)."""
    answers = _take_standard_output()
    generate = load()
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        with open(order["workload"], encoding="utf-8") as file:
            requests = [json.loads(request) for request in file]
        print(json.dumps(_play(generate, requests, order["sequential"])), file=answers, flush=True)
