"""What was recorded, and what got worse."""

import datetime
import tempfile
import unittest
from pathlib import Path

from runner.figures import figure
from runner.history import append, entry, read, worse
from runner.rows import ROWS
from runner.soak import GROWTH_MAX, Minute, growing

HERE, ELSEWHERE = {"cpu": "a", "cores": 2, "postgres": "15"}, {"cpu": "b", "cores": 64, "postgres": "15"}
W1 = [row for row in ROWS if row.key == "W1"]
CPU = [row for row in ROWS if row.key == "W1-cpu"]


def measured(*ratios: float):
    ours, floor = [{"rate": ratio} for ratio in ratios], [{"rate": 1} for _ in ratios]
    return [figure(W1[0], {"ours/W1": ours, "floor/W1": floor})]


def recorded(*ratios: float, on=HERE):
    at = datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.timezone.utc)
    return entry(measured(*ratios), on, {"runs": len(ratios)}, at, "abc123")


class HistoryTests(unittest.TestCase):
    def test_less_than_the_last_by_more_than_noise_is_worse(self) -> None:
        found = worse(W1, measured(0.70, 0.70, 0.71), [recorded(0.80, 0.80, 0.81)], HERE)
        self.assertEqual([(one.key, one.before, one.now, one.commit) for one in found], [("W1", 0.80, 0.70, "abc123")])

    def test_what_noise_explains_is_not(self) -> None:
        self.assertEqual(worse(W1, measured(0.60, 0.70, 0.80), [recorded(0.80, 0.80, 0.81)], HERE), [])
        self.assertEqual(worse(W1, measured(0.70, 0.70, 0.71), [recorded(0.65, 0.80, 0.95)], HERE), [])
        self.assertEqual(worse(W1, measured(0.79, 0.79), [recorded(0.80, 0.80)], HERE), [])

    def test_better_is_not_worse_and_the_first_has_nothing_before_it(self) -> None:
        self.assertEqual(worse(W1, measured(0.9), [recorded(0.8)], HERE), [])
        self.assertEqual(worse(W1, measured(0.9), [], HERE), [])

    def test_more_is_worse_where_less_is_better(self) -> None:
        def cpu(ratio: float):
            cell = "server_cpu_s_per_10k"
            return [figure(CPU[0], {"ours/W1": [{cell: ratio}], "floor/W1": [{cell: 1}]})]

        at = datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)
        line = entry(cpu(1.0), HERE, {}, at, "abc")
        self.assertEqual(len(worse(CPU, cpu(1.2), [line], HERE)), 1)
        self.assertEqual(worse(CPU, cpu(0.8), [line], HERE), [])

    def test_the_last_of_this_machine_counts_and_only_then_others(self) -> None:
        lines = [recorded(0.70, on=HERE), recorded(0.95, on=ELSEWHERE)]
        self.assertEqual(worse(W1, measured(0.70), lines, HERE), [])
        self.assertEqual(len(worse(W1, measured(0.70), lines[1:], HERE)), 1)

    def test_lines_are_read_as_they_were_written(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "medians.jsonl"
            self.assertEqual(read(path), [])
            append(recorded(0.8), path)
            append(recorded(0.7), path)
            self.assertEqual([line["rows"]["W1"]["result"] for line in read(path)], [0.8, 0.7])
            self.assertEqual(len(path.read_text().splitlines()), 2)


class SoakTests(unittest.TestCase):
    def minutes(self, **growth: float) -> list[Minute]:
        """Sixteen, of which the named figure grows by a part of itself each minute."""
        fields = {name: 100 for name in GROWTH_MAX}
        return [
            Minute(number=index, requests_per_s=1, errors=0, dead=0, other_load=0, fault="",
                   **{name: value * (1 + growth.get(name, 0)) ** index for name, value in fields.items()})
            for index in range(16)
        ]

    def test_what_is_level_is_not_called_growing(self) -> None:
        self.assertEqual(growing(self.minutes()), [])

    def test_each_figure_that_grows_is_named(self) -> None:
        for name in GROWTH_MAX:
            found = growing(self.minutes(**{name: 0.3}))
            self.assertEqual(len(found), 1, name)
            self.assertTrue(found[0].startswith(name))

    def test_what_settles_in_the_first_half_does_not_count(self) -> None:
        level = self.minutes()
        settled = [Minute(**{**vars(minute), "rss_mb": 40 + min(index, 7) * 10}) for index, minute in enumerate(level)]
        self.assertEqual(growing(settled), [])

    def test_latency_is_compared_where_nobody_else_was_at_work(self) -> None:
        def slow(other: float) -> list[Minute]:
            """Three of the last four minutes are slow and have more memory."""
            return [
                Minute(**{**vars(minute), "p99_ms": 900, "rss_mb": 900, "other_load": other})
                if index in (12, 14, 15) else minute
                for index, minute in enumerate(self.minutes())
            ]

        self.assertEqual([found.split()[0] for found in growing(slow(other=0.0))], ["rss_mb", "p99_ms"])
        self.assertEqual([found.split()[0] for found in growing(slow(other=1.0))], ["rss_mb"])

    def test_too_few_minutes_prove_nothing(self) -> None:
        self.assertEqual(growing(self.minutes(rss_mb=1)[:3]), [])


if __name__ == "__main__":
    unittest.main()
