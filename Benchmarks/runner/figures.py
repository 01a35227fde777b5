"""From runs to figures: medians, ratios, their noise, and whether a row keeps its bound. Pure; no clock, no I/O."""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass
from typing import Any

from .rows import Row, Source

#: The runs of each cell, in their order.
Runs = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Figure:
    """A row as it was measured; numbers are medians, `None` where nothing was."""

    key: str
    ours: float | None
    other: float | None
    #: What the bound is about: the ratio, the difference or ours.
    result: float | None
    #: Half of what lies between the lowest and the highest run's result, as a part of the median.
    noise: float
    #: Ours as a part of the limit's, or the floor's own result.
    extra: float | None
    #: `None` where there is no bound, or no result.
    met: bool | None
    #: Whether other load disturbed a run that counts.
    disturbed: bool
    runs: int

    def json(self) -> dict[str, Any]:
        """For `--json` and the history."""
        return {name: value for name, value in asdict(self).items() if name != "key"}


def values(runs: Runs, source: Source | None) -> list[float]:
    """The field in each of the cell's runs."""
    if source is None:
        return []
    return [run[source.field] for run in runs.get(source.cell, []) if run.get(source.field) is not None]


def compared(row: Row, ours: float, other: float | None) -> float | None:
    """What the row's bound is about."""
    if row.compare == "value":
        return ours
    if other is None:
        return None
    if row.compare == "difference":
        return ours - other
    return ours / other if other else None


def spread(numbers: list[float]) -> float:
    """Half of the range, as a part of the median; 0 for fewer than two."""
    if len(numbers) < 2:
        return 0
    middle = statistics.median(numbers)
    return abs((max(numbers) - min(numbers)) / 2 / middle) if middle else 0


def figure(row: Row, runs: Runs) -> Figure:
    """The row's figure from the runs of its cells."""
    mine, theirs, beside = values(runs, row.ours), values(runs, row.other), values(runs, row.extra)
    ours = statistics.median(mine) if mine else None
    other = statistics.median(theirs) if theirs else None
    result = compared(row, ours, other) if ours is not None else None
    met = None
    if result is not None and row.bound is not None:
        met = result >= row.bound if row.better == "more" else result <= row.bound
    # Runs were taken by turns, so that the n-th of both saw the same machine.
    pairs = [compared(row, one, two) for one, two in zip(mine, theirs)] if len(mine) == len(theirs) else mine
    extra = None
    if beside:
        extra = statistics.median(beside)
        if row.extra and row.extra.cell.startswith("limit/"):
            extra = ours / extra if ours is not None and extra else None
    cells = [source.cell for source in (row.ours, row.other) if source]
    return Figure(
        key=row.key, ours=ours, other=other, result=result,
        noise=round(spread([pair for pair in pairs or mine if pair is not None]), 4), extra=extra, met=met,
        disturbed=any(run.get("disturbed") for cell in cells for run in runs.get(cell, [])), runs=len(mine))
