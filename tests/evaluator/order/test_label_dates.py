"""Dates that cannot all be right."""

from datetime import UTC, datetime
from typing import Any

import pytest

from evaluator.labelset.format import Judgement
from evaluator.order.label_dates import clock_findings, judged_at

FROZEN = "2026-12-01T09:00:00.000Z"
NOW = datetime(2026, 12, 10, tzinfo=UTC)


def events(*dates: str, imported_from: str | None = None) -> list[Judgement]:
    return [
        Judgement(f"e{n}", "q1", "c1", "ann", 1, "grade", date, imported_from=imported_from)
        for n, date in enumerate(dates)
    ]


def findings(*dates: str, **changes: Any) -> tuple[str, ...]:
    how = {"frozen_at": FROZEN, "now": NOW, **changes}
    judged = judged_at(events(*(dates or ("2026-11-20T10:00:00Z",))))
    return tuple(clock_findings(judged=judged, **how))


def test_dates_that_fit_together_are_not_mentioned() -> None:
    """A stamp and a commit soon after the freeze, looks later."""
    found = findings(
        stamped=[("s.1.tsr", "2026-12-01T09:05:00.000Z")],
        committed="2026-12-01T09:10:00.000Z",
        looks=["2026-12-02T00:00:00.000Z"],
    )
    assert () == found


@pytest.mark.parametrize(
    ("said", "dates", "changes"),
    [
        ("the clock was set back before freezing", ["2026-12-01T09:00:01Z"], {}),
        ("1 of 2 judgements are dated without a time zone", ["2026-11-01T09:00:00"], {}),
        ("1 of 2 judgements have no date that can be read", ["yesterday"], {}),
        ("which is still to come (2026-12-10T00:00:00.000Z)", ["2027-01-01T00:00:00Z"], {}),
        (
            "the freeze is dated 2027-01-01T00:00:00Z, which",
            [],
            {"frozen_at": "2027-01-01T00:00:00Z"},
        ),
        ("without a time zone, so within 14 hours", [], {"frozen_at": "2026-12-01T09:00:00"}),
        ("'soon', which is no moment", [], {"frozen_at": "soon"}),
        (
            "s.1.tsr states 2026-12-01T08:00:00Z, before",
            [],
            {"stamped": [("s.1.tsr", "2026-12-01T08:00:00Z")]},
        ),
        ("came 7 days after the freeze", [], {"stamped": [("s.1.tsr", "2026-12-08T09:00:00Z")]}),
        ("a commit dated 2026-11-30T00:00:00.000Z", [], {"committed": "2026-11-30T00:00:00.000Z"}),
        ("still to come", [], {"committed": "2286-11-20T17:46:39.000Z"}),
        ("one of the two clocks", [], {"frozen_at": "9999-12-30T23:59:59Z", "committed": FROZEN}),
        (
            "1 looks in the ledger are dated before",
            [],
            {"looks": ["2026-11-30T00:00:00.000Z", FROZEN]},
        ),
    ],
)
def test_dates_that_do_not_fit_are_named(
    said: str, dates: list[str], changes: dict[str, Any]
) -> None:
    """Each in one sentence with the dates."""
    found = findings("2026-11-20T10:00:00Z", *dates, **changes)
    assert any(said in text for text in found), found


def test_an_imported_date_is_called_one() -> None:
    """It came from another clock."""
    judged = judged_at(events("2026-12-02T00:00:00Z", imported_from="qrels.tsv"))
    (found,) = clock_findings(frozen_at=FROZEN, judged=judged, now=NOW)
    assert found.startswith("the newest judgement (an imported one) is dated")


def test_a_set_without_judgements_has_no_newest() -> None:
    """And nothing to find."""
    assert (0, None) == (judged_at([]).events, judged_at([]).newest)
    assert [] == list(clock_findings(frozen_at=FROZEN, judged=judged_at([]), now=NOW))
