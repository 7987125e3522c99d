"""The page on coverage against the rule it shows, and against what reports say of it."""

from statistics import mean

from evaluator.statistics.intervals import COVERAGE
from tests.bench.coverage import KINDS, PAGE


def test_the_table_of_coverage_meets_the_rule_and_is_what_reports_say() -> None:
    """At least 91% in every world and 94% in the mean, and errors of 5% or less in the mean."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][1:]
    assert [kind.name for kind in KINDS] == [row[0] for row in rows]
    lowest, average = min(float(row[1]) for row in rows), mean(float(row[3]) for row in rows)
    assert all(float(row[1]) >= 0.91 and float(row[3]) >= 0.94 for row in rows)
    assert all(float(row[5]) <= 0.07 and float(row[6]) <= 0.05 for row in rows)
    assert f"{lowest:.1%} of the simulated samples in every world, {average:.1%} in the mean" in (
        COVERAGE
    )
