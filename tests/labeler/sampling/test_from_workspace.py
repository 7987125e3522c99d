"""A sample out of a workspace, and where its queries stand."""

from pathlib import Path

import pytest

from evaluator import InputError
from evaluator.labelset.format import Query
from labeler.freezing.freeze import freeze
from labeler.freezing.header_work import HeaderWork
from labeler.freezing.plan import classed_queries
from labeler.logs.read import merged_queries, read_log
from labeler.sampling.from_workspace import draw, successor_text
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
    """The file that was read is named once more."""
    workspace = logged(tmp_path)
    drawn = draw(workspace, size=4, seed=1, by=["column:source"], files=[tmp_path / "log.csv"])
    assert {"help", "shop"} == set(drawn.design["allocation"])
    with pytest.raises(InputError, match="Name each with --log FILE"):
        draw(workspace, size=4, seed=1, by=["column:source"])


def test_looking_keeps_nothing(tmp_path: Path) -> None:
    """A sample is drawn and not stored."""
    workspace = logged(tmp_path)
    draw(workspace, size=4, seed=1)
    assert ([], None) == (workspace.queries.all(), workspace.queries.sample())


def test_a_successor_finds_the_log_beside_the_set(tmp_path: Path) -> None:
    """A set in its workspace needs no --former; the same log keeps all its queries."""
    labels = frozen(logged(tmp_path / "old"))
    new = logged(tmp_path / "new")
    drawn = draw(new, size=3, seed=7, refresh=labels)
    assert (3, 0) == (drawn.design["refresh"]["stay"], drawn.design["refresh"]["come"])
    new.queries.save_sample(drawn.design, drawn.queries)
    assert "Of 3 queries of first 3 stay (3 on average), 0 of 3 are new" in successor_text(
        drawn.design["refresh"], drawn=3
    )


def test_a_set_elsewhere_needs_its_workspace_named(tmp_path: Path) -> None:
    """Unless permanent numbers drew it."""
    old, new = logged(tmp_path / "old"), logged(tmp_path / "new")
    labels = frozen(old).rename(tmp_path / "moved")
    with pytest.raises(InputError, match="--former WORK"):
        draw(new, size=3, seed=7, refresh=labels)
    drawn = draw(new, size=3, seed=7, refresh=labels, former=tmp_path / "old")
    assert 3 == drawn.design["refresh"]["stay"]
    free = frozen(logged(tmp_path / "free"), design="permanent").rename(tmp_path / "alone")
    assert not draw(new, size=3, seed=7, refresh=free).design["refresh"]["stretched"]


def test_strata_of_a_former_log_are_read_from_its_files(tmp_path: Path) -> None:
    """A set stratified by a column has a successor, as long as its log is still there."""
    old = [tmp_path / "old" / "log.csv"]
    labels = frozen(logged(tmp_path / "old"), by=["column:source"], files=old)
    newer = LOG.replace("bike,shop\n", "bike,help\ntent,shop\n")
    new, files = logged(tmp_path / "new", newer), [tmp_path / "new" / "log.csv"]
    with pytest.raises(InputError, match=r"stratified by column:source.*--log FILE"):
        draw(new, size=3, seed=7, refresh=labels)
    with pytest.raises(InputError, match="need the log files again"):
        draw(new, size=3, seed=7, refresh=labels, files=files)
    files += old
    drawn = draw(new, size=3, seed=7, refresh=labels, files=files, by=["column:source"])
    assert {"help", "shop"} == set(drawn.design["allocation"])
    assert drawn.design["refresh"]["stretched"]
    plain = draw(new, size=3, seed=7, refresh=labels, files=files)
    assert drawn.design["refresh"]["labels"] == plain.design["refresh"]["labels"] == "first"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"former": Path("x")}, "goes with --refresh"),
        ({"refresh": Path("x"), "design": "top"}, "--design top does not go with --refresh"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    tmp_path: Path, options: dict[str, object], message: str
) -> None:
    """With the reason."""
    with pytest.raises(InputError, match=message):
        draw(logged(tmp_path), size=3, seed=1, **options)  # type: ignore[arg-type]


def test_logs_are_added_up(tmp_path: Path) -> None:
    """A query of two logs has the searches and the spellings of both."""
    (tmp_path / "a.txt").write_text("VPN\nvpn\nVPN\n")
    (tmp_path / "b.txt").write_text("vpn\npay\n")
    queries = merged_queries(read_log(tmp_path / name) for name in ("a.txt", "b.txt"))
    assert [("pay", 1), ("vpn", 4)] == [(query.query, query.count) for query in queries]


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
