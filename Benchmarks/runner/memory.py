"""How much memory the server needs: under load, and whether that depends on how much a space holds."""

from __future__ import annotations

from argparse import Namespace
from typing import Any

from .figures import Runs
from .kit import Kit
from .measure import alternate, Cell
from .own import pulling

#: A space that fits in a page, and how much more the other one has.
SMALL = 1_000


def under_load(results: Runs) -> None:
    """The most that was resident in any run of W1 to W5, as a cell of its own."""
    runs = [run for name in ("W1", "W2", "W3", "W3c", "W4", "W5") for run in results.get(f"ours/{name}", [])]
    if runs:
        results["ours/memory"] = [{"peak": max(run["peak"] for run in runs)}]


def of_spaces(kit: Kit, target: Any, arguments: Namespace, rounds: int, results: Runs) -> None:
    """Eight clients pull a small space, then a big one, each from a server that has just started.

    A process that has served something keeps what it was given, so that one after the other would say nothing.
    """
    spaces = {"small": ("memory-small", SMALL), "big": ("w3big", arguments.big)}
    for name, (space, count) in spaces.items():
        target.cached(space, lambda: kit.bench.seed(target, space, count))

    def pull(name: str) -> Cell:
        space, count = spaces[name]

        def run(_: int) -> dict[str, Any]:
            target.stop()
            target.start()
            return pulling(kit, target, space, count, arguments, clients=arguments.clients)

        return Cell(f"ours/memory/{name}", run)

    alternate(kit, [pull("small"), pull("big")], min(rounds, 3), results)
