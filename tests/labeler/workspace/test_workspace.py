"""The workspace file: appended, committed, read back."""

import sqlite3
from pathlib import Path

import pytest

from evaluator import InputError
from evaluator.labelset.format import Query
from labeler.logs.queries import LogQuery
from labeler.workspace.connection import FILE
from labeler.workspace.records import Decision, Event
from labeler.workspace.sample_design import SampleDesign
from labeler.workspace.workspace import Workspace
from tests.labeler.small import AT, entry, pooled_workspace, small_workspace

LATER = "2026-01-02T03:05:00.000Z"


def grade(event_id: str, chunk_id: str, value: int | None, verdict: str = "grade") -> Event:
    return Event(event_id, chunk_id, value, verdict)  # type: ignore[arg-type]


def test_no_workspace_says_how_to_make_one(tmp_path: Path) -> None:
    """A directory without a workspace is no workspace."""
    with pytest.raises(InputError, match="labeler init"):
        Workspace.open(tmp_path)


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    """A file that is no SQLite file gives a message, not a traceback."""
    (tmp_path / "work.sqlite").write_text("not a database, but long enough to be looked at" * 9)
    with pytest.raises(InputError, match=r"work\.sqlite cannot be read"):
        Workspace.open(tmp_path)


def test_damaged_settings_are_named(tmp_path: Path) -> None:
    """What is no JSON any more."""
    small_workspace(tmp_path).close()
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute("UPDATE settings SET value = '[[0, ' WHERE key = 'grades'")
    with pytest.raises(InputError, match=r"work\.sqlite cannot be read as a workspace \(Expect"):
        Workspace.open(tmp_path)


@pytest.mark.parametrize("stored", ["[[", "[1]", "{"])
def test_damaged_json_is_named_with_its_place(tmp_path: Path, stored: str) -> None:
    """Of a query and of a source of the pool, whoever asks for them."""
    workspace = small_workspace(tmp_path)
    workspace.queries.add_log(
        {"file": "a.csv", "sha256": "a"}, [LogQuery("x", "x", 1, (("x", 1),))]
    )
    workspace.queries.add([Query(query_id="q", text="x", origin="authored")])
    workspace.pool.add([], source={"source": "run:a", "kind": "run", "depth": 1})
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute("UPDATE queries SET variants = ?", [stored])
        database.execute("UPDATE log_queries SET variants = ?", [stored])
        database.execute("UPDATE pool_sources SET record = ?", [stored])
        database.execute("UPDATE logs SET record = ?", [stored])
    for place, read in {
        "queries.variants": workspace.queries.all,
        "log_queries.variants": workspace.queries.log_queries,
        "pool_sources.record": workspace.pool.sources,
        "logs.record": workspace.queries.logs,
    }.items():
        with pytest.raises(InputError, match=rf"in {place}, which cannot be read .*from a copy"):
            read()


