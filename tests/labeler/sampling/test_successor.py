"""A successor keeps as many queries as it can, and its probabilities are those it states."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import InputError
from evaluator.labelset.format import LabelSet, Query
from labeler.freezing.freeze import freeze
from labeler.freezing.header_work import HeaderWork
from labeler.freezing.plan import classed_queries
from labeler.logs.queries import LogQuery
from labeler.logs.read import read_log
from labeler.sampling.draw import Sample, draw_sample
from labeler.sampling.strata import text_strata
from labeler.sampling.successor import FormerSample, draw, draw_successor, successor_text
from labeler.sampling.systematic import split_certainty
from labeler.workspace.records import Event
from labeler.workspace.sample_design import DesignName, Refresh, SampleDesign
from labeler.workspace.workspace import Workspace
from tests.labeler.small import AT, NOW, clock, entry, small_workspace

DRAWS = 1500
PRIVATE = {"choice": "mask", "identifiers": ["K-1"], "regions": ["DE"]}
THEN = [
    LogQuery(f"query {n}", f"query {n}", count)
    for n, count in enumerate([60, 20, 9, 8, 7, 6, 5, 5, 4, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1, 1])
]
# some asked more, some less, some no longer, and some that nobody asked then
ASKED_NOW = [
    LogQuery(f"query {n}", f"query {n}", count)
    for n, count in enumerate([30, 40, 9, 2, 0, 6, 15, 5, 4, 8, 3, 0, 4, 1, 1, 3, 1, 0, 0, 1])
] + [LogQuery(f"new {n}", f"new {n}", count) for n, count in enumerate([12, 3, 1, 1])]


def former_of(sample: Sample) -> FormerSample:
    queries = {query.query_id: query for query in sample.queries}
    return FormerSample("then", "sha then", sample.design, queries)


def drawn_then(seed: int, *, design: DesignName = "permanent") -> FormerSample:
    return former_of(draw_sample(THEN, size=8, seed=seed, design=design))


def successor(former: FormerSample, log: Sequence[LogQuery] = ASKED_NOW) -> tuple[Sample, Refresh]:
    """A successor of eight, and how it differs."""
    sample = draw_successor(log, former=former, size=8, seed=99)
    assert sample.design.refresh is not None
    return sample, sample.design.refresh


def chances(log: Sequence[LogQuery]) -> dict[str, float]:
    """The probability of each query in a sample of eight."""
    certain, rest = split_certainty([query for query in log if query.count], size=8)
    total = sum(query.count for query in rest)
    return {query.text: 1.0 for query in certain} | {
        query.text: (8 - len(certain)) * query.count / total for query in rest
    }


def test_over_former_draws_queries_come_and_stay_as_often_as_they_should() -> None:
    """1,500 former samples: probabilities as stated, and the largest overlap there can be."""
    then, now = chances(THEN), chances(ASKED_NOW)
    hit: Counter[str] = Counter()
    stay, expected = 0, 0.0
    for seed in range(DRAWS):
        sample, refresh = successor(drawn_then(seed))
        hit.update(query.text for query in sample.queries)
        assert all(now[q.text] == q.inclusion_probability for q in sample.queries)
        stay += refresh.stay
        expected += refresh.expected_to_stay
    assert math.isclose(8, sum(now.values()))
    for text, p in now.items():
        assert abs(hit[text] / DRAWS - p) <= 5 * math.sqrt(p * (1 - p) / DRAWS), text
    most = sum(min(p, then.get(text, 0.0)) for text, p in now.items())
    assert pytest.approx(most, abs=0.12) == stay / DRAWS
    assert pytest.approx(most, abs=0.12) == expected / DRAWS


@given(st.integers(0, 10_000))
@settings(max_examples=30)
def test_an_unchanged_or_growing_query_is_not_lost(seed: int) -> None:
    """Its number was below its probability, which has not become smaller."""
    former = drawn_then(seed)
    same, refresh = successor(former, THEN)
    assert former.query_by_id.keys() == {query.query_id for query in same.queries}
    assert (0, 0) == (refresh.come, refresh.go)
    then, now = chances(THEN), chances(ASKED_NOW)
    texts = {query.text for query in successor(former)[0].queries}
    for query in former.query_by_id.values():
        assert query.text in texts or now.get(query.text, 0.0) < then[query.text]


def test_what_changed_is_counted() -> None:
    """Those that stay, come, go, and are no longer asked, add up; a chain keeps its numbers."""
    former = drawn_then(1)
    sample, refresh = successor(former)
    texts = {query.text for query in former.query_by_id.values()}
    assert refresh.stay == sum(query.text in texts for query in sample.queries)
    assert len(sample.queries) == refresh.stay + refresh.come
    assert len(former.query_by_id) == refresh.stay + refresh.go
    assert refresh.no_longer_asked == len(texts & {"query 4", "query 11", "query 17", "query 18"})
    assert ("then", "sha then", "1") == (refresh.labels, refresh.sha256, refresh.salt)
    third, _ = successor(former_of(sample), THEN)
    assert former.query_by_id.keys() == {query.query_id for query in third.queries}


def test_strata_are_respected() -> None:
    """Within the same strata an unchanged log keeps every query."""
    log = [LogQuery(t, t, 3) for t in (f"how do i {n}" for n in range(20))]
    log += [LogQuery(t, t, 2) for t in (f"word{n}" for n in range(40))]
    strata = text_strata(log, by=["type"])
    first = draw_sample(log, size=20, seed=4, design="permanent", strata=strata)
    former = former_of(first)
    again = draw_successor(log, former=former, size=20, seed=1, strata=strata)
    assert former.query_by_id.keys() == {query.query_id for query in again.queries}
    assert {"keywords: rest", "question: rest"} == {q.stratum for q in again.queries}


@pytest.mark.parametrize("design", ["proportional", "uniform", "top"])
def test_only_permanent_numbers_have_successors(design: DesignName) -> None:
    """Nor have the numbers that an older version fitted to such a sample."""
    with pytest.raises(InputError, match=r"not drawn by permanent numbers.* was removed"):
        successor(drawn_then(1, design=design))
    sample, refresh = successor(drawn_then(1))
    fitted = replace(sample.design, refresh=replace(refresh, stretched=True))
    with pytest.raises(InputError, match="was not drawn by permanent numbers"):
        successor(former_of(Sample(sample.queries, fitted)))


@pytest.mark.parametrize(
    ("logs", "expected"),
    [
        ([{"normalising": "none", "private": PRIVATE}], (False, "mask", ("K-1",), ("DE",))),
        ([], (True, None, (), ())),
    ],
)
def test_a_newer_log_is_read_as_the_former_one_was(
    logs: list[dict[str, object]], expected: tuple[object, ...]
) -> None:
    """With the same choice about private data; a set that does not say was read as usual."""
    reading = FormerSample("", "", SampleDesign(logs=tuple(logs)), {}).reading
    names = ("normalise", "private", "identifiers", "regions")
    assert dict(zip(names, expected, strict=True)) == reading


def test_a_set_knows_its_queries_by_their_hash() -> None:
    """Whatever else it holds; without queries from a log it has neither age nor successor."""
    (drawn,) = draw_sample([LogQuery("vpn", "VPN", 2)], size=1, seed=1).queries
    other = Query("known-item-1", "VPN", origin="known-item")
    manifest = {"name": "first", "sampling": {"method": "m"}}
    labels = LabelSet(Path("first"), "ab", manifest, (drawn, other), {}, {})
    sample = FormerSample.of_labels(labels)
    assert (drawn, None) == (sample.drawn("vpn"), sample.drawn("VPN"))
    with pytest.raises(InputError, match="was not drawn from a log"):
        FormerSample.of_labels(replace(labels, manifest={"name": "first", "sampling": None}))


LOG = "query,source\n" + "vpn,help\n" * 6 + "pay,shop\n" * 3 + "desk,help\nbike,shop\ncar,help\n"


def logged(directory: Path, text: str = LOG) -> Workspace:
    """A workspace with one log."""
    workspace = small_workspace(directory)
    (directory / "log.csv").write_text(text)
    reading = read_log(directory / "log.csv")
    workspace.queries.add_log(reading.record, reading.queries)
    return workspace


def frozen(workspace: Workspace, **options: object) -> Path:
    """A label set of the workspace's sample, in the workspace or elsewhere."""
    sample = draw(workspace, size=3, seed=1, **options)  # type: ignore[arg-type]
    workspace.queries.save_sample(sample.design, sample.queries)
    first = sample.queries[0].query_id
    workspace.pool.add([entry(first, "vpn.md#0")], source={"source": "system", "depth": 1})
    event = Event("e", "vpn.md#0", 1, "grade")
    workspace.judgements.record("ada", first, [event], now=AT)
    return freeze(
        workspace, name="first", header_work=HeaderWork(False), declared_by="x", clock=clock
    ).path


