"""Queries and judgements made elsewhere: every shape, every kind of damage."""

import json
from pathlib import Path

import pytest

from evaluator import InputError
from evaluator.labelset.format import HeldOutRule, Query, text_sha256
from labeler.corpus.init import WorkspaceChoices, make_workspace
from labeler.exchange.imports.judgements import read_judgements
from labeler.exchange.imports.plan import Imported, plan_import, store_plan
from labeler.exchange.imports.queries import read_needs, read_queries
from labeler.freezing.manifest import assessment
from labeler.freezing.obstacles import obstacles
from labeler.judging.adjudicate import adjudicate_workspace
from labeler.workspace.records import Event
from labeler.workspace.workspace import Workspace
from tests.labeler.small import AT, BINARY, GRADED, NOW, file, import_set, small_workspace

SCALE = (0, 1, 2, 3)
QUERIES = '{"_id": "q1", "text": "notice"}\n{"_id": "q2", "text": "NA"}\n'
TREC = "q1 0 leave.md#0 1\nq1 0 vpn.md#1 0\nq2 0 vpn.md#1 1\n"


def run(
    workspace: Workspace, *, queries: str = QUERIES, judgements: str = TREC, **options: bool
) -> Imported:
    return import_set(
        workspace,
        queries=file(workspace.path, "queries.jsonl", queries),
        judgements=file(workspace.path, "qrels.txt", judgements),
        now=NOW,
        **options,
    )


def grades(path: Path, scale: tuple[int, ...] = SCALE) -> dict[str, object]:
    """Grade, or the verdict where there is no grade, by chunk."""
    read = read_judgements(path, scale=scale)
    return {p.chunk_id: p.verdict if p.grade is None else p.grade for p in read.pairs}


@pytest.mark.parametrize("key", ["query_id", "_id", "id"])
def test_query_ids_stand_under_three_names(tmp_path: Path, key: str) -> None:
    """Ours, BEIR's, and the one that everybody uses; numbers become text."""
    path = file(tmp_path, "q.jsonl", json.dumps({key: 7, "text": "007"}) + "\n")
    assert (Query("7", "007", origin="authored"),) == read_queries(path, origin="authored").queries


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("q.tsv", "q1\tnull\nq2\t=1+1\n"),
        ("q.tsv", "query_id\ttext\nq1\tnull\nq2\t=1+1\n"),
        ("q.csv", "\ufeffquery_id,text\r\nq1,null\r\nq2,=1+1\r\n"),
        ("q.jsonl", '{"id": "q1", "text": "null"}\n\n{"id": "q2", "text": "=1+1"}'),
    ],
)
def test_query_texts_stay_as_they_are(tmp_path: Path, name: str, text: str) -> None:
    """No word becomes a missing value or a formula, in any of the shapes."""
    read = read_queries(file(tmp_path, name, text), origin="authored")
    assert {"q1": "null", "q2": "=1+1"} == {q.query_id: q.text for q in read.queries}


def test_what_a_query_file_knows_is_kept(tmp_path: Path) -> None:
    """Need under its usual names, group, filter and origin."""
    row = {"id": "q", "text": "t", "info_need": "n", "group": "g", "filter": {"a": "b"}}
    path = file(tmp_path, "q.jsonl", json.dumps(row | {"origin": "log"}))
    expected = Query("q", "t", need="n", origin="log", filter={"a": "b"}, group="g")
    assert (expected,) == read_queries(path, origin="authored").queries


def test_a_text_that_cannot_be_kept_is_set_aside(tmp_path: Path) -> None:
    """A blank text, a NUL and half a surrogate are named; the others are imported."""
    lines = [r'{"id": "a", "text": "x\u0000"}', r'{"id": "b", "text": "\ud800"}']
    lines += [r'{"id": "c", "text": " \u200b"}', '{"id": "d", "text": "fine"}']
    read = read_queries(file(tmp_path, "q.jsonl", "\n".join(lines)), origin="authored")
    assert ["d"] == [query.query_id for query in read.queries]
    assert [1, 2, 3] == [problem.line for problem in read.set_aside]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query,need\n", "holds no needs"),
        ("", "holds no needs"),
        ("query,wanted\na,b\n", "its columns are query, wanted. It must have query"),
        ("words,need\na,b\n", "its columns are words, need. It must have query"),
    ],
)
def test_a_file_that_states_no_needs_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """Else no need would be stated, and nobody would know why."""
    with pytest.raises(InputError, match=message):
        read_needs(file(tmp_path, "needs.csv", text))


