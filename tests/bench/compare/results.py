"""What was measured, and the table of it."""

import dataclasses
import statistics


@dataclasses.dataclass(frozen=True)
class Run:
    """One workload on one system in one round."""

    round: int
    workload: str
    system: str
    seed: str
    prompt_tokens: int
    output_tokens: int = 0
    cached_tokens: int | None = None  # Of the prompts; None where the system does not say.
    wall_s: float = 0.0
    tok_s: float = 0.0  # Of the prompts, where nothing else is asked for; else of the answers.
    others_cpu: float = 0.0  # Share of the machine's cores that other processes took.
    stolen_cpu: float = 0.0  # Share of them that the host took.
    error: str = ""  # Where it is not empty, there are no figures.


@dataclasses.dataclass(frozen=True)
class Spread:
    median: float
    least: float
    most: float

    @staticmethod
    def of(values):
        values = list(values)
        return Spread(statistics.median(values), min(values), max(values)) if values else None

    def text(self, decimals):
        if self.least == self.most:
            return f"{self.median:.{decimals}f}"
        return f"{self.median:.{decimals}f} ({self.least:.{decimals}f}..{self.most:.{decimals}f})"


@dataclasses.dataclass(frozen=True)
class Row:
    """A workload's line: speeds by system, and the first system against the best peer."""

    workload: str
    speeds: dict
    best_peer: str | None
    ratio: Spread | None  # Of the rounds in which both ran.
    cached_tokens: int | None  # That the first system found, in all rounds.


def _speeds(runs, workload, system):
    """Tokens a second by round."""
    return {run.round: run.tok_s for run in runs
            if (run.workload, run.system) == (workload, system) and not run.error}


def make_row(runs, workload, subject, peers, extras=()):
    by_round = {name: _speeds(runs, workload, name) for name in (subject, *peers, *extras)}
    speeds = {name: Spread.of(rounds.values()) for name, rounds in by_round.items()}
    present = [peer for peer in peers if speeds[peer]]
    best = max(present, key=lambda peer: speeds[peer].median, default=None)
    ratio = None
    if best:
        ratio = Spread.of(speed / by_round[best][n] for n, speed in by_round[subject].items()
                          if n in by_round[best])
    cached = [run.cached_tokens for run in runs
              if (run.workload, run.system) == (workload, subject) and not run.error]
    return Row(workload, speeds, best, ratio, sum(c or 0 for c in cached) if cached else None)


def make_rows(runs, workloads, subject, peers, extras=()):
    return [make_row(runs, workload, subject, peers, extras) for workload in workloads]


def _cells(row, systems):
    speeds = [spread.text(0) if (spread := row.speeds[name]) else "-" for name in systems]
    ratio = f"{row.ratio.text(2)} {row.best_peer}" if row.ratio else "-"
    cached = "-" if row.cached_tokens is None else f"{row.cached_tokens:,}"
    return [row.workload, *speeds, ratio, cached]


def table(rows, subject, peers, extras=()):
    """The rows as a table in Markdown: median (least..most) over rounds."""
    systems = [subject, *peers, *extras]
    lines = [["workload", *systems, f"{subject} / best peer", "cached tokens"],
             *[_cells(row, systems) for row in rows]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join("| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths))
                     + " |" for line in lines)
