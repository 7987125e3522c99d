"""What our own exports say is read back as what it was, or the loss is told."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import InputError
from evaluator.labelset.format import (
    ADJUDICATION,
    RULES,
    Judgement,
    LabelSet,
    Query,
    Rule,
    read_label_set,
)
from labeler.exchange.exports.export import Exported, export
from labeler.exchange.imports.plan import Imported
from labeler.freezing.freeze import freeze
from labeler.freezing.header_work import HeaderWork
from labeler.sets.frozen import final_events
from labeler.workspace.workspace import Workspace
from tests.labeler.frozen import event, frozen
from tests.labeler.small import GRADED, NOW, import_set, small_workspace

LATER = NOW + timedelta(days=1)
TEXTS = {"a": "One.", "b, c": "Two.", "=d\r": "Three.", "e": "Four."}
QUERIES = (
    Query("q1", "one\rline", need="a need", origin="log", group="=1", filter={"team": "x, y"}),
    Query("=q2", "two", origin="authored"),
    Query("q3", "no pairs", origin="known-item"),
)


def set_of(
    folder: Path,
    events: Sequence[Judgement],
    *,
    queries: Sequence[Query] = QUERIES,
    texts: Mapping[str, str] = TEXTS,
    **options: Any,
) -> LabelSet:
    """A label set on the texts, beside the snapshot of a workspace."""
    work = small_workspace(folder / "old", grades=GRADED, min_grade=2, texts=texts)
    digest = work.settings.snapshot_digest
    work.close()
    options |= {"grades": GRADED, "min_grade": 2, "snapshot": digest, "queries": queries}
    return frozen(folder / "old/labels/first", events, texts=texts, **options)


def back(
    folder: Path,
    queries: Path | None,
    *judgements: Path,
    there: Sequence[Query] = (),
    texts: Mapping[str, str] = TEXTS,
) -> tuple[Workspace, Imported]:
    """The files in a fresh workspace, and what the last of them made the import say."""
    workspace = small_workspace(folder / "new", grades=GRADED, min_grade=2, texts=texts)
    workspace.queries.add(there)
    for path in judgements:
        said = import_set(workspace, queries=queries, judgements=path, now=LATER)
    return workspace, said


def frozen_again(workspace: Workspace, rule: Rule = "majority") -> LabelSet:
    made = freeze(
        workspace,
        name="second",
        header_work=HeaderWork(False),
        declared_by="ada",
        rule=rule,
        clock=lambda: LATER,
    )
    return read_label_set(made.path)


def stands(labels: LabelSet) -> tuple[Any, ...]:
    """Every assessor's last word and every decision, without the ids of events."""
    found = final_events(labels.judgements)
    judged = [event for given in found.by_pair.values() for event in given.values()]
    return tuple(
        sorted((e.query_id, e.chunk_id, e.assessor, str(e.grade), e.judged_at, e.note) for e in es)
        for es in (judged, found.decided.values())
    )


# The table

EVENTS = st.lists(
    st.tuples(
        st.sampled_from(["q1", "=q2"]),
        st.sampled_from(["a", "b, c", "=d\r"]),
        st.sampled_from(["ada", "=bob\r\n", "c, y"]),
        st.sampled_from(["grade", "grade", "grade", "unsure", "undone"]),
        st.sampled_from([0, 1, 2, 3]),
        st.sampled_from([None, None, ADJUDICATION]),
    ),
    max_size=40,
)


@given(drawn=EVENTS, rule=st.sampled_from(RULES))
@settings(max_examples=30, deadline=None)
def test_the_table_brings_everything_back_that_stands(
    drawn: list[tuple[Any, ...]], rule: Rule
) -> None:
    """Grades of each assessor, decisions, pairs, queries; by the same rule, the same qrels."""
    events = [
        event(
            *(q, c, "cy" if method else who, grade if verdict == "grade" else None),
            verdict=verdict,
            method=method,
        )
        for q, c, who, verdict, grade, method in drawn
    ]
    events.append(event("q1", "e", "di", 1)._replace(note="a set without grades is none"))
    with TemporaryDirectory() as name:
        labels = set_of(Path(name), events, rule=rule, pool=[("=q2", "a")])
        table = Path(name) / "table.csv"
        export(labels.path, table, to="csv")
        workspace, _ = back(Path(name), table, table)
        again = frozen_again(workspace, rule)
        assert labels.qrels == again.qrels
        assert stands(labels) == stands(again)
        assert [p[:4] for p in labels.pool] == [p[:4] for p in again.pool]
        assert labels.queries == again.queries
        workspace.close()


