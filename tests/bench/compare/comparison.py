"""The rounds: every system plays every workload once a round."""

import pathlib
import sys
import tempfile
import time

import processes
import results
import workloads

# Tokens of an answer while a system warms up.
_WARM_UP_OUTPUT = 16
# A run that other processes disturbed is repeated, and before each one the machine gets
# so long to become quiet.
_MAX_ATTEMPTS = 3
_PATIENCE_S = 60
_QUIET_S = 0.5


class Comparison:
    """Plays workloads on systems in alternating order, and keeps the runs."""

    def __init__(self, systems, seed, max_others, watch=processes.CpuWatch, quiet_s=_QUIET_S):
        """max_others: share of the cores from which on other processes disturb a run;
        quiet_s: for how long they must not, before one."""
        self.runs = []
        self._max_others = max_others
        self._systems = systems
        self._seed = seed
        self._watch = watch
        self._quiet_s = quiet_s

    def play_rounds(self, chosen, files, num_rounds, before_round):
        """All workloads are of one model, whose files are given. The systems are up from
        the start to the end; while one is measured, the others have nothing to do."""
        try:
            live = [system for system in self._systems if self._start(system, files, chosen)]
            for n in range(num_rounds):
                before_round()
                order = live if n % 2 == 0 else live[::-1]
                for workload in chosen:
                    for system in order:
                        if system.plays(workload):
                            self._play(system, workload, n)
        finally:
            for system in self._systems:
                system.stop()

    def _start(self, system, files, chosen):
        """Also plays the workloads once with short answers. Whether it works."""
        print(f"Starting {system.name}", file=sys.stderr)
        try:
            system.start(files)
            for workload in filter(system.plays, chosen):
                self._measure(system, workload.shortened(_WARM_UP_OUTPUT), f"{self._seed} warm-up")
            return True
        except Exception as error:  # pylint: disable=broad-except
            self._note_failure(system, "to start", error)
            self.runs += [results.Run(0, workload.name, system.name, "", 0, error=str(error))
                          for workload in filter(system.plays, chosen)]
            return False

    def _measure(self, system, workload, seed):
        requests = workload.requests(seed)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "workload.jsonl"
            workloads.write(requests, path)
            watch = self._watch(system.processes)
            figures = system.play(workload, path)
            others, stolen = watch.shares()
        prompt = sum(len(request["prompt_ids"]) for request in requests)
        wanted = sum(request["max_tokens"] for request in requests)
        if figures["output_tokens"] != wanted:
            raise RuntimeError(f"{figures['output_tokens']} tokens, not {wanted}")
        counted = prompt if workload.counts_prompt else wanted
        return {"prompt_tokens": prompt, **figures, "tok_s": counted / figures["wall_s"],
                "others_cpu": others, "stolen_cpu": stolen}

    def _play(self, system, workload, number):
        """Keeps the attempt that was disturbed least."""
        attempts = []
        while len(attempts) < _MAX_ATTEMPTS:
            seed = f"{self._seed} {number} {len(attempts)}"
            attempts.append(self._attempt(system, workload, number, seed))
            if attempts[-1].error or attempts[-1].others_cpu <= self._max_others:
                break
        self.runs.append(min(attempts, key=lambda run: (bool(run.error), run.others_cpu)))

    def _attempt(self, system, workload, number, seed):
        self._wait_until_quiet()
        place = (number, workload.name, system.name, seed)
        try:
            run = results.Run(*place, **self._measure(system, workload, seed))
        except Exception as error:  # pylint: disable=broad-except
            self._note_failure(system, f"at {workload.name}", error)
            return results.Run(*place, prompt_tokens=0, error=str(error))
        print(f"round {number + 1}  {workload.name:<16}{system.name:<20}{run.tok_s:8.1f} tok/s"
              f"  others {run.others_cpu:.0%}", file=sys.stderr)
        return run

    def _wait_until_quiet(self):
        end = time.monotonic() + _PATIENCE_S
        others = 1.0
        while others > self._max_others and time.monotonic() < end:
            watch = self._watch([])
            time.sleep(self._quiet_s)
            others, _ = watch.shares()

    @staticmethod
    def _note_failure(system, when, error):
        print(f"{system.name} failed {when}: {error}", file=sys.stderr)
