"""A corpus and a few decisions to a workspace, whole or not at all."""

from pathlib import Path
from typing import Any

import pytest

from evaluator import InputError
from evaluator.labelset.format import HeldOutRule
from evaluator.snapshot.chunk import Skipped
from labeler.corpus import init as making
from labeler.corpus.build import BuildReport
from labeler.corpus.init import decide, make_workspace, read_buckets, read_grades
from labeler.workspace.workspace import Workspace
from tests.labeler.small import NOW

CHOSEN: dict[str, Any] = {
    "name": "w",
    "grades": "0,1",
    "min_grade": 1,
    "salt": "00ff",
    "buckets": 5,
    "held_out": "0",
    "tokens": 160,
    "overlap": 0,
    "tokenizer": "words",
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text("# Leave\n\nAsk your manager.\n\n# Parking\n\nBehind packing.\n")
    return folder


def _make(directory: Path, corpus: Path, **choices: Any) -> tuple[Workspace, BuildReport]:
    return make_workspace(directory, corpus, decisions=decide(**CHOSEN, **choices), now=NOW)


def test_a_workspace_is_made_whole(tmp_path: Path, corpus: Path) -> None:
    """Snapshot, settings, and the folders for label sets and experiments."""
    made, report = _make(tmp_path / "w", corpus)
    made.close()
    names = sorted(path.name for path in (tmp_path / "w").iterdir())
    assert ["experiments", "labels", "snapshot", "work.sqlite"] == names
    assert (2, 1) == (report.chunks, report.documents)
    assert HeldOutRule("00ff", 5, (0,)) == Workspace.open(tmp_path / "w").settings.held_out_rule
    assert made.snapshot.digest == made.settings.snapshot_digest


def test_an_encoding_is_named_for_documents_alone(tmp_path: Path, corpus: Path) -> None:
    """It stands in the manifest; documents it does not fit are skipped, ready chunks refused."""
    (corpus / "b.md").write_bytes("привет".encode("cp1251"))
    (corpus / "c.txt").write_bytes(b"\x98")  # none of cp1251
    made, report = _make(tmp_path / "w", corpus, encoding="windows-1251")
    assert "привет" in {chunk.text for chunk in made.snapshot.chunks()}
    assert "cp1251" == made.snapshot.manifest["chunker"]["encoding"]
    reason = "binary, or in another encoding than UTF-8 and cp1251"
    assert (Skipped("c.txt", reason),) == report.skipped
    chunks = tmp_path / "chunks.jsonl"
    chunks.write_text('{"id": "a", "text": "leave"}\n')
    with pytest.raises(InputError, match="leave --encoding out"):
        _make(tmp_path / "x", chunks, encoding="windows-1251")
    for name in ("cp0", "base64", "undefined"):
        with pytest.raises(InputError, match=f"no encoding '{name}'"):
            decide(**CHOSEN, encoding=name)


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (KeyboardInterrupt("stop"), "stop"),
        (OSError(28, "Error writing bytes to file"), "No space left on device: '.*/w'"),
    ],
    ids=["interrupted", "full disk"],
)
def test_a_failure_leaves_nothing_behind(
    corpus: Path, monkeypatch: pytest.MonkeyPatch, failure: BaseException, message: str
) -> None:
    """No half workspace and no left-over; a full disk names the workspace, as Arrow does not."""

    def broken(*_: object) -> None:
        raise failure

    monkeypatch.setattr("evaluator.snapshot.snapshot.write_rows", broken)
    with pytest.raises(type(failure), match=message):
        _make(corpus.parent / "w", corpus)
    assert ["docs"] == [path.name for path in corpus.parent.iterdir()]