def test_a_file_that_is_in_use_is_not_called_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program may keep all others away from it for longer than anybody waits."""
    small_workspace(tmp_path).close()
    waiting = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: waiting(*a, **{**k, "timeout": 0.1}))
    with sqlite3.connect(tmp_path / FILE, isolation_level=None) as other:
        other.execute("PRAGMA journal_mode=delete")
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(InputError, match=r"sqlite is locked by another program\. Try again"):
            Workspace.open(tmp_path)


def test_counts_of_two_logs_add_up(empty: Workspace) -> None:
    """The same query in two logs is one query; the commonest spelling is shown."""
    empty.queries.add_log(
        {"file": "a.csv", "sha256": "a"},
        [LogQuery("na", "NA", 2, (("NA", 2),)), LogQuery("x", "x", 1)],
    )
    empty.queries.add_log({"file": "b.csv", "sha256": "b"}, [LogQuery("na", "na", 3, (("na", 3),))])
    assert [
        LogQuery("na", "na", 5, (("na", 3), ("NA", 2))),
        LogQuery("x", "x", 1),
    ] == empty.queries.log_queries()


def test_a_log_is_read_once(empty: Workspace) -> None:
    """The same bytes a second time would double every count."""
    empty.queries.add_log({"file": "a.csv", "sha256": "a"}, [])
    with pytest.raises(InputError, match=r"copy\.csv has been read"):
        empty.queries.add_log({"file": "copy.csv", "sha256": "a"}, [])


def sampled(text: str, query_id: str) -> Query:
    return Query(query_id, text, log_count=2, inclusion_probability=0.5, weight=4.0)


def test_an_unjudged_sample_is_replaced_with_its_pool(empty: Workspace) -> None:
    """Drawing again before anybody judged leaves nothing of the first sample."""
    empty.queries.add([Query("known", "kept", origin="known-item")])
    empty.pool.add([entry("known", "vpn.md#0")], source={"source": "system"})
    empty.queries.save_sample(SampleDesign(seed=1), [sampled("one", "s1")])
    empty.pool.add([entry("s1", "vpn.md#0")], source={"source": "model", "depth": 1})
    empty.queries.save_sample(SampleDesign(seed=2), [sampled("two", "s2")])
    assert ["known", "s2"] == [query.query_id for query in empty.queries.all()]
    assert SampleDesign(seed=2) == empty.queries.sample()
    assert ["system"] == [source["source"] for source in empty.pool.sources()]


def test_a_judged_sample_stays(empty: Workspace) -> None:
    """Drawing again after judging would throw judgements away."""
    empty.queries.save_sample(SampleDesign(seed=1), [sampled("one", "s1")])
    empty.pool.add([entry("s1", "vpn.md#0")], source={"source": "model", "depth": 1})
    empty.judgements.record("ada", "s1", [grade("e1", "vpn.md#0", 1)], now=AT)
    with pytest.raises(InputError, match="cannot be drawn again"):
        empty.queries.save_sample(SampleDesign(seed=2), [sampled("two", "s2")])
    assert ["s1"] == [query.query_id for query in empty.queries.all()]


def test_queries_come_back_as_they_were(empty: Workspace) -> None:
    """Words that look like nothing, maps and lists survive."""
    queries = [
        Query("q1", "NA", filter={"tenant": "007"}, variants=(("NA", 2), ("na", 1)), group="g"),
        Query("q2", "'; DROP TABLE queries; --"),
        Query("q3", "a \u202e b\n\x1b[31m"),
    ]
    empty.queries.add(queries)
    assert queries == empty.queries.all()
    assert queries[1] == empty.queries.get("q2")


def test_a_taken_query_id_is_refused(empty: Workspace) -> None:
    """Nothing of the batch is stored."""
    empty.queries.add([Query("q1", "one")])
    with pytest.raises(InputError, match="1 of 2 query ids are in the workspace already: q1"):
        empty.queries.add([Query("q0", "zero"), Query("q1", "another")])
    assert ["q1"] == [query.query_id for query in empty.queries.all()]


def test_a_pair_remembers_all_that_found_it(pooled: Workspace) -> None:
    """A second source adds its name to a known pair and counts only new ones."""
    new = pooled.pool.add(
        [entry("q1", "leave.md#0", "run:b"), entry("q1", "vpn.md#0", "run:b")],
        source={"source": "run:b", "depth": 2},
    )
    assert new == 1
    found_by = {e.chunk_id: e.found_by for e in pooled.pool.entries("q1")}
    assert found_by["leave.md#0"] == ("run:b", "system")


def test_a_shallower_pool_does_not_shrink_the_record(pooled: Workspace) -> None:
    """The depth on record is the deepest, and every depth is kept."""
    pooled.pool.add([entry("q1", "leave.md#0")], source={"source": "system", "depth": 1})
    assert [{"source": "system", "depth": 3, "depths": [1, 3]}] == pooled.pool.sources()


def test_an_event_is_stored_once(pooled: Workspace) -> None:
    """A page that sends again what was not acknowledged does no harm; nor does another grade."""
    event = grade("e1", "leave.md#0", 1)
    assert ("e1",) == pooled.judgements.record("ada", "q1", [event], now=AT).stored
    again = [event, grade("e1", "leave.md#0", 0)]
    assert ("e1", "e1") == pooled.judgements.record("ada", "q1", again, now=LATER).stored
    assert [(AT, 1)] == [(each.judged_at, each.grade) for each in pooled.judgements.all()]


def test_the_last_event_stands(pooled: Workspace) -> None:
    """A change replaces, undo takes back, can't tell is kept without a grade."""
    events = [
        grade("e1", "leave.md#0", 1),
        grade("e2", "leave.md#0", 0),
        grade("e3", "parking.md#0", 1),
        grade("e4", "parking.md#0", None, "undone"),
        grade("e5", "vpn.md#1", None, "unsure"),
    ]
    pooled.judgements.record("ada", "q1", events, now=AT)
    current = pooled.judgements.current("ada", "q1")
    assert {"leave.md#0": 0, "vpn.md#1": None} == {c: j.grade for c, j in current.items()}
    assert len(events) == len(list(pooled.judgements.all()))


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (grade("e", "vpn.md#0", 1), "not in the query's pool"),
        (grade("e", "leave.md#0", 7), "not on the scale"),
        (grade("e", "leave.md#0", 1, "unsure"), "with a grade"),
        (Event("e", "leave.md#0", 1, "grade", active_seconds=float("nan")), "no seconds"),
        (Event("e", "leave.md#0", 1, "grade", note="\ud800"), "no text"),
        (Event("e", "leave.md#0", 1, "grade", position=1 << 63), "no place in an order"),
        (Event("", "leave.md#0", 1, "grade"), "without an id"),
        (grade("d1", "leave.md#0", 1), "a decision has this event id"),
    ],
)
def test_what_cannot_stand_is_refused_alone(pooled: Workspace, event: Event, reason: str) -> None:
    """A refused event gets its reason and holds up nothing else."""
    for name, value in (("ada", 0), ("bob", 1)):
        pooled.judgements.record(name, "q2", [grade(name, "leave.md#0", value)], now=AT)
    pooled.decisions.record("eve", "q2", [Decision("d1", "leave.md#0", 1, "grade")], now=AT)
    receipt = pooled.judgements.record("ada", "q1", [event, grade("ok", "leave.md#0", 1)], now=AT)
    assert ("ok",) == receipt.stored
    ((refused, said),) = receipt.refused
    assert (refused, True) == (event.event_id, reason in said)


