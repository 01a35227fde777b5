"""Medians that were recorded: a line of JSON for each invocation, and what got worse since the last."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .figures import Figure
from .kit import BENCHMARKS, REPOSITORY
from .rows import Row

FILE = BENCHMARKS / "history" / "medians.jsonl"

#: What is never called a change, however still the machine was.
NOISE_MIN = 0.02


@dataclass(frozen=True)
class Worse:
    """A row that is worse than what was recorded, by more than the noise of both."""

    key: str
    before: float
    now: float
    noise: float
    date: str
    commit: str


def machine(postgres: str) -> dict[str, Any]:
    """What the figures depend on."""
    model = "unknown"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return {"cpu": model, "cores": os.cpu_count(), "postgres": postgres}


def commit() -> str:
    """The checked-out commit; with a plus sign where files differ from it, other than by what was recorded."""
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=REPOSITORY, capture_output=True, text=True).stdout.strip()

    changed = git("status", "--porcelain", "--untracked-files=no", "--", ":(top,exclude)Benchmarks/history")
    return git("rev-parse", "--short", "HEAD") + ("+" if changed else "")


def entry(
    figures: Sequence[Figure], on: dict[str, Any], settings: dict[str, Any], at: datetime.datetime, of: str
) -> dict[str, Any]:
    """A line of the history."""
    return {
        "date": at.strftime("%Y-%m-%dT%H:%MZ"), "commit": of, "machine": on, **settings,
        "rows": {figure.key: figure.json() for figure in figures if figure.ours is not None},
    }


def read(path: Path = FILE) -> list[dict[str, Any]]:
    """All lines, oldest first; none where there is no file yet."""
    if not path.is_file():
        return []
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def append(line: dict[str, Any], path: Path = FILE) -> None:
    """Adds a line."""
    path.parent.mkdir(exist_ok=True)
    with open(path, "a") as file:
        file.write(json.dumps(line, separators=(", ", ": "), ensure_ascii=False) + "\n")


def last(key: str, entries: Sequence[dict[str, Any]], on: dict[str, Any]) -> dict[str, Any] | None:
    """The latest line that has the row, of this machine if there is one: ratios travel, but not quite."""
    having = [one for one in entries if one["rows"].get(key, {}).get("result") is not None]
    alike = [one for one in having if one["machine"] == on]
    return (alike or having or [None])[-1]


def worse(
    rows: Sequence[Row], figures: Sequence[Figure], entries: Sequence[dict[str, Any]], on: dict[str, Any]
) -> list[Worse]:
    """What got worse than the last recorded, by more than the greater noise of the two."""
    found = []
    for row, figure in zip(rows, figures):
        line = last(row.key, entries, on)
        if line is None or figure.result is None:
            continue
        before = line["rows"][row.key]
        noise = max(figure.noise, before["noise"], NOISE_MIN)
        change = (figure.result - before["result"]) / abs(before["result"]) if before["result"] else 0
        if (change if row.better == "less" else -change) > noise:
            found.append(Worse(row.key, before["result"], figure.result, noise, line["date"], line["commit"]))
    return found
