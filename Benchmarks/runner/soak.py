"""The soak: traffic at half of saturation with faults, a line a minute, and a verdict on what grows."""

from __future__ import annotations

import json
import os
import random
import statistics
import threading
import time
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .kit import Kit
from .measure import OTHER_LOAD_MAX, resident, say, settings, wait_until
from .table import number
from .targets import kill, ours, start

#: The part of saturation at which it runs.
LOAD = 0.5

#: A minute: traffic that is sampled, and then traffic with a fault in it.
SAMPLED_S, FAULTED_S = 42, 12

#: How much the last quarter may lie above the one before it, as a part of that, before something is said to grow. Of
#: latency, which differs between minutes anyway, more. Tables breathe with vacuum.
GROWTH_MAX = {"rss_mb": 0.05, "p50_ms": 0.25, "p99_ms": 0.5, "connections": 0.25, "tables_mb": 0.1, "indexes_mb": 0.1}


@dataclass(frozen=True)
class Minute:
    """What was sampled in one minute."""

    number: int
    rss_mb: float
    p50_ms: float
    p99_ms: float
    requests_per_s: float
    errors: int
    connections: int
    tables_mb: float
    indexes_mb: float
    dead: int
    #: Processors that others used, while it was sampled.
    other_load: float
    #: What was done to it, and how long it took until a request was answered again.
    fault: str

    def line(self) -> str:
        """For people, within 100 columns."""
        return (
            f"{self.number:>3} {self.rss_mb:>6.0f} {number(self.p50_ms):>6} {number(self.p99_ms):>6} "
            f"{self.requests_per_s:>7,.0f} {self.errors:>6} {self.connections:>5} {self.tables_mb:>6.1f} "
            f"{self.indexes_mb:>7.1f} {self.dead:>8,} {self.other_load:>5.1f}  {self.fault}")

    @property
    def disturbed(self) -> bool:
        """Whether latency says more about others than about the server."""
        return self.other_load > OTHER_LOAD_MAX


#: Fewer have no quarters to compare.
MINUTES_MIN = 8

HEADING = "MIN RSS MB    P50    P99   REQ/S ERRORS SESS. TABLES INDEXES     DEAD OTHER  FAULT"

#: What others' load moves.
LATENCIES = ("p50_ms", "p99_ms")


def compared(minutes: Sequence[Minute]) -> tuple[Sequence[Minute], Sequence[Minute]]:
    """The third quarter of the soak and the last."""
    quarter = len(minutes) // 4
    end = len(minutes)
    return minutes[end - 2 * quarter:end - quarter], minutes[end - quarter:]


def growing(minutes: Sequence[Minute]) -> list[str]:
    """What is higher in the last quarter of the soak than in the one before: a sentence each. Pure.

    Only the second half counts: caches fill first, and its process is one and the same. Latency is compared in minutes
    that were not disturbed.
    """
    quarters = compared(minutes)
    found = []
    for name, most in GROWTH_MAX.items():
        counted = [[minute for minute in part if name not in LATENCIES or not minute.disturbed]
                   for part in quarters]
        if not all(counted):
            continue
        before, now = (statistics.median(getattr(minute, name) for minute in part) for part in counted)
        if now > before * (1 + most):
            found.append(f"{name} grew from {before:.1f} to {now:.1f}")
    return found