def test_strata_by_column_read_the_log_again(tmp_path: Path) -> None:
    """The file that was read is named once more; looking at a sample stores nothing."""
    workspace = logged(tmp_path)
    drawn = draw(workspace, size=4, seed=1, by=["column:source"], files=[tmp_path / "log.csv"])
    assert {"help", "shop"} == set(drawn.design.allocation)
    assert ([], None) == (workspace.queries.all(), workspace.queries.sample())
    with pytest.raises(InputError, match="Name each with --log FILE"):
        draw(workspace, size=4, seed=1, by=["column:source"])


def test_a_successor_needs_nothing_but_the_set(tmp_path: Path) -> None:
    """Permanent numbers drew it, wherever it lies now; the same log keeps all its queries."""
    labels = frozen(logged(tmp_path / "old"), design="permanent").rename(tmp_path / "moved")
    new = logged(tmp_path / "new")
    drawn = draw(new, size=3, seed=7, refresh=labels)
    assert drawn.design.refresh is not None
    assert 0 == drawn.design.refresh.come
    stay = len(drawn.queries)
    assert f"Of {stay} queries of first {stay} stay (" in successor_text(drawn.design)
    with pytest.raises(InputError, match="--design top does not go with --refresh"):
        draw(new, size=3, seed=1, refresh=labels, design="top")