def test_of_many_that_are_set_aside_a_few_are_named(empty: Workspace) -> None:
    """Five lines, and how many there are beside them."""
    lines = "".join(json.dumps({"id": f"q{n}", "text": " "}) + "\n" for n in range(2_000))
    notes = run(empty, queries=QUERIES + lines).notes
    assert 5 == sum(note.endswith("no text. Set aside.") for note in notes)
    assert "queries.jsonl: 1,995 more were set aside." in notes


@pytest.mark.parametrize(
    ("name", "text", "shape"),
    [
        ("qrels.txt", "# made by hand\nq1 0 a 1\nq1\t0  b   0\n", "TREC qrels"),
        ("test.tsv", "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t0\n", "BEIR"),
        ("qrels.tsv", "\ufeffq1\ta\t1\r\nq1\tb\t0\r\n", "three columns"),
        ("j.csv", "query_id,chunk_id,grade\nq1,a,1\nq1,b,0\n", "named columns"),
        ("j.csv", "query-id,docid,rating\nq1,a,1\nq1,b,0.0\n", "named columns"),
        ("j.jsonl", '{"query_id": "q1", "chunk_id": "a", "grade": 1}\n'
                    '{"query_id": "q1", "chunk_id": "b", "grade": 0}\n', "named columns"),
    ],
)  # fmt: skip
def test_judgements_come_in_four_shapes(tmp_path: Path, name: str, text: str, shape: str) -> None:
    """The same two judgements, read the same, and the shape is said."""
    path = file(tmp_path, name, text)
    assert {"a": 1, "b": 0} == grades(path)
    assert shape == read_judgements(path, scale=SCALE).shape


def test_missing_and_negative_grades_are_not_zero(tmp_path: Path) -> None:
    """Empty, -1 and unsure stay unjudged; below -1 is worse than nothing, so it is 0."""
    path = file(
        tmp_path,
        "judgements.csv",
        "query_id,chunk_id,grade,note\n"
        "q1,a,1,\nq1,junk,-2,spam\nq1,b,2,\nq1,n,0,\n"
        "q1,y,,not yet judged\nq1,z,unsure,cannot tell\nq1,w,3.0,typed by hand\nq1,p,-1,\n",
    )
    expected = {"a": 1, "junk": 0, "b": 2, "n": 0, "y": "unjudged", "z": "unsure", "w": 3}
    assert expected | {"p": "unjudged"} == grades(path)
    read = read_judgements(path, scale=SCALE)
    assert 1 == read.below_zero
    assert "grade below zero in the file: -2; spam" == read.pairs[1].note


def test_no_first_judgement_is_eaten_as_a_header(tmp_path: Path) -> None:
    """Without a header, three cells are Quepid's; more need names."""
    assert {"a": 1, "b": 0} == grades(file(tmp_path, "j.csv", "q1,a,1\nq1,b,0\n"))
    with pytest.raises(InputError, match="no column query_id and no column chunk_id"):
        read_judgements(file(tmp_path, "j.csv", "q1,a,1,x\nq1,b,0,x\n"), scale=SCALE)


