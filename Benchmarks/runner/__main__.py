"""script/bench: this server beside the floor, the limit of plain SQL and a peer, in one run, against its targets.

exit codes: 0 all targets that were measured are met; 1 one is missed, or nothing could be measured; 2 wrong words
"""

from __future__ import annotations

import argparse
import datetime
import json
import resource
import signal
import sys
import time
from pathlib import Path

from . import history
from .figures import figure
from .groups import Groups
from .kit import BenchError, Kit, find_kit
from .measure import say
from .rows import CHOICES, ROWS, USUAL
from .soak import soak
from .table import regressions, table


def words() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="script/bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="W1,W4", help=f"some rows: {', '.join(CHOICES)}")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="runs of each, by turns; 5")
    parser.add_argument("--duration", type=float, default=2.5, metavar="S", help="seconds of each run; 2.5")
    parser.add_argument("--no-kinto", action="store_true", help="leave the peer out")
    parser.add_argument("--no-limit", action="store_true", help="leave plain SQL out")
    parser.add_argument("--noisy", action="store_true", help="neither wait for other load to end nor repeat runs")
    parser.add_argument("--json", metavar="FILE", help="write figures and all runs there")
    parser.add_argument("--record", action="store_true", help="add the medians to Benchmarks/history")
    parser.add_argument("--soak", type=float, metavar="MINUTES", help="instead: half load with faults, and what grows")
    return parser


def chosen(text: str | None, parser: argparse.ArgumentParser) -> list[str]:
    """The rows that `--only` names; the usual ones without it."""
    names = text.split(",") if text else USUAL
    for name in names:
        if name not in CHOICES:
            parser.error(f"‘--only’ takes some of {', '.join(CHOICES)}, not ‘{name}’.")
    return names


def measure(kit: Kit, only: list[str], options: argparse.Namespace) -> int:
    """Runs what was chosen, prints the table, and compares it with the history."""
    groups = Groups(kit, f"{int(time.time()) % 1_000_000}", options.runs, options.duration, only)
    began = time.time()
    try:
        groups.start()
        groups.run(limit=not options.no_limit, kinto=not options.no_kinto)
        postgres = kit.psql("SHOW server_version").split()[0]
    finally:
        groups.stop()
    say(f"Took {(time.time() - began) / 60:.1f} minutes.")
    figures = [figure(row, groups.results) for row in ROWS]
    machine = history.machine(postgres)
    print(table(ROWS, figures, all_chosen=only == USUAL))
    found = history.worse(ROWS, figures, history.read(), machine)
    if found:
        print(regressions(found, ROWS))
    settings = {"runs": options.runs, "duration_s": options.duration, "noisy": options.noisy}
    line = history.entry(
        figures, machine, settings, datetime.datetime.now(datetime.timezone.utc), history.commit())
    if options.json:
        Path(options.json).write_text(json.dumps({**line, "cells": groups.results}, indent=1) + "\n")
    if options.record:
        history.append(line)
    return 1 if any(one.met is False for one in figures) or not any(one.ours is not None for one in figures) else 0


def main() -> int:
    """Sets the kit up, does what was asked, and leaves nothing running that it started."""
    parser = words()
    options = parser.parse_args()
    only = chosen(options.only, parser)
    if options.runs < 1 or options.duration <= 0 or (options.soak is not None and options.soak < 1):
        parser.error("‘--runs’ and ‘--soak’ take 1 or more, ‘--duration’ more than 0.")
    # A thousand listeners and more, of the server, which inherits this.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    kit: Kit | None = None
    try:
        kit = Kit(find_kit(), options.noisy)
        say("Building")
        kit.build()
        kit.start_postgres()
        return soak(kit, options.soak) if options.soak is not None else measure(kit, only, options)
    except BenchError as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 1
    finally:
        if kit is not None:
            kit.stop()


if __name__ == "__main__":
    sys.exit(main())
