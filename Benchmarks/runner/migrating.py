"""W11: a backfill of a filled table beside traffic like W5's, on a server and a database of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from argparse import Namespace
from pathlib import Path
from typing import Any

from .figures import Runs
from .kit import BENCHMARKS, BenchError, Kit
from .measure import Cell, alternate, workload
from .targets import ours, start

#: What is in the table beside what the traffic changes, so that a backfill lasts for longer than a run.
SPACES, RECORDS = 8, 20_000

TEMPLATE = BENCHMARKS / "Migrations-next" / "add-shade.sql"


def migrations(kit: Kit, count: int) -> Path:
    """The benchmark's migrations, and so many files more: the same backfill of a column of its own each time."""
    folder = kit.state / "migrations-next"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(BENCHMARKS / "Migrations", folder)
    first = len(list((folder / "bench").glob("*.sql"))) + 1
    for number in range(first, first + count):
        text = TEMPLATE.read_text().replace("shade", f"shade_{number}")
        (folder / "bench" / f"{number:04}-add-shade-{number}.sql").write_text(text)
    return folder


def beside_traffic(kit: Kit, arguments: Namespace, rounds: int, results: Runs) -> None:
    """Traffic without a migration and with one, by turns."""
    rounds = min(rounds, 3)
    target = ours(kit, database="syncbench_next", name="syncserver-next")
    folder = migrations(kit, rounds)
    first = len(list((BENCHMARKS / "Migrations" / "bench").glob("*.sql"))) + 1
    start(kit, target)
    try:
        for index in range(SPACES):
            space = f"w11-{index}"
            target.make_space(space)
            kit.bench.push_all(target, space, kit.records.records(RECORDS, space), 2_000)
        traffic = workload(kit, target, "W5", arguments)
        done: list[int] = []

        def during(number: int) -> dict[str, Any]:
            if len(done) == rounds:
                raise BenchError("W11 was disturbed too often, and has no migration left to run.")
            done.append(first + len(done))
            return _migrating(kit, target, folder, done[-1], lambda: traffic(number))

        # A migration runs once, so a run that is disturbed counts as it is.
        was_noisy, kit.noisy = kit.noisy, True
        try:
            alternate(kit, [Cell("ours/W11/before", traffic), Cell("ours/W11/during", during)], rounds, results)
        finally:
            kit.noisy = was_noisy
    finally:
        target.stop()
        kit.drop_database(target.database)


def _migrating(kit: Kit, target: Any, folder: Path, number: int, traffic: Any) -> dict[str, Any]:
    """Traffic from the moment that a migration starts; if that ends before the traffic does, the note says when."""
    command = [
        os.environ["BENCH_SERVER"], "migrate", "up", "--to", f"bench/{number}", "--migrations", str(folder),
        "--database", target.url]
    log = kit.state / "logs" / "migrate.log"
    marks: list[float] = []
    original = kit.bench.load

    def load(*words: Any, **named: Any) -> Any:
        with open(log, "w") as output:
            migration = subprocess.Popen(command, stdout=output, stderr=output)
        began = time.time()
        result = original(*words, **named)
        ended = time.time()
        still = migration.poll() is None
        if migration.wait() != 0:
            raise BenchError(f"The migration failed, see {log}")
        marks.append(1.0 if still else min(1.0, _lasted(kit, target, number) / (ended - began)))
        return result

    kit.bench.load = load
    try:
        run = traffic()
    finally:
        kit.bench.load = original
    if marks[0] < 1:
        run["note"] = f"the migration was through after {marks[0]:.0%} of the run"
    return run


def _lasted(kit: Kit, target: Any, number: int) -> float:
    """How long the steps of a file took, in seconds, by the ledger."""
    return float(kit.psql(
        f"SELECT sum(duration_ms) / 1000.0 FROM sync.migration_step WHERE line = 'bench' AND number = {number}",
        target.database))