DIFFERING = (event("q1", "a", "ada", 3), event("q1", "a", "bob", 0))


def test_the_rule_that_settled_grades_is_told(tmp_path: Path) -> None:
    """It is chosen at freezing and stands in no judgement; both ways of the table name it."""
    labels = set_of(tmp_path, DIFFERING, rule="highest")
    table = tmp_path / "table.csv"
    told = "on 1 pair assessors differ, and the rule highest settled it"
    assert any(told in note.lower() for note in export(labels.path, table, to="csv").notes)
    workspace, said = back(tmp_path, table, table)
    assert any(told in note for note in said.notes)
    assert ({"q1": {"a": 3}}, {"q1": {"a": 0}}) == (
        labels.qrels,
        frozen_again(workspace, "lowest").qrels,
    )


def test_a_decision_is_imported_once_and_never_over_another(tmp_path: Path) -> None:
    """The same table adds nothing; another decision, there or on one line of two, is refused."""
    decided = event("q1", "a", "cy", 2, method=ADJUDICATION)
    labels = set_of(tmp_path, [*DIFFERING, decided])
    table = tmp_path / "table.csv"
    export(labels.path, table, to="csv")
    workspace, said = back(tmp_path, table, table)
    assert "table.csv: 1 decisions on disagreements came along." in said.notes
    assert [("cy", 2)] == [(each.assessor, each.grade) for each in workspace.decisions.all()]
    import_set(workspace, queries=None, judgements=table, now=LATER)
    assert 1 == len(list(workspace.decisions.all()))
    other = tmp_path / "other.csv"
    other.write_text(table.read_text("utf-8").replace("2,cy", "3,cy"), encoding="utf-8")
    with pytest.raises(InputError, match="cy: 3 in the file, 2 here"):
        import_set(workspace, queries=None, judgements=other, now=LATER)
    other.write_text(table.read_text("utf-8").replace("2,cy", "3,cy", 1), encoding="utf-8")
    with pytest.raises(InputError, match="has 2 here and 3 on line 2"):
        import_set(workspace, queries=None, judgements=other, now=LATER)
    assert [2] == [each.grade for each in workspace.decisions.all()]


def test_seconds_come_back_and_ways_of_judging_are_counted(tmp_path: Path) -> None:
    """Also 0 seconds; a table has no column for a key or a click."""
    key = event("q1", "a", "ada", 3, method="key")._replace(active_seconds=0.0)
    labels = set_of(tmp_path, [key, event("q1", "a", "bob", 3)])
    table = tmp_path / "table.csv"
    made = export(labels.path, table, to="csv")
    assert any("ways of judging (1)" in note for note in made.notes)
    workspace, _ = back(tmp_path, table, table)
    assert [0.0, None] == [each.active_seconds for each in workspace.judgements.standing()]


# Folders


def test_the_files_of_assessors_bring_back_who_judged(tmp_path: Path) -> None:
    """Each by the name of its file, which the import says."""
    labels = set_of(tmp_path, [event("q1", "a", "ada", 3), event("q1", "a", "=b/ö", 0)])
    export(labels.path, tmp_path / "trec", to="trec")
    files = sorted((tmp_path / "trec/assessors").iterdir())
    workspace, said = back(tmp_path, tmp_path / "trec/queries.jsonl", *files)
    assert {"ada": 3, "=b/ö": 0} == {
        each.assessor: each.grade for each in workspace.judgements.standing()
    }
    assert "ada.txt: judged by ada, as the name of the file says." in said.notes


