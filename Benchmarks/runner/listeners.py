"""W10: pushes while a thousand devices listen on `GET …/events`, and the memory of ten thousand that only wait."""

from __future__ import annotations

import json
import os
import random
import subprocess
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .kit import BenchError, Kit
from .measure import Cell, finished, resident
from .own import pushed, pushes

#: How many listen to the spaces that are written, and how many to others.
LISTENING, IDLE = 1_000, 10_000
#: How many of those that only wait listen to one space: the most that one subject may, and each space has its own.
IDLE_TO_ONE = 1_000


def cells(kit: Kit, target: Any, arguments: Namespace) -> list[Cell]:
    """Pushes of W1's and of W2's kind, with listeners and without, by turns."""
    return [
        Cell(f"ours/W10/{kind}/{name}", _pushing(kit, target, arguments, kind, count))
        for kind in ("many", "one") for name, count in (("without", 0), ("with", LISTENING))
    ]


def _pushing(
    kit: Kit, target: Any, arguments: Namespace, kind: str, listening: int
) -> Callable[[int], dict[str, Any]]:
    def run(number: int) -> dict[str, Any]:
        plan, spaces = kit.bench.Plan(), []
        for client in range(arguments.clients):
            if kind == "many":
                spaces.append(f"w10-{arguments.tag}-{number}-{client}")
                target.make_space(spaces[-1])
                pushes(kit, target, plan, spaces[-1], pushed(arguments, target), f"w10-{client}")
            else:
                spaces.append(f"w2c{client}")
                ids = target.cached(spaces[-1], lambda: kit.bench.seed(target, spaces[-1], target.seed_n))
                source = random.Random(f"w10 {arguments.tag} {number} {client}")
                plan.client()
                for _ in range(arguments.w2_plan):
                    plan.op(*target.update(spaces[-1], [kit.records.record(source, source.choice(ids))]))
        file = _heads(kit, target, {space: listening // len(spaces) for space in spaces if listening})

        def body() -> dict[str, Any]:
            lines = kit.generate(
                target, plan, "events", {"EVENTS_FILE": str(file)}, duration=arguments.duration)
            reached, load, told = lines
            if reached["refused"]:
                load["note"] = f"{reached['refused']} of {listening} listeners refused, status {reached['status']}"
            elif told["missing"]:
                load["note"] = f"{told['missing']} of {told['missing'] + told['delays']} events missing"
            load |= {"events_per_s": told["events_per_s"]} if listening else {}
            if told["delays"]:
                load |= {"delay_p50": told["delay_ms"]["p50"], "delay_p99": told["delay_ms"]["p99"]}
            return load

        result = kit.bench.measured(target, body)
        records = (result["timed_requests"] - result["errors"]) * (100 if kind == "many" else 1)
        return finished(kit.bench.rates(result, records))

    return run


def _heads(kit: Kit, target: Any, listening: dict[str, int]) -> Path:
    """What load/events.c connects: so many listeners for each space."""
    file = kit.state / "run" / "listeners.txt"
    with open(file, "w") as text:
        for space, count in listening.items():
            head = target.head_of("GET", space, "events", "listener") + "Accept: text/event-stream\r\n\r\n"
            text.write(f"LISTEN {count} {len(head)}\n{head}\n")
    return file


def idle(kit: Kit, target: Any) -> dict[str, Any]:
    """The memory of a server that has just started, and the same with listeners that are told nothing."""
    target.stop()
    target.start()
    spaces = [f"idle-{number}" for number in range(IDLE // IDLE_TO_ONE)]
    for space in ["idle", *spaces]:
        target.make_space(space)
    # What the first request costs is no listener's.
    target.head("idle")
    before = resident(target.pids()[0])
    file = _heads(kit, target, {space: IDLE_TO_ONE for space in spaces})
    holding = subprocess.Popen(
        [str(kit.state / "events"), "--port", str(target.port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "EVENTS_FILE": str(file), "EVENTS_HOLD": "1"})
    try:
        line = holding.stdout.readline() if holding.stdout else b""
        if not line:
            raise BenchError("The listeners do not start.")
        reached = json.loads(line)
        time.sleep(2)
        after = resident(target.pids()[0])
    finally:
        holding.communicate()
    run = {"without": before, "with": after, "rate": reached["listening"], "disturbed": False}
    if reached["refused"]:
        run |= {"with": None, "note": f"{reached['refused']} of {IDLE} refused, status {reached['status']}"}
    return run
