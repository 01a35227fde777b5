"""From runs to figures."""

import unittest

from runner.figures import figure, spread
from runner.rows import ROWS, Row, Source

RATIO = Row("W1", "W1", "Beside the floor", "", Source("ours/W1"), Source("floor/W1"), Source("limit/W1"), bound=0.7)


def runs(*rates: float, disturbed: bool = False) -> list[dict]:
    return [{"rate": rate, "disturbed": disturbed} for rate in rates]


class FigureTests(unittest.TestCase):
    def test_the_ratio_is_of_medians(self) -> None:
        got = figure(RATIO, {"ours/W1": runs(60, 70, 500), "floor/W1": runs(100, 1, 101)})
        self.assertEqual((got.ours, got.other, got.result, got.met, got.runs), (70, 100, 0.7, True, 3))

    def test_a_bound_is_met_when_it_is_reached_and_missed_just_below(self) -> None:
        self.assertTrue(figure(RATIO, {"ours/W1": runs(70), "floor/W1": runs(100)}).met)
        self.assertIs(figure(RATIO, {"ours/W1": runs(69.9), "floor/W1": runs(100)}).met, False)

    def test_less_is_better_where_it_says_so(self) -> None:
        row = Row("a", "", "Memory, MB", "", Source("a", "peak"), compare="value", better="less", bound=150)
        self.assertTrue(figure(row, {"a": [{"peak": 150}]}).met)
        self.assertIs(figure(row, {"a": [{"peak": 151}]}).met, False)

    def test_a_difference_is_ours_less_the_other(self) -> None:
        row = Row("a", "", "Memory, MB", "", Source("a", "with"), Source("a", "without"), compare="difference",
                  better="less", bound=150)
        self.assertEqual(figure(row, {"a": [{"with": 260, "without": 100}]}).result, 160)

    def test_what_was_not_measured_is_neither_met_nor_missed(self) -> None:
        got = figure(RATIO, {"ours/W1": runs(70)})
        self.assertEqual((got.result, got.met), (None, None))
        self.assertIsNone(figure(RATIO, {}).ours)

    def test_noise_is_of_pairs_that_saw_the_same_machine(self) -> None:
        # The machine halves its speed, both sides alike.
        steady = figure(RATIO, {"ours/W1": runs(80, 40, 80), "floor/W1": runs(100, 50, 100)})
        self.assertEqual(steady.noise, 0)
        self.assertAlmostEqual(spread([90, 100, 110]), 0.1)

    def test_one_disturbed_run_marks_the_figure(self) -> None:
        cells = {"ours/W1": runs(70), "floor/W1": runs(100, disturbed=True)}
        self.assertTrue(figure(RATIO, cells).disturbed)
        self.assertFalse(figure(RATIO, {"ours/W1": runs(70), "floor/W1": runs(100)}).disturbed)

    def test_the_limit_is_a_part_and_the_floor_a_figure_of_its_own(self) -> None:
        cells = {"ours/W1": runs(50), "floor/W1": runs(100), "limit/W1": runs(200)}
        self.assertEqual(figure(RATIO, cells).extra, 0.25)

    def test_keys_are_unique(self) -> None:
        self.assertEqual(len({row.key for row in ROWS}), len(ROWS))


if __name__ == "__main__":
    unittest.main()