def test_a_workspace_and_the_set_frozen_from_it_stand_alike(tmp_path: Path) -> None:
    """Judged queries have a class, others none; the share comes from the held-out rule."""
    workspace = logged(tmp_path)
    labels = frozen(workspace)
    one, other = classed_queries(tmp_path), classed_queries(labels)
    assert one.class_by_query == other.class_by_query
    assert (1, 3, 0.5) == (len(one.class_by_query), len(one.queries), other.held_out_share)
    assert {"held-out", "tuning"} >= set(one.class_by_query.values())
    with pytest.raises(InputError, match="neither a label set"):
        classed_queries(tmp_path / "gone")


def test_a_skipped_query_has_no_class(tmp_path: Path) -> None:
    """It counts neither as judged nor as without gold."""
    workspace = small_workspace(tmp_path)
    workspace.queries.add([Query("q1", "x")])
    workspace.pool.add([entry("q1", "vpn.md#0")], source={"source": "s", "depth": 1})
    workspace.judgements.record("ada", "q1", [Event("e", "vpn.md#0", 0, "grade")], now=AT)
    assert {"q1": "no-gold"} == classed_queries(tmp_path).class_by_query
    workspace.judgements.end_query("ada", "q1", outcome="skipped", reason="odd", now=str(NOW))
    assert {} == classed_queries(tmp_path).class_by_query


@pytest.mark.parametrize(("keep", "drawn"), [(False, 1), (True, 3)])
def test_queries_without_content_are_set_aside(tmp_path: Path, *, keep: bool, drawn: int) -> None:
    """They stay in the log, and the design says how many searches they are."""
    workspace = small_workspace(tmp_path / "w")
    log = [LogQuery(text, text, 2) for text in ("vpn", "???", "v\u200bpn")]
    record = {"file": "log.csv", "sha256": "0" * 64, "searches": 6, "distinct": 3}
    workspace.queries.add_log(record, log)
    design = draw(workspace, size=3, seed=1, keep_symbols=keep).design
    assert drawn == design.drawn
    assert keep != any("2 queries (4 searches)" in note for note in design.notes)


def test_a_log_that_was_read_by_mistake_is_forgotten(tmp_path: Path) -> None:
    """Before a sample is drawn, and of several only all, since their counts were added up."""
    queries = small_workspace(tmp_path / "w").queries
    for name in ("a", "b"):
        queries.add_log({"file": name, "sha256": name}, [LogQuery("vpn", "vpn", 2)])
    with pytest.raises(InputError, match="added up"):
        queries.forget_log("a")
    with pytest.raises(InputError, match="is not there; logs that were read: a, b"):
        queries.forget_log("c")
    queries.forget_log("all")
    assert ([], []) == (queries.logs(), queries.log_queries())