def test_grades_may_be_the_words_of_the_scale(tmp_path: Path) -> None:
    """The very words, in any case; a number stays a number, and other words are refused."""
    path = file(tmp_path, "j.csv", "query_id,chunk_id,grade\nq1,a,Relevant\nq1,b,2\n")
    words = {1: "slightly", 2: "relevant"}
    read = read_judgements(path, scale=SCALE, meanings=words)
    assert [2, 2] == [pair.grade for pair in read.pairs]
    with pytest.raises(InputError, match="'Relevant' is no whole number"):
        read_judgements(path, scale=SCALE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("q1 ada a 1\nq1 bob a 0\n", {"ada": 1, "bob": 0}),
        ("q1 1 a 1\nq1 2 a 0\nq1 1 b 1\n", {"1": 1, "2": 0}),
        ("q1 ada a 1\nq1 ada b 1\n", {"ada": 1}),
        ("q1 0 a 1\nq1 0 b 1\n", {None: 1}),
        ("q1 Q0 a 1\nq1 Q0 b 1\n", {None: 1}),
        ("q1 1 a 1\nq1 2 b 1\n", {None: 1}),
    ],
)
def test_the_second_trec_column_names_judges_or_says_nothing(
    tmp_path: Path, text: str, expected: dict[str | None, int]
) -> None:
    """Words are judges, and so are two values of one pair; an iteration is not read, and told."""
    read = read_judgements(file(tmp_path, "qrels.txt", text), scale=SCALE)
    assert expected == {pair.assessor: pair.grade for pair in read.pairs}
    several = len({line.split()[1] for line in text.splitlines()}) > 1
    told = any("was not read" in note for note in read.reading.notes)
    assert told == (several and None in expected)


def test_hical_says_who_judged_how_and_how_long(tmp_path: Path) -> None:
    """Its seconds are kept; 0 seconds were not measured."""
    path = file(
        tmp_path,
        "judgments.csv",
        "USER,TOPIC,DOCID,METHOD,JUDGMENT,TIME_AWAY,TIME_TO_JUDGE\n"
        "ada,7,a,CAL,2,1.5,4.25\nbob,7,a,searchSERP,0,0.0,0.0\n",
    )
    read = read_judgements(path, scale=SCALE)
    assert "HiCAL" == read.shape
    assert [
        ("ada", "7", 2, 4.25, "HiCAL CAL"),
        ("bob", "7", 0, None, "HiCAL searchSERP"),
    ] == [(p.assessor, p.query, p.grade, p.active_seconds, p.method) for p in read.pairs]


def test_a_list_of_flat_objects_has_named_columns(tmp_path: Path) -> None:
    """As some tools write it; places are counted by item."""
    rows = [{"query_id": "q1", "chunk_id": "a", "rating": 1, "annotator": 3}]
    (pair,) = read_judgements(file(tmp_path, "j.json", json.dumps(rows)), scale=SCALE).pairs
    assert ("3", 1) == (pair.assessor, pair.grade)
    bad = file(tmp_path, "j.json", json.dumps([{**rows[0], "query_id": ""}]))
    with pytest.raises(InputError, match="item 1: no query"):
        read_judgements(bad, scale=SCALE)


def test_the_same_judgement_twice_is_one(tmp_path: Path) -> None:
    """Repeats are merged and counted; several assessors of one pair are no repeat."""
    text = "query_id,chunk_id,grade,assessor\nq1,a,1,ada\nq1,a,1,ada\nq1,a,0,bob\n"
    read = read_judgements(file(tmp_path, "j.csv", text), scale=SCALE)
    assert (2, 1) == (len(read.pairs), read.merged)


def test_the_same_file_under_another_name_is_the_same(empty: Workspace, tmp_path: Path) -> None:
    """It is said, and neither judgements nor a source of the pool are stored twice."""
    run(empty)
    again = import_set(empty, queries=None, judgements=file(tmp_path, "copy.txt", TREC), now=NOW)
    assert (0, 0, 0) == (again.queries, again.pairs, again.judgements)
    assert 0 == run(empty).judgements
    assert "copy.txt was imported already, as qrels.txt." in again.notes
    assert "copy.txt: 3 judgements are here already." in again.notes
    assert ["import:qrels.txt"] == [each["source"] for each in empty.pool.sources()]
    assert {("import:qrels.txt",)} == {entry.found_by for entry in empty.pool.entries()}


