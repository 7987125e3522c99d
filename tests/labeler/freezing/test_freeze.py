"""A workspace to a label set: what goes in, what is said of it, what stands in the way."""

import json
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import pytest

from evaluator import InputError
from evaluator.experiment.headers.rule import strings_sha256
from evaluator.experiment.pinned import open_experiment
from evaluator.files.whole import file_sha256
from evaluator.labelset.format import (
    LabelSet,
    LabelSetError,
    PoolEntry,
    Query,
    read_label_set,
    text_sha256,
    verify,
)
from labeler.freezing.freeze import Frozen, freeze
from labeler.freezing.header_work import HeaderWork, declared
from labeler.freezing.obstacles import obstacles
from labeler.workspace.pool import Pool
from labeler.workspace.records import GUIDELINES, Decision, Event
from labeler.workspace.sample_design import SampleDesign
from labeler.workspace.workspace import Workspace
from tests.labeler.small import AT, NOW, clock, import_set, pooled_workspace, small_workspace

NONE = HeaderWork(begun=False)


def judge(workspace: Workspace, assessor: str, query_id: str, **grades: int | None) -> None:
    """Grade chunks by the first letter of their document; None is can't tell."""
    ids = {chunk_id[0]: chunk_id for chunk_id in ("leave.md#0", "parking.md#0", "vpn.md#1")}
    events = [
        Event(f"{assessor}-{query_id}-{of}", ids[of], grade, "unsure" if grade is None else "grade")
        for of, grade in grades.items()
    ]
    assert not workspace.judgements.record(assessor, query_id, events, now=AT).refused


def made(workspace: Workspace, name: str = "set-1", **options: object) -> Frozen:
    given = {"header_work": NONE, "declared_by": "owner", "clock": clock, **options}
    return freeze(workspace, name=name, **given)  # type: ignore[arg-type]


def frozen(workspace: Workspace, name: str = "set-1", **options: object) -> LabelSet:
    found = made(workspace, name, **options)
    return read_label_set(found.path, sha256=found.sha256)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """Two queries of three chunks; q1 judged whole by two, who differ once; q2 in part."""
    workspace = pooled_workspace(tmp_path)
    judge(workspace, "ada", "q1", l=1, p=0, v=1)
    judge(workspace, "bob", "q1", l=1, p=0, v=0)
    judge(workspace, "ada", "q2", v=0, p=None)
    return workspace


def test_the_set_holds_what_was_judged(workspace: Workspace) -> None:
    """All queries, the whole pool, every event, one grade per judged pair."""
    labels = frozen(workspace)
    assert {
        "q1": {"leave.md#0": 1, "parking.md#0": 0, "vpn.md#1": 0},
        "q2": {"vpn.md#1": 0},
    } == labels.qrels
    assert (2, 6, 8) == (len(labels.queries), len(labels.pool), len(labels.judgements))
    assert () == verify(labels.path)