def test_what_broke_off_reading_is_told(pooled: Workspace) -> None:
    """Where the disk fails SQLite ends the transaction itself, and there is none to end."""

    def broken_off() -> None:
        with pooled.connection.reading():
            pooled.connection.db.execute("ROLLBACK")
            raise sqlite3.OperationalError("disk I/O error")

    with pytest.raises(sqlite3.OperationalError, match="disk I/O error"):
        broken_off()


def test_the_shown_text_is_recorded(pooled: Workspace) -> None:
    """Each judgement carries the hash of the text that the pool held."""
    pooled.judgements.record("ada", "q1", [grade("e1", "leave.md#0", 1)], now=AT)
    (judgement,) = pooled.judgements.all()
    assert entry("q1", "leave.md#0").text_sha256 == judgement.text_sha256


def test_time_never_runs_backwards(pooled: Workspace) -> None:
    """A clock that was set back cannot make an earlier event the last one."""
    pooled.judgements.record("ada", "q1", [grade("e1", "leave.md#0", 1)], now=LATER)
    pooled.judgements.record("ada", "q1", [grade("e2", "leave.md#0", 0)], now=AT)
    assert [LATER, LATER] == [judgement.judged_at for judgement in pooled.judgements.all()]
    assert 0 == pooled.judgements.current("ada", "q1")["leave.md#0"].grade


def test_an_interrupted_write_leaves_nothing(pooled: Workspace) -> None:
    """All of a transaction, or none of it."""

    def interrupted() -> None:
        with pooled.connection.write():
            pooled.connection.execute("DELETE FROM pool")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert 6 == len(list(pooled.pool.entries()))