@pytest.mark.parametrize("name", ["qrels.txt", "sorted.tsv"])
def test_an_equivalent_file_is_the_same(empty: Workspace, tmp_path: Path, name: str) -> None:
    """Other bytes, another order or another shape: what is said counts, and that is told."""
    run(empty)
    lines = [line.split() for line in reversed(TREC.splitlines())]
    tabbed = "".join(f"{query}\t{chunk}\t{grade}\n" for query, _, chunk, grade in lines)
    text = tabbed if name.endswith("tsv") else f"# by hand\n{TREC}"
    again = import_set(empty, queries=None, judgements=file(tmp_path, name, text), now=NOW)
    assert (0, 0, 0) == (again.queries, again.pairs, again.judgements)
    assert any(f"{name} says in other bytes what" in note for note in again.notes)
    assert f"{name}: 3 judgements are here already." in again.notes
    assert ["import:qrels.txt"] == [each["source"] for each in empty.pool.sources()]


def test_a_longer_file_adds_only_what_is_new(empty: Workspace, tmp_path: Path) -> None:
    """Of named assessors, each judgement is known again by itself; a note changes nothing."""
    run(empty)
    import_lines(empty, "q1,leave.md#0,1,ada,2025-01-01T00:00Z")
    more = JUDGED.replace("\n", ",note\n") + "q1,vpn.md#1,0,bob,,\nq1,leave.md#0,1.0,ada,%s,sure"
    path = file(tmp_path, "more.csv", more % "2025-01-01T02:00+02:00")
    imported = import_set(empty, queries=None, judgements=path, now=NOW)
    assert 1 == imported.judgements
    assert "more.csv: 1 judgements are here already." in imported.notes


def test_an_import_is_the_pool(empty: Workspace) -> None:
    """Pairs found by the file, judged by the file, no probability, no sample."""
    imported = run(empty)
    assert (2, 3, 3) == (imported.queries, imported.pairs, imported.judgements)
    assert {("import:qrels.txt",)} == {entry.found_by for entry in empty.pool.entries()}
    assert {None} == {query.inclusion_probability for query in empty.queries.all()}
    judgements = list(empty.judgements.all())
    assert {("import:qrels.txt", "qrels.txt")} == {
        (judgement.assessor, judgement.imported_from) for judgement in judgements
    }
    assert empty.queries.sample() is None


@pytest.mark.parametrize(
    ("judgements", "message"),
    [
        ("q1 0 leave.md#0 1\nq9 0 leave.md#0 1\nq8 0 vpn.md#1 1\n", "2 judgements of 2 queries"),
        ("q1 0 gone#0 1\nq2 0 gone#0 1\n", "2 judgements of 1 chunks .*: gone#0"),
        ("q1 0 leave.md 1\n", "ids of documents"),
    ],
)
def test_unknown_ids_are_refused_before_anything_is_stored(
    empty: Workspace, judgements: str, message: str
) -> None:
    """Counts and names; the workspace stays empty."""
    with pytest.raises(InputError, match=message):
        run(empty, judgements=judgements)
    assert ([], []) == (empty.queries.all(), list(empty.pool.entries()))


def test_unknown_ids_can_be_left_out(empty: Workspace) -> None:
    """The rest is imported and what was left out is said."""
    judgements = TREC + "q1 0 gone#0 1\n"
    imported = run(empty, judgements=judgements, skip_unknown=True)
    assert 3 == imported.judgements
    assert any("Left out: 1 judgements of 1 chunks" in note for note in imported.notes)


def shown(tmp_path: Path, *rows: dict[str, object]) -> Path:
    lines = [json.dumps({"query_id": "q1", "grade": 1, "labeller": "Ada"} | row) for row in rows]
    return file(tmp_path, "shown.jsonl", "\n".join(lines))


def test_judgements_with_a_header_in_view_are_refused(empty: Workspace, tmp_path: Path) -> None:
    """A text, or its digest, must be the chunk's own; nothing is stored, and each line is named."""
    text = empty.snapshot.fetch(["leave.md#0"])["leave.md#0"].text
    plain = {"chunk_id": "leave.md#0", "shown_text": text}
    headed = {"chunk_id": "vpn.md#1", "shown_text": "VPN > Access\n" + text}
    queries = file(tmp_path, "q.jsonl", QUERIES)
    with pytest.raises(InputError, match=r"1 judgements were given on another text .* on line 2"):
        import_set(empty, queries=queries, judgements=shown(tmp_path, plain, headed), now=NOW)
    assert [] == list(empty.pool.entries())
    digest = {"chunk_id": "leave.md#0", "text_sha256": text_sha256(text), "labeller": "Bo"}
    path = shown(tmp_path, digest, {"chunk_id": "vpn.md#1"})
    imported = import_set(empty, queries=queries, judgements=path, now=NOW)
    by_chunk = {each.chunk_id: each.text_sha256 for each in empty.judgements.all()}
    assert {"leave.md#0": text_sha256(text), "vpn.md#1": None} == by_chunk
    assert "shown.jsonl: 1 judgements do not say which text was shown." in imported.notes


