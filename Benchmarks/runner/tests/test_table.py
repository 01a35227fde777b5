"""The table."""

import unittest

from runner.figures import figure
from runner.rows import ROWS, Source
from runner.table import WIDTH_MAX, number, table


def all_cells(value: float) -> dict[str, list[dict]]:
    """Every field that any row asks for."""
    cells: dict[str, list[dict]] = {}
    for row in ROWS:
        for source in (row.ours, row.other, row.extra):
            if isinstance(source, Source):
                cells.setdefault(source.cell, [{"disturbed": True}])[0][source.field] = value
    return cells


class TableTests(unittest.TestCase):
    def test_it_fits_and_has_every_row(self) -> None:
        text = table(ROWS, [figure(row, all_cells(2_345_678.9)) for row in ROWS])
        for line in text.splitlines():
            # What the floor's own ratio shows is never in the millions.
            self.assertLessEqual(len(line.replace("2345678.90", "1234.56")), WIDTH_MAX, line)
        for row in ROWS:
            self.assertIn(row.what, text)

    def test_verdicts_are_counted(self) -> None:
        rows = [row for row in ROWS if row.key in ("W1", "W2")]
        cells = {"ours/W1": [{"rate": 120}], "floor/W1": [{"rate": 100}], "ours/W2": [{"rate": 10}],
                 "floor/W2": [{"rate": 100}]}
        text = table(rows, [figure(row, cells) for row in rows])
        self.assertIn("1 of 2 targets are met.", text)
        self.assertRegex(text, r"W1 .* 1\.20 +≥ 1\.00 +met")
        self.assertRegex(text, r"W2 .* 0\.10 +≥ 0\.85 +MISSED")

    def test_a_row_that_was_not_run_is_left_out(self) -> None:
        text = table(ROWS, [figure(row, {}) for row in ROWS])
        self.assertTrue(text.startswith("0 of 0 targets are met.\nNot measured: W1, W2, W2m, W3,"))
        self.assertNotIn("records/s", text)
        self.assertEqual(table(ROWS, [figure(row, {}) for row in ROWS], all_chosen=False), "0 of 0 targets are met.")

    def test_disturbed_results_are_marked(self) -> None:
        rows = [row for row in ROWS if row.key == "W1"]
        cells = {"ours/W1": [{"rate": 80, "disturbed": True}], "floor/W1": [{"rate": 100}]}
        self.assertIn("0.80~", table(rows, [figure(row, cells) for row in rows]))

    def test_numbers_have_the_digits_that_mean_something(self) -> None:
        self.assertEqual([number(1234.5), number(12.34), number(1.234), number(0.01234), number(None)],
                         ["1,234", "12.3", "1.23", "0.012", "-"])


if __name__ == "__main__":
    unittest.main()
