"""W16: an app of 200 entities and 50 versions, beside one of a single entity and version, in one server."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .figures import Runs
from .kit import BENCHMARKS, BenchError, Kit
from .measure import Cell, alternate, peak, say, workload
from .own import pulling
from .targets import ours, speaking

#: The app's first version and its last.
VERSIONS, ENTITIES = ("1.0.0", "1.49.0"), 200

#: The records of the spaces that are pulled.
RECORDS = 20_000


def beside_one_entity(kit: Kit, arguments: Namespace, rounds: int, results: Runs) -> None:
    """Pushes, pulls and cycles in the large app's first and last version, and in the small app, by turns."""
    with migrations() as folder:
        original = ours(kit, "syncbench_wide", "syncbench_wide")
        original.serving = ["--migrations", str(folder)]
        try:
            migrate(kit, original, folder)
            original.start()
            results["ours/W16/start"] = [restarted(original) for _ in range(rounds)]
            targets = {"one": original, **{version: at(original, version) for version in VERSIONS}}
            for target in targets.values():
                kit.forget(target.name)
            cells = [
                Cell(f"ours/W16/{doing}/{name}", make(kit, target, arguments, name))
                for doing, make in WORK.items() for name, target in targets.items()
            ]
            alternate(kit, cells, rounds, results)
        finally:
            original.stop()
            kit.drop_database(original.database)


def migrate(kit: Kit, target: Any, folder: Path) -> None:
    """Makes the database, with the tables of all apps."""
    kit.drop_database(target.database)
    target.make_database()
    began = time.monotonic()
    command = [os.environ["BENCH_SERVER"], "migrate", "up", "--database", target.url, "--migrations", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise BenchError(f"The database cannot be migrated: {done.stderr[:300]}")
    say(f"  migrated in {time.monotonic() - began:.1f} s")


@contextmanager
def migrations() -> Iterator[Path]:
    """A folder with the migrations of all apps; those of the large one are drafted anew."""
    os.environ["BENCH_WIDE"] = "1"
    try:
        with tempfile.TemporaryDirectory() as parent:
            folder = Path(parent) / "Migrations"
            shutil.copytree(BENCHMARKS / "Migrations", folder)
            (folder / "wide").mkdir()
            command = [os.environ["BENCH_SERVER"], "schema", "sql", "--app", "wide", "--write"]
            done = subprocess.run(
                [*command, "--migrations", str(folder), VERSIONS[-1]], capture_output=True, text=True)
            if done.returncode:
                raise BenchError(f"The large app's migrations cannot be drafted: {done.stderr[:300]}")
            yield folder
    finally:
        del os.environ["BENCH_WIDE"]


def restarted(target: Any) -> dict[str, Any]:
    """How long the server takes to start over a database that is migrated, and what it needs then."""
    target.stop()
    began = time.monotonic()
    target.start()
    run = {"rate": time.monotonic() - began, "peak": sum(peak(pid) for pid in target.pids())}
    say(f"  started in {run['rate']:.2f} s, {run['peak']:.0f} MB")
    return run


def at(original: Any, version: str) -> Any:
    """The same server, spoken to as that version of the large app, whose records are of all its entities."""
    def content(record: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        return f"Entity{int(record['id'][:8], 16) % ENTITIES}", {
            "title": record["note"], "amount": repr(record["quantity"]), "count": int(record["quantity"]),
            "at": record["at"], "isDone": False,
        }

    return speaking(original, "wide", version, content)


# ---------------------------------------------------------------- what is done
def pull(kit: Kit, target: Any, arguments: Namespace, name: str) -> Callable[[int], dict[str, Any]]:
    """Pulls a space from nothing, in pages."""
    space = f"w16-{name}"

    def run(_: int) -> dict[str, Any]:
        target.cached(space, lambda: kit.bench.seed(target, space, RECORDS))
        return pulling(kit, target, space, RECORDS, arguments)

    return run


def of_the_kit(name: str) -> Callable[..., Callable[[int], dict[str, Any]]]:
    """One of the kit's workloads."""
    return lambda kit, target, arguments, _: workload(kit, target, name, arguments)


WORK = {"pull": pull, "cycle": of_the_kit("W5"), "push": of_the_kit("W1")}