def test_what_a_model_proposed_is_marked_or_left_out(empty: Workspace, tmp_path: Path) -> None:
    """By its name and by who checked it; the manifest counts both."""
    path = shown(
        tmp_path,
        {"chunk_id": "leave.md#0", "made_by": "judge-7b"},
        {"chunk_id": "vpn.md#1", "made_by": "judge-7b", "checked_by": "Ada"},
        {"chunk_id": "vpn.md#0", "made_by": "people"},
    )
    how = {"queries": file(tmp_path, "q.jsonl", QUERIES), "judgements": path, "now": NOW}
    assert 1 == len(plan_import(empty, **how, without_models=True).judgements)
    imported = import_set(empty, **how)
    assert any("2 judgements were proposed by a model" in note for note in imported.notes)
    assert {"model judge-7b": 1, "model judge-7b, checked by Ada": 1} == (
        empty.judgements.by_method()
    )
    stated = assessment(empty, adjudicate_workspace(empty), queries=empty.queries.all())
    assert {"judge-7b": {"judgements": 2, "checked": 1}} == stated["by_model"]


def test_queries_of_one_text_with_other_gold_are_told(empty: Workspace) -> None:
    """At import and again before a freeze: no ranking can tell them apart."""
    queries = '{"_id": "q1", "text": "notice"}\n{"_id": "q2", "text": "notice"}\n'
    imported = run(empty, queries=queries)
    said = "1 text of several queries that have different relevant chunks: notice (q1, q2)"
    assert any(note.startswith(said) for note in imported.notes)
    assert any(each.text.startswith(said) for each in obstacles(empty))


def test_an_encoded_id_finds_its_chunk(empty: Workspace) -> None:
    """TREC files cannot hold blanks or signs that begin a comment; %XX stands for them."""
    run(empty, judgements="q1 0 leave.md%230 1\n")
    assert ["leave.md#0"] == [entry.chunk_id for entry in empty.pool.entries()]


ALIKE = {"a b": "one", "a%20b": "two", "c": "three"}


def test_an_id_that_may_be_two_is_refused(tmp_path: Path) -> None:
    """`a%20b` is a chunk here and stands for another one; nothing is guessed."""
    workspace = small_workspace(tmp_path, texts=ALIKE)
    with pytest.raises(InputError, match=r"1 chunks that two of the snapshot may be.*: a%20b"):
        run(workspace, judgements="q1 0 a%20b 1\n")
    assert [] == list(workspace.pool.entries())


def test_a_map_beside_the_file_gives_every_id_back(tmp_path: Path) -> None:
    """As the export wrote it; what is not in the map stands as it is."""
    workspace = small_workspace(tmp_path, texts=ALIKE)
    (tmp_path / "ids.json").write_text('{"a%20b": "a b", "a%2520b": "a%20b", "q%201": "q 1"}')
    queries = '{"_id": "q%201", "text": "notice"}\n{"_id": "q2", "text": "NA"}\n'
    lines = "q%201 0 a%20b 1\nq%201 0 c 0\nq2 0 a%2520b 1\n"
    imported = run(workspace, queries=queries, judgements=lines)
    assert [("q 1", "a b"), ("q 1", "c"), ("q2", "a%20b")] == [
        (entry.query_id, entry.chunk_id) for entry in workspace.pool.entries()
    ]
    assert "qrels.txt: ids as ids.json beside it gives them." in imported.notes


def test_a_map_that_is_none_is_not_passed_over(empty: Workspace, tmp_path: Path) -> None:
    """Without it the ids would be others."""
    (tmp_path / "ids.json").write_text("[]")
    with pytest.raises(InputError, match="is no map of ids"):
        run(empty)


