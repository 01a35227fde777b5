"""Drills: each loses something under a fleet of devices, and shows what that costs them."""
import argparse
import importlib
import json
import shutil
import sys
import tempfile
import textwrap
import time
from pathlib import Path

from machine import Failed, Machine, say

DRILLS = ["tls", "proxies", "package", "container", "backup", "replica", "alerts", "upgrade", "failover"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="deploy/drill", description=__doc__)
    parser.add_argument("drills", nargs="*", metavar="DRILL", help=f"all, or any of {', '.join(DRILLS)}")
    parser.add_argument("--release", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--only-read", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=None, help="what chance decides; printed with the results")
    parser.add_argument("--times", type=int, default=None, help="how often something is lost, where that is repeated")
    parser.add_argument("--keep", action="store_true", help="keep the folders with all logs")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each drill")
    arguments = parser.parse_args()
    wanted = DRILLS if arguments.drills in ([], ["all"]) else arguments.drills
    for name in wanted:
        if name not in DRILLS:
            parser.error(f"there is no drill ‘{name}’; there are {', '.join(DRILLS)}")
    if arguments.only_read:
        return 0
    if not arguments.release:
        parser.error("--release is the folder of what script/release has built; deploy/drill gives it")
    seed = arguments.seed if arguments.seed is not None else int(time.time())
    rows = [drill(name, arguments, seed) for name in wanted]
    if not arguments.json:
        table(rows, seed)
    return 1 if any("failed" in row for row in rows) else 0


def drill(name: str, arguments, seed: int) -> dict:
    print(f"{name} (seed {seed})", file=sys.stderr, flush=True)
    folder = Path(tempfile.mkdtemp(prefix=f"syncserver-drill-{name}-"))
    machine = Machine(folder)
    started = time.monotonic()
    options = {"times": arguments.times} if arguments.times and name == "failover" else {}
    try:
        # Where PostgreSQL's user, as whom most of it runs, can read it.
        shutil.copytree(arguments.release, folder / "release")
        executable = folder / "release" / "bin" / "syncserver"
        row = importlib.import_module(name).run(machine, executable, seed, **options)
    except Failed as failure:
        row = {"what": "", "failed": str(failure)}
    finally:
        machine.close()
    if "failed" in row or arguments.keep:
        say(f"its logs are in {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    row = {"drill": name, **row, "seconds": round(time.monotonic() - started)}
    if arguments.json:
        print(json.dumps(row), flush=True)
    elif "failed" in row:
        print(f"{name} FAILED: {row['failed']}", file=sys.stderr, flush=True)
    return row


def table(rows: list[dict], seed: int) -> None:
    print(f"\n{'DRILL':12} {'TIMES':>5} {'LOST':>5} {'TOOK':>7}  WITHOUT SERVICE")
    for row in rows:
        took = f"{row['seconds'] // 60}:{row['seconds'] % 60:02}"
        if "failed" in row:
            print(f"{row['drill']:12} {'FAILED':>11} {took:>7}")
            text = row["failed"]
        else:
            print(f"{row['drill']:12} {row['times']:>5} {row.get('lost', '-'):>5} {took:>7}  {row.get('gap', '-')}")
            text = row["what"]
        for line in textwrap.wrap(text.splitlines()[0], 96):
            print(f"    {line}")
    print(f"seed {seed}")


if __name__ == "__main__":
    sys.exit(main())