def test_what_is_judged_meanwhile_is_left_to_the_next_set(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A set is of one moment, and nobody has to stop judging for it."""
    entries, other = Pool.entries, Workspace.open(workspace.path)

    def meanwhile(self: Pool) -> Iterator[PoolEntry]:
        judge(other, "bob", "q2", v=1)
        return entries(self)

    with monkeypatch.context() as patched:
        patched.setattr(Pool, "entries", meanwhile)
        first = frozen(workspace)
    assert (8, 9) == (len(first.judgements), len(frozen(workspace, name="set-2").judgements))


def test_the_manifest_says_how_it_came_about(workspace: Workspace) -> None:
    """Snapshot, pooling, scale, rule, assessors, agreement, held-out rule, declaration."""
    labels = frozen(workspace)
    manifest = labels.manifest
    assert ("set-1", 1, AT) == (manifest["name"], manifest["version"], manifest["frozen_at"])
    assert workspace.snapshot.digest == manifest["snapshot"]["digest"]
    assert (3, None) == (manifest["pooling"]["depth"], manifest["sampling"])
    gold = {labels.doc_id_by_chunk[c] for q in labels.qrels for c in labels.gold(q)}
    assert gold == manifest["pooling"]["source_by_gold_document"].keys()
    assert {"begun": False, "at": None, "declared_by": "owner"} == manifest["header_work"]
    assert {"salt": "00", "buckets": 2, "held_out": [0]} == manifest["held_out"]
    assert {
        "made_by": ["people"],
        "grades": {"0": "not relevant", "1": "relevant"},
        "min_grade": 1,
        "rule": "majority",
        "assessors": [{"name": "ada", "pairs": 4}, {"name": "bob", "pairs": 3}],
        "overlap": {"pairs": 3, "disagreements": 1},
        "adjudication": {"decided": 0, "adjudicators": []},
        "assignment": None,
        "guidelines": {"sha256": text_sha256(GUIDELINES), "changes": []},
        "unsure": 1,
        "authored": {"seen": {"q2": None}, "wording": None},
        "negatives_recorded": True,
    } == {key: value for key, value in manifest["assessment"].items() if key != "agreement"}
    agreement = manifest["assessment"]["agreement"]
    (pair,) = agreement["by_pair"]
    assert (["ada", "bob"], 3, 2) == (pair["assessors"], pair["pairs"], pair["same"])
    assert (0.666667, 0.4, 13) == (pair["raw"]["value"], pair["kappa"]["value"], agreement["seed"])


def test_guidelines_are_frozen_and_a_change_after_judging_began_is_recorded(
    tmp_path: Path, workspace: Workspace
) -> None:
    """Before anybody judged, one text takes the place of another without a word."""
    fresh = pooled_workspace(tmp_path / "fresh")
    assert fresh.set_guidelines("First.\r\nSecond.", now=AT)
    assert not fresh.set_guidelines("First.\nSecond.\n", now=AT)
    assert [("First.\nSecond.\n", 0)] == [(g.text, g.judgements_before) for g in fresh.guidelines()]
    assert workspace.set_guidelines("Only whole answers.", now=AT)
    stated = frozen(workspace).manifest["assessment"]["guidelines"]
    digest = text_sha256("Only whole answers.\n")
    assert {
        "sha256": digest,
        "changes": [{"at": AT, "sha256": digest, "judgements_before": 8}],
    } == stated
    with pytest.raises(InputError, match="1 to 10,000 characters"):
        workspace.set_guidelines(" \n ", now=AT)


def decide(workspace: Workspace, grade: int | None = 1, **more: str) -> None:
    """Eve decides on the one pair of q1 on which ada and bob differ."""
    verdict = "unsure" if grade is None else "grade"
    decision = Decision("d1", "vpn.md#1", grade, verdict, **more)  # type: ignore[arg-type]
    assert ("d1",) == workspace.decisions.record("eve", "q1", [decision], now=AT).stored


def test_a_decision_is_frozen_with_the_judgements_and_decides(workspace: Workspace) -> None:
    """As an event of the adjudicator's with its method; it is in no agreement."""
    decide(workspace, rule="highest", note="the second sentence says so")
    labels = frozen(workspace)
    assert 1 == labels.qrels["q1"]["vpn.md#1"]
    (event,) = (j for j in labels.judgements if j.method == "adjudication")
    assert ("eve", 1, AT) == (event.assessor, event.grade, event.judged_at)
    assert "rule: highest; the second sentence says so" == event.note
    assert event.text_sha256 == tuple(labels.pool)[2].text_sha256
    assessment = labels.manifest["assessment"]
    (eve,) = assessment["adjudication"]["adjudicators"]
    assert {"name": "eve", "pairs": 1, "own": 0} == eve
    assert ["ada", "bob"] == [each["name"] for each in assessment["assessors"]]
    assert [["ada", "bob"]] == [pair["assessors"] for pair in assessment["agreement"]["by_pair"]]


def test_an_adjudicator_who_judged_too_is_two_things(workspace: Workspace) -> None:
    """Ada's own grade stays what it was, in the agreement as well."""
    workspace.decisions.record("ada", "q1", [Decision("d1", "vpn.md#1", 0, "grade")], now=AT)
    labels = frozen(workspace)
    (pair,) = labels.manifest["assessment"]["agreement"]["by_pair"]
    assert (0, 2) == (labels.qrels["q1"]["vpn.md#1"], pair["same"])
    (ada,) = labels.manifest["assessment"]["adjudication"]["adjudicators"]
    assert {"name": "ada", "pairs": 1, "own": 1} == ada
    assert 1 == workspace.judgements.current("ada", "q1")["vpn.md#1"].grade


def test_what_was_decided_is_said_before_freezing(workspace: Workspace) -> None:
    """And how the rest is decided."""
    decide(workspace, None)
    assert (
        "Assessors differ on 1 of 3 pairs with two or more grades; adjudicators decided on "
        "1 pair, and what most of them gave (of a tie, the lower) decides the rest."
    ) in [obstacle.text for obstacle in obstacles(workspace)]
    assert "vpn.md#1" not in frozen(workspace).qrels["q1"]


def test_the_same_workspace_freezes_to_the_same_bytes_once(
    workspace: Workspace, tmp_path: Path
) -> None:
    """A second freeze differs in nothing, and overwrites nothing."""
    one = frozen(workspace, out=tmp_path / "one")
    assert one.sha256 == frozen(workspace, out=tmp_path / "two").sha256
    with pytest.raises(LabelSetError, match="never overwritten"):
        frozen(workspace, out=tmp_path / "one")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("UPDATE judgements SET grade = 1.5 WHERE seq = 2", "1.5, given by 'ada', is no grade"),
        ("UPDATE judgements SET grade = 9 WHERE seq = 2", "Grades that are not on the scale: 9."),
        ("UPDATE judgements SET note = x'00' WHERE seq = 2", "judgements.jsonl, line 2: Object of"),
        ("UPDATE judgements SET judged_at = x'00' WHERE seq = 2", "b'\\x00' is no moment"),
        ("UPDATE judgements SET judged_at = '2' WHERE seq = 2", "line 1: judged_at '2'"),
        ("UPDATE judgements SET active_seconds = 9e999 WHERE seq = 2", "line 2: Out of range"),
        ("UPDATE judgements SET query_id = 'q9' WHERE seq = 2", "found q9 parking.md#0 of"),
        ("UPDATE pool SET chunk_id = '' WHERE chunk_id = 'vpn.md#1'", "is not in the snapshot"),
        ("""UPDATE pool_sources SET record = '{"source": "x"}'""", "the manifest, found system"),
    ],
)
def test_a_file_that_was_edited_is_refused(change: str, told: str, workspace: Workspace) -> None:
    """It is told, with its place, what is wrong."""
    with workspace.connection.write():
        workspace.connection.execute(change)
    with pytest.raises((InputError, LabelSetError)) as refused:
        frozen(workspace)
    assert told in str(refused.value)
    assert [] == list((workspace.path / "labels").iterdir())


