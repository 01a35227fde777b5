"""What is promised: every row of the table, with what it is compared with and the bound that it must keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Source:
    """Where a figure comes from: the median of a field over the runs of a cell."""

    cell: str
    field: str = "rate"


@dataclass(frozen=True)
class Row:
    """One line of the table.

    `compare` says what the bound is about: `ratio` and `difference` are ours to the other's, `value` is ours alone.
    """

    key: str
    label: str
    section: str
    what: str
    ours: Source
    other: Source | None = None
    #: What is said beside it: the limit's figure, or that of the floor.
    extra: Source | None = None
    compare: Literal["ratio", "difference", "value"] = "ratio"
    better: Literal["more", "less"] = "more"
    bound: float | None = None

    @property
    def target(self) -> str:
        """The bound as people read it."""
        if self.bound is None:
            return ""
        unit = " MB" if self.compare != "ratio" else ""
        number = f"{self.bound:.2f}" if self.bound < 2 else f"{self.bound:g}"
        return f"{'≥' if self.better == 'more' else '≤'} {number}{unit}"


#: The headings of each section: its two figures, and what the last column has.
SECTIONS = {
    "Beside the floor": ("OURS", "FLOOR", "OF SQL"),
    "Beside Kinto": ("OURS", "KINTO", ""),
    "Beside itself": ("THIS", "OTHER", ""),
    "Latency at 80 % of saturation, ms": ("P99", "P50", "FLOOR'S"),
    "Latency at 50 % of saturation, ms": ("P99", "FLOOR'S", ""),
    "Memory, MB": ("THIS", "OTHER", ""),
}

FLOOR, KINTO, ITSELF, LATENCY, HALF, MEMORY = SECTIONS


def _beside_floor(label: str, what: str, bound: float, limit: bool = True) -> Row:
    extra = Source(f"limit/{label}") if limit else None
    return Row(label, label, FLOOR, what, Source(f"ours/{label}"), Source(f"floor/{label}"), extra, bound=bound)


def _cpu(label: str, bound: float) -> Row:
    field = "server_cpu_s_per_10k"
    return Row(
        f"{label}-cpu", label, FLOOR, "server CPU for 10,000 records: s", Source(f"ours/{label}", field),
        Source(f"floor/{label}", field), better="less", bound=bound)


def _beside_kinto(label: str, what: str, bound: float) -> Row:
    return Row(f"{label}-kinto", label, KINTO, what, Source(f"ours/{label}"), Source(f"kinto/{label}"), bound=bound)


def _age(label: str, doing: str, version: str, bound: float | None) -> Row:
    name = f"W7-{doing}-{version}"
    return Row(
        name, label, ITSELF, f"{doing} in {version}, beside 0.1.1: records/s", Source(f"ours/W7/{doing}/{version}"),
        Source(f"ours/W7/{doing}/0.1.1"), bound=bound)


def _listeners(kind: str, what: str) -> Row:
    return Row(
        f"W10-{kind}", "W10", ITSELF, f"{what}, 1,000 listeners: records/s", Source(f"ours/W10/{kind}/with"),
        Source(f"ours/W10/{kind}/without"))


def _signed(label: str, what: str, unit: str) -> Row:
    return Row(
        f"W13-{label}-signed", "W13", ITSELF, f"{label}, {what}, JWT beside own tokens: {unit}/s",
        Source(f"ours/W13/{label}/signed"), Source(f"ours/W13/{label}/own"), bound=0.97)


def _read(label: str, what: str, unit: str) -> Row:
    return Row(
        f"W13-{label}-read", "W13", ITSELF, f"{label}, {what}, metrics read, or not: {unit}/s",
        Source(f"ours/W13/{label}/read"), Source(f"ours/W13/{label}/own"), bound=0.98)


def _growth(doing: str, what: str) -> Row:
    return Row(
        f"W14-{doing}", "W14", ITSELF, what, Source(f"ours/W14/{doing}/many"), Source(f"ours/W14/{doing}/few"),
        bound=0.9)


def _wide(doing: str, what: str) -> list[Row]:
    newest, cell = Source(f"ours/W16/{doing}/1.49.0"), f"ours/W16/{doing}"
    return [
        Row(f"W16-{doing}", "W16", ITSELF, f"{what}, 200 entities, or one", newest, Source(f"{cell}/one")),
        Row(f"W16-{doing}-age", "W16", ITSELF, f"{what}, its first version, or 50th", Source(f"{cell}/1.0.0"), newest,
            bound=0.9),
    ]


def _latency(label: str, what: str) -> Row:
    return Row(
        f"{label}-p99", label, LATENCY, f"p99 of {what}", Source(f"ours/{label}/paced", "steady_p99"),
        Source(f"ours/{label}/paced", "steady_p50"), Source(f"floor/{label}/paced", "steady_ratio"), better="less",
        bound=3)


def _half(label: str, what: str) -> Row:
    return Row(
        f"{label}-half", label, HALF, f"p99 of {what}", Source(f"ours/{label}/half", "steady_p99"),
        Source(f"floor/{label}/half", "steady_p99"), better="less", bound=1)


ROWS: list[Row] = [
    _beside_floor("W1", "push 100 new, 8 clients: records/s", 1),
    _beside_floor("W2", "push one update, 8 clients: updates/s", 0.85),
    _beside_floor("W2m", "push one update, 64 clients: updates/s", 1.1, limit=False),
    _beside_floor("W3", "pull 50,000, 1 client: records/s", 1.1),
    _beside_floor("W3c", "pull 50,000, 8 clients: records/s", 1.1),
    _beside_floor("W4", "poll, nothing new, 8 clients: polls/s", 1),
    _beside_floor("W5", "push 10, pull since, 8 clients: cycles/s", 0.85, limit=False),
    _beside_floor("W5m", "push 10, pull since, 64 clients: cycles/s", 1, limit=False),
    _cpu("W1", 2),
    _cpu("W3", 1.5),
    _beside_kinto("W1", "push 100 new, 8 clients: records/s", 100),
    _beside_kinto("W3", "pull everything, 1 client: records/s", 3),
    _beside_kinto("W4", "poll, nothing new, 8 clients: polls/s", 20),
    Row("W6", "W6", ITSELF, "8 writers in a space, beside W1: records/s", Source("ours/W6"), Source("ours/W1"),
        bound=0.8),
    _age("W7", "push", "0.0.1", 0.90),
    _age("W7", "push", "0.0.8", None),
    _age("W7", "pull", "0.0.1", 0.90),
    _age("W7", "pull", "0.0.8", None),
    Row("W8", "W8", ITSELF, "pull after 100 rewrites: records/s", Source("ours/W8/rewritten"),
        Source("ours/W8/fresh"), bound=0.95),
    Row("W9", "W9", ITSELF, "POST /sync, beside W5: cycles/s", Source("ours/W9"), Source("ours/W5")),
    _listeners("many", "push 100 new"),
    _listeners("one", "push one update"),
    Row("W10-events", "W10", ITSELF, "events that reach them: events/s", Source("ours/W10/one/with", "events_per_s"),
        compare="value"),
    Row("W10-delay", "W10", ITSELF, "event after its push: p99, beside p50: ms",
        Source("ours/W10/one/with", "delay_p99"), Source("ours/W10/one/with", "delay_p50"), better="less"),
    Row("W11", "W11", ITSELF, "W5 beside a backfill, and before: cycles/s", Source("ours/W11/during"),
        Source("ours/W11/before")),
    Row("W11-p99", "W11", ITSELF, "the same: p99, ms", Source("ours/W11/during", "p99"),
        Source("ours/W11/before", "p99"), better="less"),
    Row("W12-p99", "W12", ITSELF, "an update beside a greedy subject, and alone: p99, ms",
        Source("ours/W12/beside", "p99"), Source("ours/W12/alone", "p99"), better="less", bound=2),
    _signed("W1", "push 100 new", "records"),
    _signed("W3", "pull 50,000", "records"),
    _signed("W4", "poll", "polls"),
    _read("W1", "push 100 new", "records"),
    _read("W4", "poll", "polls"),
    _growth("push", "push 100 new, 100,000 spaces, or 100: records/s"),
    _growth("update", "push one update, the same: updates/s"),
    _growth("pull", "pull a space of 100, the same: records/s"),
    _growth("cycle", "pull all, push 10, pull, the same: cycles/s"),
    *_wide("pull", "pull 20,000: records/s"),
    *_wide("cycle", "push 10, pull: cycles/s"),
    *_wide("push", "push 100 new: records/s"),
    Row("W16-start", "W16", ITSELF, "start over 200 entities in 50 versions: s", Source("ours/W16/start"),
        compare="value", better="less"),
    Row("W15-pull", "W15", ITSELF, "pull a space of a million, beside 10,000: records/s",
        Source("ours/W15/pull/large"), Source("ours/W15/pull/small"), bound=0.9),
    Row("W15-deletion", "W15", ITSELF, "one deletion that takes it all, or 10,000: s",
        Source("ours/W15/deletion/large"), Source("ours/W15/deletion/small"), better="less"),
    Row("W15-gc", "W15", ITSELF, "gc of all that: s", Source("ours/W15/gc"), compare="value", better="less"),
    _latency("W1", "a push of 100"),
    _latency("W2", "an update"),
    _latency("W3", "a page of 1,000, 1 client"),
    _latency("W3c", "a page of 1,000, 8 clients"),
    _latency("W4", "a poll"),
    _latency("W5", "a pull of 10"),
    _half("W2", "an update"),
    _half("W5", "a pull of 10"),
    Row("memory", "", MEMORY, "resident under load, the most of W1 to W5", Source("ours/memory", "peak"),
        compare="value", better="less", bound=150),
    Row("memory-space", "", MEMORY, "pulls of 50,000, beside a space of 1,000", Source("ours/memory/big", "peak"),
        Source("ours/memory/small", "peak"), better="less", bound=1.1),
    Row("W15-memory", "W15", MEMORY, "one deletion of a million records, or of 10,000",
        Source("ours/W15/deletion/large", "peak"), Source("ours/W15/deletion/small", "peak"), better="less", bound=1.1),
    Row("W16-memory", "W16", MEMORY, "200 entities in 50 versions, as it starts",
        Source("ours/W16/start", "peak"), compare="value", better="less", bound=150),
    Row("memory-idle", "W10", MEMORY, "10,000 idle listeners, beside none", Source("ours/idle", "with"),
        Source("ours/idle", "without"), compare="difference", better="less", bound=150),
]

#: What an invocation measures that names nothing.
USUAL = [
    "W1", "W2", "W2m", "W3", "W3c", "W4", "W5", "W5m", "W6", "W7", "W8", "W9", "W10", "W11", "W12", "W13", "p99",
    "memory",
]

#: What `--only` takes: also what fills a database for minutes.
CHOICES = [*USUAL, "W14", "W15", "W16"]