def test_a_name_that_no_file_can_have_is_cut_and_told(tmp_path: Path) -> None:
    """File systems hold 255 bytes."""
    labels = set_of(tmp_path, [event("q1", "a", "ö" * 100, 3)])
    made = export(labels.path, tmp_path / "trec", to="trec")
    (path,) = (tmp_path / "trec/assessors").iterdir()
    assert len(path.name.encode()) < 255
    assert "1 names of assessors are too long for a file, and cut short." in made.notes


def test_an_id_that_begins_with_a_byte_order_mark_keeps_it(tmp_path: Path) -> None:
    """A reader of the file would take it for the file's own."""
    queries = [Query("\ufeffq", "text", origin="authored")]
    labels = set_of(tmp_path, [event("\ufeffq", "a", "ada", 3)], queries=queries)
    place = tmp_path / "trec"
    export(labels.path, place, to="trec")
    workspace, _ = back(tmp_path, place / "queries.jsonl", place / "qrels.txt")
    assert ["\ufeffq"] == [each.query_id for each in workspace.judgements.standing()]


# Books of Quepid


def book(folder: Path, assessors: Sequence[str], chunk_id: str = "a") -> tuple[Path, Exported]:
    labels = set_of(
        folder,
        [event("q1", chunk_id, who, 3) for who in assessors],
        texts={"a": "One.", chunk_id: "Two."},
    )
    return folder / "book.csv", export(labels.path, folder / "book.csv", to="quepid-book")


@pytest.mark.parametrize("names", [["docid", "query"], ["id", "ada"], [" ada", "need"]])
def test_a_judge_may_be_called_like_a_column(tmp_path: Path, names: list[str]) -> None:
    """The places in the header count, for queries and for judgements."""
    path, _ = book(tmp_path, names)
    workspace, _ = back(tmp_path, path, path)
    assert sorted(names) == sorted(each.assessor for each in workspace.judgements.standing())
    assert [("one\rline", None)] == [(each.text, each.need) for each in workspace.queries.all()]


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        (["ada", " =x"], ["ada"]),
        (["ada", "Anonymous"], ["ada"]),
        (["id", "need"], []),
        ([" need"], []),
    ],
)
def test_a_judge_whom_no_header_can_name_is_left_out(
    tmp_path: Path, names: list[str], kept: list[str]
) -> None:
    """Nobody's grade comes back under another name, and it is told."""
    path, made = book(tmp_path, names)
    header = path.read_text().splitlines()[0]
    assert ["query", "docid", *kept] == header.split(",")
    lost = len(names) - len(kept)
    note = f"{lost} assessors were left out with their grades"
    assert any(each.startswith(note) for each in made.notes)


def test_a_pair_that_no_cell_can_hold_is_left_out(tmp_path: Path) -> None:
    """A blank before a sign is Quepid's own, so `=x` would come back."""
    path, made = book(tmp_path, ["ada"], chunk_id=" =x")
    assert ["query,docid,ada"] == path.read_text().splitlines()
    assert any("1 pairs were left out" in note and ":  =x" in note for note in made.notes)


def test_a_decision_that_a_book_cannot_hold_is_counted(tmp_path: Path) -> None:
    """What comes back has the assessors' grades, not the adjudicator's."""
    labels = set_of(tmp_path, [*DIFFERING, event("q1", "a", "cy", 2, method=ADJUDICATION)])
    made = export(labels.path, tmp_path / "book.csv", to="quepid-book")
    assert any(
        "decisions on disagreements and the grades that they gave (1)" in note
        for note in made.notes
    )


# What an import does not take up


def test_events_of_a_label_set_are_no_judgements(tmp_path: Path) -> None:
    """Some are undone and some decide between others; `carry` knows which."""
    labels = set_of(tmp_path, DIFFERING)
    with pytest.raises(InputError, match="labeler carry"):
        back(tmp_path, None, labels.path / "judgements.jsonl", there=QUERIES)


def test_comments_in_qrels_are_counted(tmp_path: Path) -> None:
    """A query may begin with the sign of a comment, as some tools write it."""
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q1 0 a 1\n#q 0 a 1\n")
    _, said = back(tmp_path, None, qrels, there=QUERIES)
    assert "qrels.txt: 1 lines that begin with # are comments." in said.notes
