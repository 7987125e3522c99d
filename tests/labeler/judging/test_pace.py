"""How far the judging is and how long the rest will take."""

from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.labelset.format import Judgement, Verdict
from labeler.judging.pace import measure_progress
from labeler.workspace.records import KNOWN_ANSWER
from tests.labeler.small import AT


def _event(
    assessor: str,
    pair: str,
    seconds: float | None,
    *,
    verdict: Verdict = "grade",
    imported_from: str | None = None,
) -> Judgement:
    """One event on a pair such as `q1 c2`."""
    query_id, chunk_id = pair.split()
    grade = 1 if verdict == "grade" else None
    event = Judgement("e", query_id, chunk_id, assessor, grade, verdict, AT, seconds)
    return event._replace(imported_from=imported_from)


def test_hours_left_are_what_is_left_at_the_mean() -> None:
    """Three chunks in 2, 4 and 9 seconds, 897 to go: 5 x 897 seconds, whatever the median is."""
    progress = measure_progress(
        [_event("Ann", "q1 a", 2), _event("Ann", "q1 b", 4), _event("Ann", "q1 c", 9)],
        chunks_by_query={"q1": 450, "q2": 450},
    )
    assert (progress.wanted, progress.judged, progress.left) == (900, 3, 897)
    assert progress.pace.seconds_per_chunk == 4
    assert progress.hours_left == pytest.approx(5 * 897 / 3600)


def test_a_chunk_judged_twice_took_the_time_of_both() -> None:
    """Every event carries the seconds since the last one, also the one that took it back."""
    progress = measure_progress(
        [
            _event("Ann", "q a", 3),
            _event("Ann", "q a", 1, verdict="undone"),
            _event("Ann", "q a", 2),
            _event("Ann", "q b", 60),
            _event("Ann", "q b", 1, verdict="undone"),
        ],
        chunks_by_query={"q": 2},
    )
    assert (progress.judged, progress.pace.chunks, progress.pace.seconds_per_chunk) == (1, 1, 6)
    assert progress.pace.active_hours == pytest.approx(67 / 3600)


def test_seconds_per_query_are_of_whole_queries() -> None:
    """Half a query is no fast query."""
    progress = measure_progress(
        [
            *(_event("Ann", f"q1 {chunk}", 3) for chunk in "ab"),
            *(_event("Bo", f"q1 {chunk}", 5) for chunk in "ab"),
            _event("Ann", "q2 a", 1),
        ],
        chunks_by_query={"q1": 2, "q2": 2},
    )
    pace = progress.pace
    assert (pace.queries, pace.seconds_per_query, pace.chunks_per_query) == (2, 8, 2)
    assert [each.pace.seconds_per_query for each in progress.by_assessor] == [6, 10]


def test_what_nobody_is_assigned_to_wants_anybody() -> None:
    """Two assessors on one chunk leave the other one open; "can't tell" is work done."""
    events = [_event("Ann", "q a", 2, verdict="unsure"), _event("Bo", "q a", 8)]
    progress = measure_progress(events, chunks_by_query={"q": 2})
    assert (progress.wanted, progress.left, progress.pace.seconds_per_chunk) == (2, 1, 5)
    assert (progress.by_assessor[0].judged, progress.by_assessor[0].unsure) == (1, 1)


def test_assigned_queries_want_each_of_their_assessors() -> None:
    """What somebody else judged is not done, and each has their own hours at their own pace."""
    progress = measure_progress(
        [_event("Ann", "q1 a", 10), _event("Bo", "q1 a", 20), _event("Cy", "q1 b", 30)],
        chunks_by_query={"q1": 2, "q2": 3, "q3": 4},
        assessors_by_query={"q1": ["Ann", "Bo"], "q2": ["Bo"], "q3": []},
    )
    assert (progress.wanted, progress.left) == (7, 5)
    assert [(each.assessor, each.left, each.hours_left) for each in progress.by_assessor] == [
        ("Ann", 1, pytest.approx(10 / 3600)),
        ("Bo", 4, pytest.approx(80 / 3600)),
        ("Cy", 0, 0.0),
    ]


def test_an_assessor_who_has_not_begun_has_no_pace() -> None:
    """Their hours are unknown, which is said, and is not 0."""
    progress = measure_progress([], chunks_by_query={"q": 50}, assessors_by_query={"q": ["Ann"]})
    (ann,) = progress.by_assessor
    assert (ann.left, ann.hours_left, progress.hours_left) == (50, None, None)
    assert ann.pace.note == "nothing was timed"


def test_judgements_from_elsewhere_have_no_pace() -> None:
    """Imported grades are there, but nobody here took the time."""
    progress = measure_progress(
        [_event("file", "q a", 1, imported_from="x.csv"), _event("Ann", "q c", 7)],
        chunks_by_query={"q": 2},
    )
    assert (progress.left, progress.pace.chunks, progress.pace.seconds_per_chunk) == (0, 1, 7)
    assert [each.assessor for each in progress.by_assessor] == ["Ann", "file"]
    assert progress.pace.note == "no query was judged whole"


def test_a_known_answer_is_still_to_read() -> None:
    """Whoever judges the query reads that chunk with the others, assigned or not."""
    known = [_event(KNOWN_ANSWER, "q a", None), _event("Ann", "q b", 7)]
    assigned: dict[str, list[str]]
    for assigned in ({}, {"q": ["Ann"]}):
        progress = measure_progress(known, chunks_by_query={"q": 2}, assessors_by_query=assigned)
        assert (progress.wanted, progress.judged, progress.left) == (2, 1, 1)
        assert [each.assessor for each in progress.by_assessor] == ["Ann"]


def test_a_skipped_query_is_not_waited_for() -> None:
    """Left out of what is to be judged, it counts for the pace and for nothing else."""
    progress = measure_progress([_event("Ann", "q9 a", 4)], chunks_by_query={"q": 1})
    assert (progress.wanted, progress.judged, progress.left) == (1, 0, 1)
    assert progress.hours_left == pytest.approx(4 / 3600)


events = st.lists(
    st.builds(
        _event,
        st.sampled_from(["A", "B"]),
        st.sampled_from(["q1 a", "q1 b", "q2 a"]),
        st.floats(0, 60),
        verdict=st.sampled_from(["grade", "unsure", "undone"]),
    ),
    max_size=12,
)


@given(events)
def test_progress_agrees_with_what_stands(made: list[Judgement]) -> None:
    """Counted anew, pair by pair, from the last event of each assessor."""
    last = {(e.assessor, e.query_id, e.chunk_id): e for e in made}
    standing = {key for key, event in last.items() if event.verdict != "undone"}
    seconds = [
        sum(e.active_seconds or 0 for e in made if (e.assessor, e.query_id, e.chunk_id) == key)
        for key in standing
    ]
    progress = measure_progress(made, chunks_by_query={"q1": 2, "q2": 1})
    assert progress.judged == len({key[1:] for key in standing})
    assert progress.judged + progress.left == progress.wanted == 3
    assert progress.pace.seconds_per_chunk == (pytest.approx(median(seconds)) if seconds else None)