def test_the_chosen_rule_decides(workspace: Workspace) -> None:
    """`highest` takes the one grade that said relevant, and the manifest says so."""
    labels = frozen(workspace, rule="highest")
    assert (1, "highest") == (labels.qrels["q1"]["vpn.md#1"], labels.manifest["assessment"]["rule"])


@pytest.mark.parametrize("name", ["", "a/b", "..", "two words", "a\n"])
def test_a_name_must_be_a_plain_word(workspace: Workspace, name: str) -> None:
    """It becomes a directory."""
    with pytest.raises(InputError, match="cannot name a label set"):
        frozen(workspace, name)
    with pytest.raises(InputError, match="Say who declares"):
        made(workspace, declared_by=" ")


def test_a_successor_names_what_it_supersedes(workspace: Workspace) -> None:
    """By name and digest, with the next version number; it must be what it says it is."""
    first = frozen(workspace)
    second = frozen(workspace, "set-2", supersedes=first.path).manifest
    assert {"name": "set-1", "sha256": first.sha256} == second["supersedes"]
    assert 2 == second["version"]
    (first.path / "qrels.txt").chmod(0o644)
    (first.path / "qrels.txt").write_text("")
    with pytest.raises(LabelSetError, match=r"qrels\.txt"):
        frozen(workspace, "set-3", supersedes=first.path)


def test_a_skipped_query_is_unjudged_and_says_why(workspace: Workspace) -> None:
    """Its events are kept, its grades are not qrels; one who could judge it is enough."""
    workspace.judgements.end_query(
        "ada", "q2", outcome="skipped", reason="two needs in one", now=AT
    )
    labels = frozen(workspace)
    assert [None, "two needs in one"] == [query.skip_reason for query in labels.queries]
    assert ({"q1"}, 8) == (set(labels.qrels), len(labels.judgements))
    workspace.judgements.end_query("bob", "q2", outcome="finished", reason=None, now=AT)
    assert [None, None] == [q.skip_reason for q in frozen(workspace, "set-2").queries]