class Soak:
    """A server under steady traffic: each client pushes 10 updates and pulls since, pushes one, and polls."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self.target = ours(kit, database="syncbench_soak", name="syncserver-soak")
        self.arguments: Namespace = settings(1, "soak")

    def prepare(self) -> None:
        """Starts the server, and fills its spaces."""
        start(self.kit, self.target)
        for client in range(self.arguments.clients):
            space = f"w2c{client}"
            self.target.cached(space, lambda: self.kit.bench.seed(self.target, space, self.target.seed_n))

    def plan(self) -> Any:
        """A few thousand requests, which are repeated: without stamps each repetition is an edit of its own."""
        kit, target, plan = self.kit, self.target, self.kit.bench.Plan()
        source = random.Random("soak")
        for client in range(self.arguments.clients):
            space = f"w2c{client}"
            ids = target.cached(space, lambda: [])
            plan.client()
            plan.op(*target.pull_since(space, target.head(space)), timed=0, cap=1)
            for _ in range(250):
                for count in (10, 1):
                    records = [kit.records.record(source, id) for id in source.sample(ids, count)]
                    head, body = target.update(space, records)
                    plan.op(head, _without_stamps(body))
                    plan.op(*target.pull_since(space, "@@CUR@@"), cap=1)
        return plan

    def traffic(self, seconds: float, rate: float | None) -> dict[str, Any]:
        """Traffic for a while: at so many requests a second, or as fast as it goes."""
        options = {"duration": seconds, "loop": True, "opts": self.target.cap_opts}
        if rate is None:
            return self.kit.bench.load(self.target, self.plan(), **options)
        return self.kit.generate(self.target, self.plan(), "paced", {"PACED_RATE": str(rate)}, **options)[0]

    # ------------------------------------------------------------ faults
    def kill_and_restart(self) -> str:
        """Ends the server as a crash does, and starts it again."""
        kill(self.target)
        began = time.time()
        self.target.start()
        return f"killed, back in {time.time() - began:.1f} s"

    def end_sessions(self) -> str:
        """Ends every session that the server has with PostgreSQL."""
        ended = self.kit.psql(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            f"WHERE datname = '{self.target.database}' AND pid <> pg_backend_pid()")
        began = time.time()
        wait_until(self._answers, "The server does not answer after its sessions were ended")
        return f"{ended} ended, back in {time.time() - began:.1f} s"

    def _answers(self) -> bool:
        try:
            self.target.head("w2c0")
            return True
        except OSError:
            return False

    # ------------------------------------------------------------ a minute
    def minute(self, index: int, rate: float, fault: Callable[[], str]) -> Minute:
        """Steady traffic, then a fault in the middle of traffic."""
        before = self._other_seconds()
        calm = self.traffic(SAMPLED_S, rate)
        other = max(0.0, self._other_seconds() - before) / SAMPLED_S
        sample = self._sample()
        rss = resident(self.target.pids()[0])
        told: list[str] = []
        rough = _meanwhile(lambda: told.append(fault()), lambda: self.traffic(FAULTED_S, rate))
        return Minute(
            number=index, rss_mb=rss, p50_ms=calm["ms"]["p50"], p99_ms=calm["ms"]["p99"],
            requests_per_s=calm["requests"] / calm["wall_s"], errors=calm["errors"] + rough["errors"],
            other_load=other, fault=told[0] if told else "the fault could not be made", **sample)

    def _other_seconds(self) -> float:
        """The processors' time that neither the server, PostgreSQL nor this process and its children have used."""
        bench = self.kit.bench
        busy, _ = bench.machine_busy()
        return busy - bench.cpu(self.target.pids()) - bench.cpu(bench.pg_pid()) - sum(os.times()[:4])

    def _sample(self) -> dict[str, Any]:
        counts = self.kit.psql(
            "SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
            "AND pid <> pg_backend_pid() AND backend_type = 'client backend'), sum(pg_table_size(relid)) / 1048576.0, "
            "sum(pg_indexes_size(relid)) / 1048576.0, sum(n_dead_tup) FROM pg_stat_user_tables", self.target.database)
        connections, tables, indexes, dead = counts.split("|")
        return {
            "connections": int(connections), "tables_mb": float(tables), "indexes_mb": float(indexes),
            "dead": int(dead),
        }


def _without_stamps(body: str) -> str:
    """The same push, to be stamped by the server when it comes."""
    changes = json.loads(body)["changes"]
    for change in changes:
        del change["stamp"]
    return json.dumps({"changes": changes}, separators=(",", ":"))


def soak(kit: Kit, minutes: float) -> int:
    """Runs the soak, and says what grew; the exit code."""
    run = Soak(kit)
    taken: list[Minute] = []
    try:
        run.prepare()
        full = run.traffic(10, None)
        rate = full["requests"] / full["wall_s"] * LOAD
        say(f"Half of saturation is {rate:,.0f} requests/s.")
        print(HEADING, flush=True)
        count = max(1, round(minutes))
        for index in range(1, count + 1):
            # The second half's memory is that of one process.
            killing = index % 3 == 0 and index <= count // 2
            taken.append(run.minute(index, rate, run.kill_and_restart if killing else run.end_sessions))
            print(taken[-1].line(), flush=True)
    finally:
        run.target.stop()
        kit.drop_database(run.target.database)
    found = growing(taken)
    if len(taken) < MINUTES_MIN:
        print(f"Too short for a verdict on what grows: that takes {MINUTES_MIN} minutes.")
        return 0
    disturbed = sum(minute.disturbed for part in compared(taken) for minute in part)
    print("\n".join(found) if found else "Nothing grew: memory, latency, sessions, tables, indexes.")
    if disturbed:
        print(f"In {disturbed} of the minutes that are compared others used the processors: their latency was left out.")
    return 1 if found else 0


def _meanwhile(aside: Callable[[], None], body: Callable[[], Any]) -> Any:
    """Runs something in a thread a third into the body's time."""
    timer = threading.Timer(FAULTED_S / 3, aside)
    timer.start()
    try:
        return body()
    finally:
        timer.join()