def test_a_query_cannot_change_its_text(empty: Workspace) -> None:
    """The same id with another text is another query."""
    run(empty)
    with pytest.raises(InputError, match="1 query ids are in the workspace with another text: q1"):
        run(empty, queries='{"_id": "q1", "text": "changed"}\n')


def test_another_file_of_the_same_name_is_another_source(empty: Workspace) -> None:
    """One name in found_by never means two files."""
    run(empty)
    run(empty, judgements="q1 0 parking.md#0 1\n")
    first, second = (source["source"] for source in empty.pool.sources())
    assert ("import:qrels.txt", True) == (first, second.startswith("import:qrels.txt@"))


def test_assessors_times_and_notes_are_kept(tmp_path: Path) -> None:
    """A file that says who judged, when and why keeps that; a time to come is refused."""
    workspace = small_workspace(tmp_path, grades=GRADED)
    header = "query_id,chunk_id,grade,assessor,judged_at,note\n"
    path = file(tmp_path, "j.csv", header + "q1,leave.md#0,2,ada,2025-05-06T07:08:09+02:00,clear\n")
    queries = file(tmp_path, "q.jsonl", QUERIES)
    import_set(workspace, queries=queries, judgements=path, now=NOW)
    (judgement,) = workspace.judgements.all()
    assert ("ada", "2025-05-06T05:08:09.000Z", "clear") == (
        judgement.assessor,
        judgement.judged_at,
        judgement.note,
    )
    late = file(tmp_path, "late.csv", header + "q1,leave.md#0,2,ada,2027-01-01T00:00:00Z,\n")
    with pytest.raises(InputError, match="still to come"):
        import_set(workspace, queries=None, judgements=late, now=NOW)


def test_nothing_to_import_is_refused(empty: Workspace) -> None:
    """Neither file was given."""
    with pytest.raises(InputError, match="Nothing to import"):
        import_set(empty, queries=None, judgements=None, now=NOW)


def test_query_ids_that_are_chunk_ids_are_mentioned(empty: Workspace) -> None:
    """Harmless here, but another evaluator would drop such results."""
    imported = run(
        empty,
        queries='{"id": "leave.md#0", "text": "x"}\n',
        judgements="leave.md#0\tleave.md#0\t1\n",
    )
    assert any("1 query ids are chunk ids too" in note for note in imported.notes)


# Beside what is here already

JUDGED = "query_id,chunk_id,grade,assessor,judged_at\n"


def judged_here(directory: Path) -> Workspace:
    """Two queries; ada has judged one pair of q1 in this workspace, at three o'clock."""
    workspace = small_workspace(directory)
    run(workspace)
    event = Event("e1", "leave.md#0", 1, "grade")
    assert workspace.judgements.record("ada", "q1", [event], now=AT).stored
    return workspace


def of_ada(workspace: Workspace) -> int | None:
    return workspace.judgements.current("ada", "q1")["leave.md#0"].grade


def import_lines(workspace: Workspace, *lines: str, replace_own: bool = False) -> Imported:
    path = file(workspace.path, "theirs.csv", JUDGED + "\n".join(lines))
    return import_set(workspace, queries=None, judgements=path, replace_own=replace_own, now=NOW)


def test_what_contradicts_its_own_assessor_is_refused(tmp_path: Path) -> None:
    """The order of importing decides nothing; nothing is stored."""
    workspace = judged_here(tmp_path)
    with pytest.raises(InputError, match=r"1 judgements contradict .*ada: 0 in the file, 1 here"):
        import_lines(workspace, "q1,leave.md#0,0,ada,", "q2,leave.md#0,0,ada,")
    assert 1 == of_ada(workspace)
    assert {} == workspace.judgements.current("ada", "q2")


def test_what_is_the_same_is_not_doubled(tmp_path: Path) -> None:
    """Somebody's grade that stands here already stays one event."""
    workspace = judged_here(tmp_path)
    imported = import_lines(workspace, "q1,leave.md#0,1,ada,")
    assert 0 == imported.judgements
    assert "theirs.csv: 1 judgements are here already." in imported.notes


