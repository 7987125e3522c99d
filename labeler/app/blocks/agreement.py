"""
Reports on agreement and pace as blocks of a page.

Numbers come in, words go out. A number that is not defined, or has no interval, is shown
with the reason in its place; nothing is rounded to look better than it is.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from evaluator.text.messages import counted, sentence
from labeler.app.desk.agenda import length
from labeler.app.desk.decide import grade_name
from labeler.app.desk.desk import UNSURE
from labeler.app.frame.components import SheetBlock, facts, notes, numbers, table, tally
from labeler.judging.agreement import AgreementReport, PairAgreement
from labeler.judging.coefficients import AgreementEstimate
from labeler.judging.pace import (
    CLAIMED_CHUNKS,
    CLAIMED_SECONDS_PER_QUERY,
    AssessorProgress,
    JudgingProgress,
    Pace,
)
from labeler.workspace.frames import judgements_frame
from labeler.workspace.records import KNOWN_ANSWER
from labeler.workspace.workspace import Workspace

if TYPE_CHECKING:
    import pandas as pd

_HOUR = 3600.0
_WEIGHTED = "Cohen’s kappa has linear weights: a difference counts by its steps on the scale."
_STILL_TO_MAKE = (
    "Still to make: one judgement of each chunk by each assessor of its query, or by anybody where "
    "the query is assigned to nobody; none of those who skipped it. A known answer is no "
    "judgement. Time left takes each chunk at the mean."
)
_ALPHA = (
    "Agreement beyond chance: 1 where all agree, 0 where they agree no more than by drawing lots. "
    "From 0.80 grades are usually relied on, from 0.67 with care, below that the guidelines want "
    "work. Where one grade is rare, it is low though people mostly agree. Kappa says the same of "
    "two people."
)
_PAIR_COLUMNS = (
    *("Assessors", "Queries>", "Pairs>", "Can’t tell>", "Same grade>", "95% interval>"),
    *("Cohen’s kappa>", "95% interval>"),
)


def pace_blocks(progress: JudgingProgress) -> list[SheetBlock]:
    """What is left, how long it will take, and how that compares with what is promised."""
    pace = progress.pace
    shown = [
        ("judgements still to make", f"{progress.left:,} of {progress.wanted:,}"),
        ("of judging left, at the mean", hours(progress.hours_left)),
        ("a chunk, mean", seconds(pace.seconds_per_chunk_mean)),
        ("a chunk, median", seconds(pace.seconds_per_chunk)),
        ("a query, median", minutes(pace.seconds_per_query)),
    ]
    low, high = (each / 60 for each in CLAIMED_SECONDS_PER_QUERY)
    promised = f"{low:.0f} to {high:.0f} minutes for a query of {CLAIMED_CHUNKS} chunks"
    return [
        numbers(*shown),
        facts(("Often promised", promised), ("Measured here", measured(pace))),
        notes(_STILL_TO_MAKE),
    ]


def measured(pace: Pace) -> str:
    """The pace in the terms of the promise, with what it rests on."""
    if pace.seconds_per_chunk_mean is None:
        return f"Unknown: {pace.note}"
    for_fifty = pace.seconds_per_chunk_mean * CLAIMED_CHUNKS / 60
    said = f"{for_fifty:.1f} minutes for {CLAIMED_CHUNKS} chunks, at the mean of "
    said += counted(pace.chunks, "timed chunk")
    if pace.seconds_per_query is None or pace.chunks_per_query is None:
        return f"{said} ({pace.note})"
    whole = f"{pace.seconds_per_query / 60:.1f} minutes for a query of {pace.chunks_per_query:.0f}"
    return f"{said}; {whole}, at the median of {pace.queries:,} judged whole"


def assessor_rows(
    people: Sequence[AssessorProgress], ended: Mapping[str, tuple[int, int]]
) -> list[list[str]]:
    """One row an assessor; `ended` is how many queries each finished and skipped."""
    return [
        [
            each.assessor,
            *(f"{count:,}" for count in ended.get(each.assessor, (0, 0))),
            f"{each.judged:,}",
            f"{each.unsure:,}",
            seconds(each.pace.seconds_per_chunk_mean),
            length(each.pace.active_hours * _HOUR) if each.pace.chunks else "not timed",
            f"{each.left:,}",
            hours(each.hours_left) if each.left else "",
        ]
        for each in people
    ]


ASSESSOR_COLUMNS = (
    "Assessor",
    "Finished>",
    "Skipped>",
    "Judged>",
    "Can’t tell>",
    "A chunk, mean>",
    "Active time>",
    "Assigned, left>",
    "Time left>",
)


def overall_blocks(report: AgreementReport) -> list[SheetBlock]:
    """How far all agree, and each pair of assessors."""
    return [
        numbers(
            ("pairs with the same grade", f"{report.same_pairs:,} of {report.shared_pairs:,}"),
            tally(report.shared_queries, "query they are in", many="queries they are in"),
            ("of all judged pairs", f"{report.shared_pairs / report.pairs:.0%}"),
        ),
        notes(_sentence(report)),
        numbers(
            (f"Krippendorff’s alpha, {report.alpha_metric}", value(report.alpha)),
            ("its 95% interval", interval(report.alpha)),
        ),
        notes(_ALPHA),
        table("Agreement by pair of assessors", _PAIR_COLUMNS, map(_pair_row, report.by_pair)),
        notes(*said_of(report)),
    ]


def _sentence(report: AgreementReport) -> str:
    """The first thing to know, before any coefficient."""
    on = counted(
        report.shared_pairs, "pair that two or more judged", many="pairs that two or more judged"
    )
    return (
        f"Same grade on {report.same_pairs:,} of {on}. Known answers are left out here; Freeze "
        "counts them as grades, so its numbers of pairs may be larger."
    )


def grades_by_assessor(workspace: Workspace) -> "pd.DataFrame":
    """How often each assessor gave each grade, a column each, and could not tell, the last."""
    import pandas as pd

    given = judgements_frame(workspace)
    given = given[given["final"] & (given["assessor"] != KNOWN_ANSWER)]
    counts = pd.crosstab(given["assessor"], given["grade"].astype("string").fillna(UNSURE))
    grades = [str(grade) for grade, _ in workspace.settings.grades]
    return counts.reindex(columns=[*grades, UNSURE], fill_value=0)


def grade_blocks(
    report: AgreementReport, by_assessor: "pd.DataFrame", meaning_by_grade: Mapping[int, str]
) -> list[SheetBlock]:
    """How often each grade was given, by all and by each."""
    shares = [
        [
            grade_name(each.grade, meaning_by_grade),
            f"{each.count:,}",
            value(each.share, share=True),
            interval(each.share, share=True),
        ]
        for each in report.prevalence
    ]
    blocks = [table("Grades", ["Grade", "Given>", "Share>", "95% interval>"], shares)]
    said = _reasons([each.share for each in report.prevalence])
    if not report.shared_pairs:
        said.append(_made(report))
    if said:
        blocks.append(notes(*said))
    if len(by_assessor):
        columns = ["Assessor", *(f"{grade}>" for grade in meaning_by_grade), "Can’t tell>"]
        rows = [[name, *(f"{n:,}" for n in counts)] for name, *counts in by_assessor.itertuples()]
        blocks.append(table("Grades by assessor", columns, rows))
    return blocks


def _pair_row(pair: PairAgreement) -> list[str]:
    return [
        " and ".join(pair.assessors),
        f"{pair.queries:,}",
        f"{pair.pairs:,}",
        f"{pair.unsure:,}",
        value(pair.raw, share=True),
        interval(pair.raw, share=True),
        value(pair.kappa),
        interval(pair.kappa),
    ]


def said_of(report: AgreementReport) -> list[str]:
    """Why numbers or intervals between assessors are missing, and how they were made."""
    by_pair = [each for pair in report.by_pair for each in (pair.raw, pair.kappa)]
    weighted = [_WEIGHTED] if report.kappa_weights == "linear" else []
    return [*_reasons([report.alpha, *by_pair]), *weighted, _made(report)]


def _made(report: AgreementReport) -> str:
    return (
        f"Intervals: percentiles of {report.resamples:,} draws of queries with replacement, "
        f"seed {report.seed}; none from fewer than {report.fewest_queries} queries. "
        "Known answers and decisions take no part."
    )


def _reasons(estimates: Sequence[AgreementEstimate]) -> list[str]:
    """Why numbers or intervals are missing, each reason once."""
    found = dict.fromkeys(each.note for each in estimates if each.note)
    return [f"{sentence(reason)}." for reason in found]


def value(estimate: AgreementEstimate, *, share: bool = False) -> str:
    if estimate.value is None:
        return "not defined"
    return f"{estimate.value:.1%}" if share else f"{estimate.value:z.2f}"


def interval(estimate: AgreementEstimate, *, share: bool = False) -> str:
    if estimate.interval is None:
        return "none"
    low, high = estimate.interval
    return f"{low:.1%} to {high:.1%}" if share else f"{low:z.2f} to {high:z.2f}"


def hours(number: float | None) -> str:
    return "unknown" if number is None else length(number * _HOUR)


def seconds(number: float | None) -> str:
    return "unknown" if number is None else f"{number:.1f} s"


def minutes(number: float | None) -> str:
    return "unknown" if number is None else f"{number / 60:.1f} min"