def test_imported_positives_with_a_sample_say_so(empty: Workspace, tmp_path: Path) -> None:
    """
    Where every grade is gold, nothing is known of what is not relevant, or of what was shown.

    Design, log digests and window are as they were when the sample was drawn.
    """
    log = {"file": "a.csv", "sha256": "aa", "first_at": "2026-01-01"}
    empty.queries.add_log(log, [])
    query = Query("q1", "notice", log_count=2, inclusion_probability=0.5, weight=4.0)
    empty.queries.save_sample(SampleDesign.from_json({"method": "m", "seed": 13}), [query])
    empty.queries.add_log({"file": "late.csv", "sha256": "l"}, [])
    late = "The sample was drawn before the last log was read."
    assert late in [obstacle.text for obstacle in obstacles(empty)]
    (tmp_path / "qrels.txt").write_text("q1 0 vpn.md#0 1\n")
    import_set(empty, queries=None, judgements=tmp_path / "qrels.txt", now=NOW)
    labels = frozen(empty)
    assert {"method": "m", "seed": 13, "logs": [log]} == labels.manifest["sampling"]
    assessment = labels.manifest["assessment"]
    assert (False, ["import"]) == (assessment["negatives_recorded"], assessment["made_by"])
    assert [None] == [each.text_sha256 for each in labels.judgements]


# What stands in the way


def blocking(workspace: Workspace) -> list[str]:
    return [obstacle.text for obstacle in obstacles(workspace) if obstacle.blocking]


def test_nothing_cannot_be_frozen(tmp_path: Path) -> None:
    """No queries, no pool, no judgements: each is said."""
    empty = small_workspace(tmp_path / "empty")
    assert ["There are no queries", "The pool is empty"] == [
        " ".join(text.split()[:4]).rstrip(".:") for text in blocking(empty)
    ]
    assert ["Nothing is judged yet."] == blocking(pooled_workspace(tmp_path / "pooled"))
    with pytest.raises(InputError, match="Nothing was frozen"):
        frozen(empty)
    assert [] == list((empty.path / "labels").iterdir())


def test_what_should_be_known_does_not_block(workspace: Workspace) -> None:
    """Unjudged pairs, queries without pairs, disagreements, queries without gold, no sample."""
    workspace.queries.add([Query("q3", "NA")])
    found = obstacles(workspace)
    assert [False] * 5 == [obstacle.blocking for obstacle in found]
    assert [
        "2 of 6 pairs are unjudged; on 1 pair nobody could tell.",
        "1 query has no chunk in the pool, so nobody can judge it: NA (q3).",
        "Assessors differ on 1 of 3 pairs with two or more grades; what most of them gave (of "
        "a tie, the lower) decides.",
        "2 of 3 queries have no relevant chunk: lost token (q2); NA (q3).",
        "No sample was drawn, so the set says nothing about the traffic of a log.",
    ] == [obstacle.text for obstacle in found]


def test_a_long_query_is_named_by_how_it_begins(empty: Workspace) -> None:
    """Also one in a script without blanks between words."""
    empty.queries.add([Query("q1", "残業手当" * 20)])
    assert f"{'残業手当' * 14}残業 … (q1)." in obstacles(empty)[-2].text


def test_another_text_than_was_judged_blocks(workspace: Workspace) -> None:
    """The pool's hashes must be those of the snapshot's plain texts."""
    with workspace.connection.write():
        workspace.connection.execute(
            "UPDATE pool SET text_sha256 = 'ff' WHERE chunk_id = 'vpn.md#1'"
        )
    assert [
        "1 pooled chunk has another text in the snapshot than the one that was judged: "
        "vpn.md#1. Restore the snapshot.",
        "3 judgements were made on another text than the pool's.",
    ] == blocking(workspace)


# The declaration


@pytest.mark.parametrize(
    ("text", "begun", "at"),
    [
        ("none", False, None),
        ("2026-01-01", True, "2026-01-01"),
        ("2026-01-01T12:00+02:00", True, "2026-01-01T12:00+02:00"),
        ("2026-01-03", True, "2026-01-03"),
    ],
)
def test_a_date_declares_when_header_work_began(text: str, begun: bool, at: str | None) -> None:
    """As exactly as it is written; somewhere it may be tomorrow already."""
    afternoon = datetime(2026, 1, 2, 15, tzinfo=UTC)
    assert HeaderWork(begun=begun, at=at) == declared(text, now=afternoon)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *((text, "say none") for text in ("0001-01-01T00:00+14:00", "", "None", "01/02/2026")),
        *((text, "still to come") for text in ("2026-01-03", "2026-01-02T09:01Z")),
    ],
)
def test_anything_else_declares_nothing(text: str, said: str) -> None:
    """There is no default and no guess, and a date to come would be contradicted by nothing."""
    with pytest.raises(InputError, match=said):
        declared(text, now=datetime(2026, 1, 2, 9, tzinfo=UTC))