def test_the_later_one_stands_when_asked_for(tmp_path: Path) -> None:
    """An older judgement never replaces a newer one."""
    workspace = judged_here(tmp_path)
    older = import_lines(workspace, "q1,leave.md#0,0,ada,2025-01-01T00:00Z", replace_own=True)
    assert (0, 1) == (older.judgements, of_ada(workspace))
    assert any("older than what stands here" in note for note in older.notes)
    path = file(tmp_path, "theirs.csv", JUDGED + "q1,leave.md#0,0,ada,")
    later = NOW.replace(year=2027)
    import_set(workspace, queries=None, judgements=path, replace_own=True, now=later)
    assert 0 == of_ada(workspace)


def test_what_was_taken_back_here_is_no_gap_to_fill(tmp_path: Path) -> None:
    """An import that would bring it back contradicts as well."""
    workspace = judged_here(tmp_path)
    workspace.judgements.record("ada", "q1", [Event("e2", "leave.md#0", None, "undone")], now=AT)
    with pytest.raises(InputError, match="ada: 1 in the file, undone here"):
        import_lines(workspace, "q1,leave.md#0,1,ada,")


def test_judging_on_after_an_import_does_not_stop_the_same_file(empty: Workspace) -> None:
    """A file that was imported before adds nothing, whatever was changed since."""
    run(empty)
    import_lines(empty, "q1,leave.md#0,1,ada,2025-01-01T00:00Z")
    empty.judgements.record("ada", "q1", [Event("e1", "leave.md#0", 0, "grade")], now=AT)
    assert 0 == import_lines(empty, "q1,leave.md#0,1,ada,2025-01-01T00:00Z").judgements
    assert 0 == of_ada(empty)


def test_two_names_of_one_chunk_with_two_grades_are_refused(empty: Workspace) -> None:
    """Only the workspace shows that they are one."""
    with pytest.raises(InputError, match="1 pairs with two grades by one assessor"):
        run(empty, judgements="q1 0 leave.md#0 1\nq1 0 leave.md%230 0\n")


def test_a_plan_stores_nothing(empty: Workspace, tmp_path: Path) -> None:
    """What would be added, what is in the way, and then the same as an import."""
    queries = file(tmp_path, "q.jsonl", QUERIES)
    strange = file(tmp_path, "qrels.txt", TREC + "q1 0 gone#0 1\n")
    plan = plan_import(empty, queries=queries, judgements=strange, now=NOW)
    assert (2, 3, 3) == (len(plan.queries), len(plan.pool), len(plan.judgements))
    assert "  1 judgements of 1 chunks that the snapshot does not have: gone#0" in plan.obstacles
    assert ([], []) == (empty.queries.all(), list(empty.pool.entries()))
    with pytest.raises(InputError, match="nothing was imported"):
        store_plan(empty, plan)
    good = file(tmp_path, "qrels.txt", TREC)
    plan = plan_import(empty, queries=queries, judgements=good, now=NOW)
    assert 3 == store_plan(empty, plan).judgements


def test_chunks_that_the_snapshot_set_aside_are_left_out_with_a_note(tmp_path: Path) -> None:
    """Nobody can judge an empty text; a chunk that is nowhere is still refused."""
    texts = {"a": "Costs fourteen euros.", "b": " "}
    rows = "".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in texts.items())
    decisions = WorkspaceChoices("small", BINARY, 1, HeldOutRule("00", 2, (0,)), "seed")
    corpus = file(tmp_path, "chunks.jsonl", rows)
    workspace, _ = make_workspace(tmp_path / "w", corpus, decisions=decisions, now=NOW)
    imported = run(workspace, judgements="q1 0 a 1\nq1 0 b 1\nq2 0 b 0\n")
    assert 1 == imported.judgements
    assert (
        "Left out: 2 judgements of 1 chunks that the snapshot set aside (no text): b."
        in imported.notes
    )
    with pytest.raises(InputError, match="1 judgements of 1 chunks that the snapshot does not"):
        run(workspace, judgements="q1 0 b 1\nq1 0 c 1\n")