def test_a_directory_with_something_in_it_is_left_alone(tmp_path: Path, corpus: Path) -> None:
    """Nothing of anybody's is overwritten, nor put into a corpus; an empty directory is fine."""
    (tmp_path / "w").mkdir()
    _make(tmp_path / "w", corpus)
    with pytest.raises(InputError, match="not empty"):
        _make(tmp_path / "w", corpus)
    with pytest.raises(InputError, match="inside its own corpus"):
        _make(corpus / "w", corpus)
    assert ["a.md"] == [path.name for path in corpus.iterdir()]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0,1", ((0, "not relevant"), (1, "relevant"))),
        ("0=no, or hardly,1=yes", ((0, "no, or hardly"), (1, "yes"))),
        ("0,1,2", ((0, "not relevant"), (1, "partly relevant"), (2, "relevant"))),
        ("0,2=good", ((0, "grade 0"), (2, "good"))),
    ],
)
def test_scales_are_read_as_people_write_them(text: str, expected: making.GradeScale) -> None:
    """Bare numbers get the usual words; meanings may hold commas."""
    assert expected == read_grades(text)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"grades": "0"}, "two to ten different grades"),
        ({"grades": "low,high"}, "'low,high' is no grade"),
        ({"grades": "0,11"}, "'11' is no grade"),
        ({"min_grade": 0}, "every chunk would be gold"),
        ({"min_grade": 2}, "must be a grade of the scale"),
        ({"buckets": 0}, "--buckets 0: .*one at least"),
        ({"held_out": "0,1,2,3,4"}, "holds out every document"),
        ({"grades": "0=a;1=b"}, "separated by commas"),
        ({"held_out": "5"}, "from 0 to 4"),
        ({"held_out": "first"}, "give bucket numbers"),
        ({"salt": "pepper"}, "not hexadecimal"),
    ],
)
def test_decisions_that_cannot_work_are_refused(changed: dict[str, Any], message: str) -> None:
    """Before any document is read, since they can never be changed."""
    with pytest.raises(InputError, match=message):
        decide(**CHOSEN | changed)


def test_nothing_may_be_held_out() -> None:
    """`none` is an answer; each bucket counts once."""
    assert ((), (0, 3)) == (read_buckets("none"), read_buckets("3,0,3"))


def test_salts_and_seeds_are_new_each_time() -> None:
    """Two workspaces do not share a held-out slice or an order by accident."""
    decisions = [decide(**CHOSEN | {"salt": None}) for _ in range(20)]
    salts = {each.held_out_rule.salt for each in decisions}
    assert (20, 20) == (len(salts), len({each.order_seed for each in decisions}))
    assert {16} == {len(salt) for salt in salts}


def test_how_the_corpus_was_read_is_in_the_manifest(tmp_path: Path, corpus: Path) -> None:
    """Fields and rules are choices that decide which chunks there are."""
    (corpus / "b.md").write_text("---\nup: Staff\n---\n# Sick leave\n\nAsk.\n")
    made, _ = _make(tmp_path / "w", corpus, parent_fields=["up"], source_rules=["a*=first"])
    manifest = made.snapshot.manifest
    chosen = {"parent_fields": ["up"], "source_rules": [["a*", "first"]]}
    assert chosen.items() <= manifest["chunker"].items()
    assert {"": 1, "first": 2} == manifest["sources"]
    assert ("Staff", "Sick leave") == made.snapshot.fetch(["b.md#0"])["b.md#0"].headings


def test_texts_with_their_own_header_are_refused_when_told_to(tmp_path: Path) -> None:
    """Before anything is written."""
    path = tmp_path / "c.csv"
    path.write_text("id,text,title\na,Leave: ask.,Leave\n")
    with pytest.raises(InputError, match=r"1 of 1 chunks .* Nothing was written"):
        _make(tmp_path / "w", path, refuse_own_headers=True)
    assert not (tmp_path / "w").exists()


def test_of_two_that_make_one_workspace_one_is_told(
    tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who comes second leaves the first one's workspace as it is, and nothing beside it."""
    create = making.Workspace.create

    def slowly(path: Path, **settings: Any) -> Workspace:
        (tmp_path / "w").mkdir()
        (tmp_path / "w" / "theirs").touch()
        return create(path, **settings)

    monkeypatch.setattr(making.Workspace, "create", slowly)
    with pytest.raises(InputError, match="exists and is not empty"):
        _make(tmp_path / "w", corpus)
    assert ["docs", "w"] == sorted(path.name for path in tmp_path.iterdir())
