"""W14: the same work beside a hundred spaces of a hundred records, and beside a hundred thousand."""

from __future__ import annotations

import random
from argparse import Namespace
from collections.abc import Callable
from typing import Any

from .figures import Runs
from .kit import BenchError, Kit
from .measure import Cell, alternate, measured, say
from .own import pushed, pushing
from .targets import derived, ours_over, start

#: How many spaces each of the two databases has, and how many records each space.
SPACES, RECORDS = {"few": 100, "many": 100_000}, 100

#: How many of them are worked in, spread over all, where they stay as they are; and as many where they grow.
WORKED_IN = 50

#: How many spaces one statement makes.
CHUNK = 2_000


def beside_spaces(kit: Kit, arguments: Namespace, rounds: int, results: Runs) -> None:
    """Pushes, updates, pulls and cycles in spaces that are spread over all that there are, few and many by turns."""
    grown = {}
    try:
        for name, count in SPACES.items():
            grown[name] = Grown(kit, f"syncbench_{name}", count)
            grown[name].fill()
        cells = [
            Cell(f"ours/W14/{doing}/{name}", make(kit, grown[name], arguments))
            for doing, make in WORK.items() for name in grown
        ]
        alternate(kit, cells, rounds, results)
    finally:
        for each in grown.values():
            each.target.stop()
            kit.drop_database(each.target.database)


class Grown:
    """A server over so many spaces. Only one of them is pushed; the others are copies that PostgreSQL makes of it."""

    def __init__(self, kit: Kit, database: str, count: int) -> None:
        self.kit, self.count = kit, count
        self.target = ours_over(kit, database)
        step = count // (2 * WORKED_IN)
        #: Their numbers: the ones are read and updated, in the others records are created.
        self.kept = [number * step for number in range(0, 2 * WORKED_IN, 2)]
        self.growing = [number * step for number in range(1, 2 * WORKED_IN, 2)]
        self.clients: list[str] = []

    def fill(self) -> None:
        """Starts the server, and makes the spaces."""
        kit, target = self.kit, self.target
        start(kit, target)
        say(f"  {self.count:,} spaces of {RECORDS}")
        target.make_space("original")
        kit.bench.push_all(target, "original", kit.records.records(RECORDS, "growth"), RECORDS)
        original, space = target.space("original"), "md5(n::text)::uuid"
        for first in range(0, self.count, CHUNK):
            numbers = f"generate_series({first}, {min(first + CHUNK, self.count) - 1})"
            kit.copy_rows(target.database, "sync.space", original, numbers, {"space_id": space})
            kit.copy_rows(
                target.database, "bench.progress_entry", original, numbers,
                {"space_id": space, "id": "md5(n || '/' || o.seq)::uuid"})
        kit.psql("VACUUM ANALYZE", target.database)
        kit.psql("CHECKPOINT", target.database)
        spaces = [derived(str(number)) for number in self.kept + self.growing]
        self.clients = [target.token_for(f"client {client}", spaces) for client in range(8)]

    def plan(self, arguments: Namespace, work: Callable[[Any, random.Random], None], seed: str) -> Any:
        """What eight clients do, each with a token of its own."""
        plan = self.kit.bench.Plan()
        for client in range(arguments.clients):
            self.target.bearer = self.clients[client]
            plan.client()
            work(plan, random.Random(f"{seed} {client}"))
        self.target.bearer = None
        return plan

    def record(self, source: random.Random, number: int) -> dict[str, Any]:
        """New content for one of a space's records."""
        return self.kit.records.record(source, derived(f"{number}/{source.randint(1, RECORDS)}"))


# ---------------------------------------------------------------- what is done
def push(kit: Kit, grown: Grown, arguments: Namespace) -> Callable[[int], dict[str, Any]]:
    """Each client pushes 100 new records at a time."""
    def run(number: int) -> dict[str, Any]:
        def work(plan: Any, source: random.Random) -> None:
            for _ in range(pushed(arguments, grown.target) // 100):
                records = [kit.records.record(source) for _ in range(100)]
                plan.op(*grown.target.push(source.choice(grown.growing), records))

        return pushing(kit, grown.target, grown.plan(arguments, work, f"{number} push"), arguments)

    return run


def update(kit: Kit, grown: Grown, arguments: Namespace) -> Callable[[int], dict[str, Any]]:
    """Each client updates one record at a time."""
    def run(number: int) -> dict[str, Any]:
        def work(plan: Any, source: random.Random) -> None:
            for _ in range(arguments.w2_plan // arguments.clients):
                space = source.choice(grown.kept)
                plan.op(*grown.target.update(space, [grown.record(source, space)]))

        plan = grown.plan(arguments, work, f"{number} update")

        def body() -> dict[str, Any]:
            run = kit.bench.measured(grown.target, lambda: kit.bench.load(grown.target, plan, arguments.duration))
            return kit.bench.rates(run, run["timed_requests"] - run["errors"])

        return measured(kit, grown.target, body)

    return run


def pull(kit: Kit, grown: Grown, arguments: Namespace) -> Callable[[int], dict[str, Any]]:
    """Each client pulls whole spaces from nothing."""
    def run(number: int) -> dict[str, Any]:
        def work(plan: Any, source: random.Random) -> None:
            for space in source.sample(grown.kept, WORKED_IN):
                plan.op(*grown.target.pull(space, None)[0])

        plan = grown.plan(arguments, work, f"{number} pull")

        def body() -> dict[str, Any]:
            run = kit.bench.measured(grown.target, lambda: kit.bench.load(
                grown.target, plan, arguments.duration, loop=True, needle=grown.target.pull_needle))
            if run["timed_records_seen"] < RECORDS * (run["timed_requests"] - 8):
                raise BenchError(
                    f"{run['timed_requests']} pulls gave {run['timed_records_seen']} records, {RECORDS} are in each.")
            return kit.bench.rates(run, run["timed_records_seen"])

        return measured(kit, grown.target, body)

    return run


def cycle(kit: Kit, grown: Grown, arguments: Namespace) -> Callable[[int], dict[str, Any]]:
    """Each client pulls a space from nothing, pushes ten updates, and as another device pulls what is new."""
    def run(number: int) -> dict[str, Any]:
        def work(plan: Any, source: random.Random) -> None:
            target = grown.target
            for _ in range(arguments.w5_plan):
                space = source.choice(grown.kept)
                plan.op(*target.pull(space, None)[0], timed=0, cap=1)
                records = {record["id"]: record for record in (grown.record(source, space) for _ in range(10))}
                plan.op(*target.update(space, list(records.values())), timed=0)
                plan.op(*target.pull_since(space, "@@CUR@@"), cap=1)

        plan = grown.plan(arguments, work, f"{number} cycle")

        def body() -> dict[str, Any]:
            run = kit.bench.measured(grown.target, lambda: kit.bench.load(
                grown.target, plan, arguments.duration, opts=grown.target.cap_opts))
            run = kit.bench.rates(run, run["timed_requests"])
            run["cycles_per_s"] = run["requests_per_s"]
            return run

        return measured(kit, grown.target, body)

    return run


#: What pulls comes first, and what makes spaces larger last.
WORK = {"pull": pull, "update": update, "cycle": cycle, "push": push}
