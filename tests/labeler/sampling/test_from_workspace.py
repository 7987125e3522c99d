"""A sample out of a workspace, and where its queries stand."""

from pathlib import Path

import pytest

from evaluator import InputError
from evaluator.labelset.format import Query
from labeler.freezing.freeze import freeze
from labeler.freezing.header_work import HeaderWork
from labeler.freezing.plan import classed_queries
from labeler.logs.read import read_log
from labeler.sampling.from_workspace import draw
from labeler.sampling.successor import successor_text
from labeler.workspace.records import Event
from labeler.workspace.workspace import Workspace
from tests.labeler.small import AT, NOW, clock, entry, small_workspace

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