def test_an_experiment_is_drafted_beside_the_set(workspace: Workspace) -> None:
    """It pins set, snapshot and model, has the arms that the chunks allow, and is no one's loss."""
    found = made(workspace)
    file = workspace.path / "experiments" / "set-1.toml"
    assert f"evaluator run {file}" == found.command
    drafted = open_experiment(file)
    assert (found.sha256, workspace.snapshot.digest) == (
        drafted.labels.sha256,
        drafted.experiment.snapshot_digest,
    )
    assert ["plain"] == [arm.name for arm in drafted.experiment.arms]  # the chunks have no titles
    file.write_text("mine")
    again = made(workspace, out=workspace.path / "elsewhere" / "set-1")
    assert any("was there already" in note for note in again.notes)
    assert "mine" == file.read_text()


def test_the_line_for_git_commits_the_set_and_its_digest(workspace: Workspace) -> None:
    """With its ledger, from any folder, whatever the paths are called."""
    found = made(workspace, out=workspace.path / "it's here" / "set-1")
    git = ["git", "-C", str(workspace.path), "-c", "user.name=x", "-c", "user.email=x@y"]
    subprocess.run([*git, "init", "-q"], check=True)
    for key in ("user.name", "user.email"):
        subprocess.run([*git, "config", key, "x"], check=True)
    subprocess.run(found.git, shell=True, check=True, stdout=subprocess.DEVNULL)
    shown = subprocess.run(
        [*git, "log", "--stat", "--format=%s"], check=True, capture_output=True, text=True
    )
    assert f"Freeze label set set-1, SHA-256 {found.sha256}" == shown.stdout.splitlines()[0]
    assert "6 files changed" in shown.stdout
    assert "set-1.ledger.jsonl" in shown.stdout


def test_a_clock_that_was_set_back_is_found(workspace: Workspace) -> None:
    """A set cannot be older than the last judgement in it, or than what it supersedes."""
    with pytest.raises(InputError, match=r"The clock says 2026-01-01.* last judgement .*-02T03"):
        made(workspace, clock=lambda: datetime(2026, 1, 1, tzinfo=UTC))
    later = made(workspace, clock=lambda: datetime(2027, 1, 1, tzinfo=UTC))
    with pytest.raises(InputError, match="the set that it supersedes is of 2027-01-01"):
        frozen(workspace, "set-2", supersedes=later.path)


def test_header_work_can_be_declared_by_header(workspace: Workspace, tmp_path: Path) -> None:
    """A file by its bytes, a rule by its text, and both by what they render; else of any."""
    file, chunks = tmp_path / "h.jsonl", list(workspace.snapshot.chunks())
    lines = [json.dumps({"chunk_id": c.chunk_id, "text": c.title}) + "\n" for c in chunks]
    file.write_text("".join(lines))
    rule = sha256(b"title").hexdigest()
    rendered = strings_sha256(f"{c.title}\n" if c.title else "" for c in chunks)
    on = ["title", str(file), f"file:{file}", "{title}", "ab" * 32]
    begun = declared("2026-01-01", now=clock(), on=on, chunks=chunks)
    found = made(workspace, header_work=begun)
    manifest = read_label_set(found.path).manifest
    digests = rule, rendered, file_sha256(file), sha256(b"{title}").hexdigest(), "ab" * 32
    assert list(digests) == manifest["header_work"]["treatments"]
    assert f"of the headers {rule[:12]}" in found.notes[-1]
    of_any = made(workspace, "set-2", header_work=declared("2026-01-01", now=NOW)).notes[-1]
    assert of_any.startswith("Header work began at 2026-01-01, before this")


@pytest.mark.parametrize(
    ("message", "text", "on"),
    [
        ("'hedaers.jsonl' is no header: there is no such file", "2026-01-01", ["hedaers.jsonl"]),
        ("none says that none is begun", "none", ["title"]),
    ],
)
def test_a_mistyped_header_is_not_declared(message: str, text: str, on: list[str]) -> None:
    """The digest of a wrong name would speak of nothing."""
    with pytest.raises(InputError, match=message):
        declared(text, now=clock(), on=on)