def test_commits_survive_a_power_cut(empty: Workspace) -> None:
    """The write-ahead log is on and every commit is flushed."""
    with empty.connection.write():
        assert ("wal", 2) == (
            empty.connection.execute("PRAGMA journal_mode").fetchone()[0],
            empty.connection.execute("PRAGMA synchronous").fetchone()[0],
        )


def test_progress_counts_pairs(pooled: Workspace) -> None:
    """Two assessors on one pair are one judged pair."""
    pooled.judgements.record("ada", "q1", [grade("e1", "leave.md#0", 1)], now=AT)
    pooled.judgements.record("bob", "q1", [grade("e2", "leave.md#0", 0)], now=AT)
    pooled.judgements.end_query("bob", "q1", outcome="skipped", reason="unclear", now=AT)
    first, second = pooled.progress()
    assert (3, 1, {"ada": 1, "bob": 1}) == (first.pool, first.judged, dict(first.judged_by))
    assert ({"bob": "skipped"}, 0) == (dict(first.ended_by), second.judged)


def test_a_need_cannot_change_under_a_judgement(pooled: Workspace) -> None:
    """What an assessor read stays what the label set says they read."""
    pooled.queries.set_needs({"q1": "How long before?"})
    pooled.judgements.record("ada", "q1", [grade("e1", "leave.md#0", 1)], now=AT)
    with pytest.raises(InputError, match="judged already: q1"):
        pooled.queries.set_needs({"q1": "Something else."})
    assert "How long before?" == pooled.queries.get("q1").need


def test_a_workspace_of_the_first_version_opens(tmp_path: Path) -> None:
    """What was judged in it stays; what is new begins empty."""
    workspace = pooled_workspace(tmp_path)
    workspace.judgements.record("ada", "q1", [grade("e1", "leave.md#0", 1)], now=AT)
    with workspace.connection.write():
        for table in ("roles", "assignments", "decisions", "flip_marks"):
            workspace.connection.execute(f"DROP TABLE {table}")
        workspace.connection.execute("DELETE FROM _sqlite_migrations WHERE name <> 'first'")
    workspace.close()
    opened = Workspace.open(tmp_path)
    assert 1 == opened.judgements.current("ada", "q1")["leave.md#0"].grade
    assert ([], {}, {}, []) == (
        opened.people.roles(),
        opened.people.assessors_by_query(),
        opened.decisions.standing(),
        list(opened.flip_marks.of("0" * 64)),
    )


def test_a_sample_without_probabilities_is_replaced_too(empty: Workspace) -> None:
    """The most frequent queries have counts only; queries of other origins stay."""
    empty.queries.add([Query("mine", "x", origin="authored"), Query("imported", "y")])
    drawn = [Query("q-1", "a", log_count=3), Query("q-2", "b", log_count=2)]
    empty.queries.save_sample(SampleDesign(seed=1), drawn)
    empty.queries.save_sample(SampleDesign(seed=2), [Query("q-2", "b", log_count=2)])
    assert ["mine", "imported", "q-2"] == [query.query_id for query in empty.queries.all()]


def test_what_comes_at_one_moment_keeps_its_order(empty: Workspace) -> None:
    """Judgements as they were stored, then what was decided; and later ones after it."""
    early, late = AT.replace("2026", "2025"), AT.replace("2026", "2027")
    for table, columns in (
        ("judgements", "assessor, verdict, judged_at"),
        ("decisions", "adjudicator, verdict, decided_at"),
    ):
        for at, number in ((late, 1), (AT, 2), (AT, 1), (early, 1)):
            empty.connection.execute(
                f"INSERT INTO {table} (event_id, query_id, chunk_id, {columns}) "
                "VALUES (?, 'q', 'c', 'ada', 'unsure', ?)",
                *(f"{table[0]}-{at[:4]}-{number}", at),
            )
    expected = [
        *("j-2025-1", "d-2025-1", "j-2026-2", "j-2026-1", "d-2026-2", "d-2026-1"),
        *("j-2027-1", "d-2027-1"),
    ]
    assert expected == [each.event_id for each in empty.events()]
