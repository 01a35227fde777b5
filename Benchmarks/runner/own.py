"""W6 to W9: what only this server has, beside itself."""

from __future__ import annotations

import json
import random
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from .kit import BenchError, Kit
from .measure import Cell, measured
from .targets import at_version, check

#: FitIQ's oldest, one in the middle, and its newest, which the others are compared with.
VERSIONS = ("0.0.1", "0.0.8", "0.1.1")

#: The records of W8's spaces, how often they are rewritten, and how many a push rewrites.
REWRITTEN, REWRITES, REWRITING = 5_000, 100, 1_000


def one_space(kit: Kit, target: Any, arguments: Namespace) -> Callable[[int], dict[str, Any]]:
    """W6: W1, but all clients push to one space."""
    def run(number: int) -> dict[str, Any]:
        space, plan = f"w6-{arguments.tag}-{number}", kit.bench.Plan()
        target.make_space(space)
        for client in range(arguments.clients):
            pushes(kit, target, plan, space, pushed(arguments, target), f"{space}-{client}")
        return pushing(kit, target, plan, arguments)

    return run


def pushed(arguments: Namespace, target: Any) -> int:
    """How many records a client's plan has, so that it does not run out."""
    total = min(arguments.max_push, int(target.push_guess * arguments.duration * 1.2))
    return total // (arguments.clients * 100) * 100


def pushes(kit: Kit, target: Any, plan: Any, space: str, count: int, seed: str) -> None:
    """A client that pushes new records, 100 at a time."""
    records = kit.records.records(count, seed)
    plan.client()
    for index in range(0, count, 100):
        plan.op(*target.push(space, records[index:index + 100]))


def pushing(kit: Kit, target: Any, plan: Any, arguments: Namespace) -> dict[str, Any]:
    """Runs a plan of pushes of 100."""
    def body() -> dict[str, Any]:
        run = kit.bench.measured(target, lambda: kit.bench.load(target, plan, arguments.duration))
        return kit.bench.rates(run, (run["timed_requests"] - run["errors"]) * 100)

    return measured(kit, target, body)


def pulling(kit: Kit, target: Any, space: str, count: int, arguments: Namespace, clients: int = 1) -> dict[str, Any]:
    """Pulls a whole space from nothing, again and again."""
    plan = kit.bench.Plan()
    for _ in range(clients):
        plan.client()
        first, following = target.pull(space, None)
        plan.op(*first, follow=1, cap=1)
        plan.op(*following, kind="N", cap=1)

    def body() -> dict[str, Any]:
        run = kit.bench.measured(target, lambda: kit.bench.load(
            target, plan, arguments.duration, loop=True, needle=target.pull_needle, opts=target.pull_opts))
        return kit.bench.rates(run, run["timed_records_seen"])

    run = measured(kit, target, body)
    if run["records"] < count:
        raise BenchError(f"A pull of {space} gave {run['records']} of {count} records.")
    return run


# ---------------------------------------------------------------- W7
def age(kit: Kit, original: Any, arguments: Namespace) -> list[Cell]:
    """Pushes and pulls of the same records at three versions of FitIQ, by turns."""
    cells = []
    for version in VERSIONS:
        target = at_version(original, version)
        kit.forget(target.name)
        check(kit, target)

        def push(number: int, target: Any = target) -> dict[str, Any]:
            plan = kit.bench.Plan()
            for client in range(arguments.clients):
                space = f"w7-{arguments.tag}-{number}-{client}"
                target.make_space(space)
                pushes(kit, target, plan, space, pushed(arguments, target) * 3 // 4, f"w7-{client}")
            return pushing(kit, target, plan, arguments)

        def pull(number: int, target: Any = target) -> dict[str, Any]:
            count = arguments.big // 5
            target.cached("w7", lambda: seed(kit, target, "w7", count))
            return pulling(kit, target, "w7", count, arguments)

        cells += [Cell(f"ours/W7/push/{version}", push), Cell(f"ours/W7/pull/{version}", pull)]
    return sorted(cells, key=lambda cell: "pull" in cell.key)


def seed(kit: Kit, target: Any, space: str, count: int) -> list[str]:
    """A space of so many new records; their ids. Every version's has the same records."""
    target.make_space(space)
    records = kit.records.records(count, f"seed {space}")
    kit.bench.push_all(target, space, records, 1_000)
    return [record["id"] for record in records]


# ---------------------------------------------------------------- W8
def history(kit: Kit, target: Any, arguments: Namespace) -> list[Cell]:
    """Pulls of two spaces that were filled alike; then each record of one was rewritten, through pushes."""
    prepared: list[bool] = []

    def prepare() -> None:
        if prepared:
            return
        prepared.append(True)
        seed(kit, target, "w8-fresh", REWRITTEN)
        ids = seed(kit, target, "w8-rewritten", REWRITTEN)
        source = random.Random("w8")
        for _ in range(0, REWRITES, 10):
            plan = kit.bench.Plan()
            # A record is rewritten by one client only, so that its stamps arrive in their order.
            for part in range(0, REWRITTEN, REWRITING):
                plan.client()
                for _ in range(10):
                    records = [kit.records.record(source, id) for id in ids[part:part + REWRITING]]
                    plan.op(*target.update("w8-rewritten", records))
            if kit.bench.load(target, plan)["errors"]:
                raise BenchError("W8's records could not be rewritten, see the server's log.")
        kit.psql("VACUUM ANALYZE", target.database)

    def pull(space: str) -> Callable[[int], dict[str, Any]]:
        def run(_: int) -> dict[str, Any]:
            prepare()
            return pulling(kit, target, space, REWRITTEN, arguments)

        return run

    return [Cell("ours/W8/fresh", pull("w8-fresh")), Cell("ours/W8/rewritten", pull("w8-rewritten"))]


# ---------------------------------------------------------------- W9
def combined(kit: Kit, target: Any, arguments: Namespace) -> Callable[[int], dict[str, Any]]:
    """W9: W5's ten changes, pushed and pulled in one request. It states no device, so that they come back as in W5."""
    def request(space: str, records: list[dict[str, Any]]) -> tuple[str, str]:
        lines = target.head_of("POST", space, "sync", "both").split("\r\n")
        head = "\r\n".join(line for line in lines if not line.startswith("Device-Id"))
        changes = [target.change(record, "update") for record in records]
        body = json.dumps({"changes": changes, "cursor": "@@CUR@@"}, separators=(",", ":"))
        return head + "Content-Type: application/json\r\n", body

    def run(number: int) -> dict[str, Any]:
        plan = kit.bench.Plan()
        for client in range(arguments.clients):
            space = f"w2c{client}"
            ids = target.cached(space, lambda: kit.bench.seed(target, space, target.seed_n))
            source = random.Random(f"w9 {arguments.tag} {number} {client}")
            plan.client()
            plan.op(*target.pull_since(space, target.head(space)), timed=0, cap=1)
            for _ in range(arguments.w5_plan):
                records = [kit.records.record(source, id) for id in source.sample(ids, 10)]
                plan.op(*request(space, records), cap=1)

        def body() -> dict[str, Any]:
            run = kit.bench.measured(target, lambda: kit.bench.load(
                target, plan, arguments.duration, needle='"seq":', opts=target.cap_opts))
            if run["timed_records_seen"] != 10 * run["timed_requests"]:
                run["note"] = f"expected 10 for each, saw {run['timed_records_seen']} in {run['timed_requests']}"
            run = kit.bench.rates(run, run["timed_records_seen"])
            run["cycles_per_s"] = run["requests_per_s"]
            return run

        return measured(kit, target, body)

    return run
