"""Cells and rounds: what is measured runs by turns, and is repeated where other load disturbed it."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .figures import Runs
from .kit import BenchError, Kit

#: How often a run is repeated because of other load.
REPEATS_MAX = 2

#: Other load beyond this part of a core disturbs a run: the kit's own measure.
OTHER_LOAD_MAX = 0.15

#: Runs have numbers of their own in an invocation: each makes spaces that are named by it.
_numbers: Iterator[int] = iter(range(1, 1_000_000))


@dataclass(frozen=True)
class Cell:
    """One thing that is measured, again and again."""

    key: str
    run: Callable[[int], dict[str, Any]]
    #: In which rounds: every one, every second, …
    every: int = 1


_began = time.monotonic()


def say(text: str) -> None:
    """Progress, on standard error, with the minutes and seconds since the start."""
    seconds = int(time.monotonic() - _began)
    print(f"{seconds // 60:>2}:{seconds % 60:02} {text}", file=sys.stderr, flush=True)


def alternate(kit: Kit, cells: list[Cell], rounds: int, results: Runs) -> None:
    """Runs the cells by turns, round after round, and adds what each run gave to the results."""
    for round in range(1, rounds + 1):
        for cell in cells:
            if (round - 1) % cell.every:
                continue
            for attempt in range(REPEATS_MAX + 1):
                run = cell.run(next(_numbers))
                run.setdefault("disturbed", run["other_cpu_s"] / run["span_s"] > OTHER_LOAD_MAX)
                say(f"  {round}/{rounds} {progress(cell.key, run)}")
                if kit.noisy or not run["disturbed"] or attempt == REPEATS_MAX:
                    break
            results.setdefault(cell.key, []).append(run)


def progress(key: str, run: dict[str, Any]) -> str:
    """A run in a line."""
    parts = [f"{key + ('~' if run['disturbed'] else ''):<22}", f"{run['rate']:>11,.0f}/s"]
    if "p99" in run:
        parts.append(f"p50 {run['p50']:.2f} p99 {run['p99']:.2f} ms")
    if "peak" in run:
        parts.append(f"{run['peak']:.0f} MB")
    if run.get("errors"):
        parts.append(f"{run['errors']} ERRORS")
    if run.get("note"):
        parts.append(f"({run['note']})")
    return "  ".join(parts)


def settings(duration: float, tag: str, big: int = 50_000) -> Namespace:
    """The arguments that the kit's workloads take."""
    return Namespace(
        push=0, clients=8, duration=duration, tag=tag, big=big, max_push=600_000,
        w2_plan=max(500, int(2_500 * duration)), w5_plan=max(100, int(800 * duration)))


def measured(kit: Kit, target: Any, body: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The kit's accounting around a run, and what the table asks for: `rate`, `p50`, `p99`, `peak` (MB)."""
    pids, _ = kit.bench.tree(target.pids())
    for pid in pids:
        forget_peak(pid)
    run = body()
    run["peak"] = sum(peak(pid) for pid in kit.bench.tree(target.pids())[0])
    return finished(run)


def finished(run: dict[str, Any]) -> dict[str, Any]:
    """A run of the kit with the fields that rows name."""
    records = run.get("records")
    run["rate"] = run.get("cycles_per_s") or (run["records_per_s"] if records else run["requests_per_s"])
    run["p50"], run["p99"] = run["ms"]["p50"], run["ms"]["p99"]
    run["p99_to_p50"] = round(run["p99"] / run["p50"], 3) if run["p50"] else None
    run["all_per_s"] = run["requests"] / run["wall_s"]
    return run


def workload(kit: Kit, target: Any, name: str, arguments: Namespace) -> Callable[[int], dict[str, Any]]:
    """One of the kit's workloads against a target."""
    def run(number: int) -> dict[str, Any]:
        chosen = Namespace(**{**vars(arguments), "big": target.big or arguments.big})
        target.begin_run()
        result = measured(kit, target, lambda: kit.bench.W[name](target, chosen, number))
        if name == "W1":
            # The kit renders half as much again as its guess. What nobody can push in time need not be rendered.
            target.push_guess = min(target.push_guess, result["rate"] * 0.9)
        return result

    return run


@contextmanager
def at_rate(kit: Kit, requests_per_s: float) -> Iterator[None]:
    """Within it the kit's workloads are paced, not as fast as they can be."""
    def load(target: Any, plan: Any, duration: float = 0, **options: Any) -> Any:
        return kit.generate(target, plan, "paced", {"PACED_RATE": str(requests_per_s)}, duration=duration, **options)[0]

    original = kit.bench.load
    kit.bench.load = load
    try:
        yield
    finally:
        kit.bench.load = original


# ---------------------------------------------------------------- memory, from /proc
def forget_peak(pid: int) -> None:
    """Lets a process's peak begin anew."""
    try:
        with open(f"/proc/{pid}/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        pass


def _status(pid: int, field: str) -> float:
    try:
        for line in open(f"/proc/{pid}/status"):
            if line.startswith(field + ":"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0


def peak(pid: int) -> float:
    """The most memory that was resident since `forget_peak`, in MB."""
    return _status(pid, "VmHWM")


def resident(pid: int) -> float:
    """The memory that is resident now, in MB."""
    return _status(pid, "VmRSS")


def wait_until(condition: Callable[[], bool], what: str, seconds: float = 30) -> None:
    """Waits, but not for ever."""
    end = time.time() + seconds
    while not condition():
        if time.time() > end:
            raise BenchError(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.05)
