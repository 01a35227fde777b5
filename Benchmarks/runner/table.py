"""The table that an invocation ends with, within 100 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from .figures import Figure
from .history import Worse
from .rows import SECTIONS, Row

WIDTH_MAX = 100


def number(value: float | None) -> str:
    """As many digits as mean something."""
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}"


def result(row: Row, figure: Figure) -> str:
    """The ratio, or what stands in its place; with a mark where other load disturbed it."""
    if figure.result is None:
        return "-"
    text = f"{figure.result:.2f}" if row.compare == "ratio" and figure.result < 10 else f"{figure.result:,.0f}"
    return text + ("~" if figure.disturbed else "")


def verdict(figure: Figure) -> str:
    """Met or missed; nothing where there is no bound."""
    return {True: "met", False: "MISSED", None: ""}[figure.met]


def table(rows: Sequence[Row], figures: Sequence[Figure], all_chosen: bool = True) -> str:
    """All rows that were measured, by sections, then how many are met, and which could not be measured."""
    lines: list[str] = []
    section = ""
    for row, figure in zip(rows, figures):
        if figure.result is None:
            continue
        if row.section != section:
            section = row.section
            ours, other, extra = SECTIONS[section]
            lines += ["", f"{section:<47} {ours:>9} {other:>9} {'RATIO':>7}  {'TARGET':<8} {'':<6} {extra:>7}".rstrip()]
        shown = "" if row.compare == "value" else result(row, figure)
        beside = "" if figure.extra is None else f"{figure.extra:.2f}"
        other = number(figure.other) if row.other else ""
        lines.append(
            f"{row.label:<3} {row.what:<43} {number(figure.ours):>9} {other:>9} {shown:>7}  {row.target:<8} "
            f"{verdict(figure):<6} {beside:>7}".rstrip())
    judged = [figure.met for figure in figures if figure.met is not None]
    unknown = [row.key for row, figure in zip(rows, figures) if row.bound is not None and figure.result is None]
    lines += ["", f"{sum(judged)} of {len(judged)} targets are met."]
    if unknown and all_chosen:
        lines.append(textwrap.fill(f"Not measured: {', '.join(unknown)}.", WIDTH_MAX, break_on_hyphens=False))
    if any(figure.disturbed for figure in figures):
        lines.append("~ Other load took part of the machine during a run that counts.")
    return "\n".join(lines).lstrip("\n")


def regressions(found: Sequence[Worse], rows: Sequence[Row]) -> str:
    """The rows that got worse than what was recorded, a line each."""
    named = {row.key: row for row in rows}
    return "\n".join(
        f"WORSE: {one.key} ({named[one.key].what}): {one.now:.3g}, was {one.before:.3g} on {one.date} at {one.commit}; "
        f"noise is {one.noise:.0%}." for one in found)
