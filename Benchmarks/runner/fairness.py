"""W12: what one subject that pushes as fast as it can does to another's requests."""

from __future__ import annotations

import random
import time
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from .kit import Kit
from .measure import Cell, measured

#: The connections of the one that pushes, and how large its pushes are.
GREEDY, PUSHED = 16, 100

#: How long it pushes before the other begins, and after it has ended.
AHEAD_S = 0.5


def cells(kit: Kit, target: Any, arguments: Namespace) -> list[Cell]:
    """One subject's small updates, alone and beside another's pushes, by turns: its latency is what counts."""
    return [
        Cell(f"ours/W12/{name}", _updating(kit, target, arguments, beside))
        for name, beside in (("alone", False), ("beside", True))
    ]


def _updating(kit: Kit, target: Any, arguments: Namespace, beside: bool) -> Callable[[int], dict[str, Any]]:
    def run(number: int) -> dict[str, Any]:
        ids = target.cached("w12", lambda: kit.bench.seed(target, "w12", target.seed_n))
        source = random.Random(f"w12 {arguments.tag} {number} {beside}")
        patient = kit.bench.Plan()
        patient.client()
        for _ in range(arguments.w2_plan):
            patient.op(*target.update("w12", [kit.records.record(source, source.choice(ids))]))
        if not beside:
            return _measured(kit, target, lambda: kit.bench.load(target, patient, arguments.duration))
        greedy = kit.bench.Plan()
        space = f"w12-{arguments.tag}-{number}"
        target.make_space(space)
        for client in range(GREEDY):
            records = kit.records.records(int(arguments.duration * 12_000 / PUSHED) * PUSHED, f"{space}-{client}")
            greedy.client()
            for index in range(0, len(records), PUSHED):
                greedy.op(*target.push(space, records[index:index + PUSHED]))

        def load() -> dict[str, Any]:
            # It begins first and goes on for longer.
            with kit.loaded(target, greedy, arguments.duration + 2 * AHEAD_S):
                time.sleep(AHEAD_S)
                return kit.bench.load(target, patient, arguments.duration)

        # The load beside is no other's that would disturb the run.
        return {**_measured(kit, target, load), "disturbed": False}

    return run


def _measured(kit: Kit, target: Any, load: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    def body() -> dict[str, Any]:
        result = kit.bench.measured(target, load)
        return kit.bench.rates(result, result["timed_requests"] - result["errors"])

    return measured(kit, target, body)
