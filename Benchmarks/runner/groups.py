"""What an invocation runs, in which order: groups of cells that are measured by turns."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable
from typing import Any

from . import fairness, growth, large, listeners, memory, migrating, own, signing, targets, wide
from .figures import Runs
from .kit import BenchError, Kit
from .measure import Cell, alternate, at_rate, say, settings, workload

#: The kit's workloads, in the order in which they run: those that pull leave the least behind.
WORKLOADS = ("W1", "W2", "W3", "W3c", "W4", "W5")

#: Small pushes by many clients at once, and the workload that each is.
MANY = {"W2m": "W2", "W5m": "W5"}

#: How many clients they have, and how many requests each needs for a second.
MANY_CLIENTS, MANY_UPDATES, MANY_CYCLES = 64, 400, 120

#: The plain SQL that stands for a workload: limit.c's mode and its connections. W5 has none.
LIMITS = {"W1": ("L1-upsert", 8), "W2": ("L2", 8), "W3": ("L3-page1000", 1), "W3c": ("L3-bin", 8), "W4": ("L4", 8)}

#: The part of saturation at which latency is judged.
SATURATION = 0.8

#: The same where small pushes are compared with the floor's: there client, server and PostgreSQL leave each other room.
HALF, HALVED = 0.5, ("W2", "W5")

#: What part of its pace a run must have kept to count.
PACE_MIN = 0.97


class Groups:
    """One invocation's servers and results."""

    def __init__(self, kit: Kit, tag: str, rounds: int, duration: float, only: Iterable[str]) -> None:
        self.kit, self.rounds, self.only = kit, rounds, set(only)
        self.results: Runs = {}
        self.arguments = settings(duration, tag)
        self.ours: Any = None
        self.floor: Any = None
        self.issuer: signing.Issuer | None = None
        self._limit: Callable[[str, int, float], dict[str, Any]] | None = None

    # ------------------------------------------------------------ servers
    def start(self) -> None:
        """Starts both servers, over empty databases."""
        self.floor = targets.floor(self.kit)
        self.ours = targets.ours(self.kit)
        self.issuer = signing.Issuer(self.kit.state / "run")
        self.ours.serving = ["--identity", str(self.issuer.file)]
        targets.start(self.kit, self.ours)
        targets.check(self.kit, self.ours)

    def stop(self) -> None:
        """Ends what was started."""
        for target in (self.ours, self.floor):
            if target is not None:
                target.ctl("stop")
        if self.issuer is not None:
            self.issuer.stop()

    # ------------------------------------------------------------ groups
    def run(self, limit: bool, kinto: bool) -> None:
        """Everything that was chosen."""
        limit = limit and self._prepare_limit()
        for name in WORKLOADS:
            cells = self._workload(name, limit)
            if cells:
                say(f"{name}: {len(cells)} by turns, {self.rounds} rounds")
                alternate(self.kit, cells, self.rounds, self.results)
        for name in filter(self._wants, MANY):
            self._group(f"{name}: {MANY[name]} by {MANY_CLIENTS} clients", self._many(name))
        if kinto:
            self._kinto()
        if self._wants("W7"):
            self._group("W7: FitIQ at three versions", own.age(self.kit, self.ours, self._shorter()))
        if self._wants("W8"):
            self._group("W8: rewritten records", own.history(self.kit, self.ours, self._shorter()))
        if self._wants("W10"):
            self._listeners()
        if self._wants("W12"):
            self._group("W12: beside somebody who pushes as fast as it can",
                        fairness.cells(self.kit, self.ours, self.arguments))
        if self._wants("W13"):
            self._group("W13: tokens of an identity provider, and metrics",
                        signing.cells(self.kit, self.ours, self.issuer, self._shorter()))
        if self._wants("p99"):
            self._latency()
        if self._wants("memory"):
            say("Memory and the size of a space")
            memory.under_load(self.results)
            memory.of_spaces(self.kit, self.ours, self._shorter(), self.rounds, self.results)
        if self._wants("W14"):
            say("W14: few spaces and many")
            growth.beside_spaces(self.kit, self._shorter(), self.rounds, self.results)
        if self._wants("W15"):
            say("W15: a space of a million records")
            large.beside_a_small_space(self.kit, self._shorter(), self.rounds, self.results)
        if self._wants("W16"):
            say("W16: an app of 200 entities and 50 versions")
            wide.beside_one_entity(self.kit, self._shorter(), self.rounds, self.results)
        if self._wants("W11"):
            say("W11: a backfill beside traffic")
            migrating.beside_traffic(self.kit, self.arguments, self.rounds, self.results)

    def _wants(self, name: str) -> bool:
        return name in self.only

    def _shorter(self) -> Namespace:
        """For what has many cells and little noise."""
        return Namespace(**{**vars(self.arguments), "duration": self.arguments.duration * 2 / 3})

    def _group(self, title: str, cells: list[Cell]) -> None:
        say(title)
        alternate(self.kit, cells, self.rounds, self.results)

    def _workload(self, name: str, limit: bool) -> list[Cell]:
        """A workload of the kit by the floor and by us; what is compared with it comes in the same rounds."""
        kit, arguments, cells = self.kit, self.arguments, []
        followers = {"W1": ("W6", own.one_space), "W5": ("W9", own.combined)}
        follower, make = followers.get(name, ("", None))
        if self._wants(name):
            cells.append(Cell(f"floor/{name}", workload(kit, self.floor, name, arguments)))
        if self._wants(name) or self._wants(follower):
            cells.append(Cell(f"ours/{name}", workload(kit, self.ours, name, arguments)))
        if make and self._wants(follower):
            cells.append(Cell(f"ours/{follower}", make(kit, self.ours, arguments)))
        if self._wants(name) and limit and name in LIMITS:
            cells.append(Cell(f"limit/{name}", self._limited(*LIMITS[name]), every=2))
        return cells

    def _many(self, name: str) -> list[Cell]:
        duration = self.arguments.duration
        many = Namespace(**{
            **vars(self.arguments), "clients": MANY_CLIENTS, "w2_plan": max(100, int(MANY_UPDATES * duration)),
            "w5_plan": max(50, int(MANY_CYCLES * duration))})
        return [
            Cell(f"{who}/{name}", workload(self.kit, target, MANY[name], many))
            for who, target in (("floor", self.floor), ("ours", self.ours))
        ]

    # ------------------------------------------------------------ the limit
    def _prepare_limit(self) -> bool:
        """Takes limit.py's measure of one mode; the file itself only has a command line."""
        path = self.kit.folder / "limit" / "limit.py"
        spec = importlib.util.spec_from_file_location("limit", path)
        if spec is None or spec.loader is None or not any(self._wants(name) for name in LIMITS):
            return False
        self.kit.drop_database("limitdb")
        self.kit.psql("CREATE DATABASE limitdb")
        module = importlib.util.module_from_spec(spec)
        words, sys.argv = sys.argv, [str(path), "--modes", "none"]
        try:
            spec.loader.exec_module(module)
        finally:
            sys.argv = words
        self._limit = module.one
        return True

    def _limited(self, mode: str, connections: int) -> Callable[[int], dict[str, Any]]:
        def run(_: int) -> dict[str, Any]:
            assert self._limit is not None
            if not mode.startswith(("L1", "L2")):
                # Those begin with new tables by themselves; the others would read what those left.
                subprocess.run([str(self.kit.state / "limit"), "init", "1", "1"], check=True)
            result = self._limit(mode, connections, max(1, round(self.arguments.duration)))
            return {**result, "rate": result["rows_per_s"]}

        return run

    # ------------------------------------------------------------ the peer
    def _kinto(self) -> None:
        names = [name for name in ("W1", "W3", "W4") if self._wants(name)]
        if not names:
            return
        say("Kinto")
        try:
            target = targets.kinto(self.kit)
        except BenchError as reason:
            say(f"  Skipped: {reason}")
            return
        try:
            for name in names:
                # Once: it is compared by the hundred, and ours beside it was measured in this invocation.
                alternate(self.kit, [Cell(f"kinto/{name}", workload(self.kit, target, name, self.arguments))], 1,
                          self.results)
        finally:
            target.ctl("stop")

    # ------------------------------------------------------------ latency
    def _latency(self) -> None:
        say(f"Latency at {SATURATION:.0%} and {HALF:.0%} of each one's own saturation")
        for name in [name for name in WORKLOADS if self._wants(name)] or WORKLOADS:
            cells = []
            for who, target in (("floor", self.floor), ("ours", self.ours)):
                closed = f"{who}/{name}"
                if closed not in self.results:
                    alternate(self.kit, [Cell(closed, workload(self.kit, target, name, self.arguments))], 1,
                              self.results)
                paced = self._paced(target, name, self.results[closed], SATURATION)
                # No target is about the floor's: it says what the machine does to anybody's.
                cells.append(Cell(f"{closed}/paced", paced, every=2 if who == "floor" else 1))
                if name in HALVED:
                    cells.append(Cell(f"{closed}/half", self._paced(target, name, self.results[closed], HALF)))
            alternate(self.kit, cells, self.rounds, self.results)

    def _paced(
        self, target: Any, name: str, closed: list[dict[str, Any]], part: float
    ) -> Callable[[int], dict[str, Any]]:
        rates = sorted(run["all_per_s"] for run in closed)
        rate = rates[len(rates) // 2] * part
        body = workload(self.kit, target, name, self._shorter())

        def run(number: int) -> dict[str, Any]:
            with at_rate(self.kit, rate):
                result = body(number)
            if result["all_per_s"] > PACE_MIN * rate:
                return {**result, "steady_p50": result["p50"], "steady_p99": result["p99"],
                        "steady_ratio": result["p99_to_p50"]}
            # All waited for what came before them, so that p99 and p50 are alike: no figure of ours.
            return {**result, "note": f"fell behind: {result['all_per_s']:,.0f} of {rate:,.0f} requests/s"}

        return run

    # ------------------------------------------------------------ listeners
    def _listeners(self) -> None:
        say("W10: listeners")
        self.ours.make_space("idle")
        if not targets.answers_events(self.ours, "idle"):
            say("  Skipped: this server has no GET …/events.")
            return
        alternate(self.kit, listeners.cells(self.kit, self.ours, self._shorter()), self.rounds, self.results)
        run = listeners.idle(self.kit, self.ours)
        say(f"  {listeners.IDLE:,} idle listeners: {run['without']:.0f} MB without, {run['with'] or 0:.0f} MB with them"
            + (f" ({run['note']})" if run.get("note") else ""))
        self.results["ours/idle"] = [run]
