"""The frozen label set: written once, read back, every damage named."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.labelset import (
    HeldOutRule,
    Judgement,
    LabelSetError,
    PoolEntry,
    Query,
    decode_id,
    encode_id,
    read_label_set,
    sha256_of_set,
    text_sha256,
    verify,
    write_label_set,
)

QUERIES = (
    Query(
        "q1", "NA", need="What NA stands for.", log_count=4, inclusion_probability=0.5, weight=8.0
    ),
    Query("q2", "null", variants=(("null", 2), ("NULL", 1))),
)
POOL = (
    PoolEntry("q1", "a.md#0", "a.md", text_sha256("one"), ("system",)),
    PoolEntry("q1", "my page.md#1", "my page.md", text_sha256("two"), ("system", "bm25")),
    PoolEntry("q2", "a.md#0", "a.md", text_sha256("one"), ("system",)),
)
JUDGEMENTS = (
    Judgement("e1", "q1", "a.md#0", "ada", 1, "grade", "2026-01-01T00:00:00Z"),
    Judgement("e2", "q1", "my page.md#1", "ada", None, "unsure", "2026-01-01T00:00:01Z"),
    Judgement("e3", "q2", "a.md#0", "ada", 0, "grade", "2026-01-01T00:00:02Z"),
)
QRELS = {"q1": {"a.md#0": 1}, "q2": {"a.md#0": 0}}
MANIFEST = {
    "name": "tiny",
    "version": 1,
    "frozen_at": "2026-01-02T00:00:00Z",
    "snapshot": {"name": "tiny", "digest": "0" * 64},
    "sampling": None,
    "pooling": {"depth": 2},
    "assessment": {"grades": {"0": "not relevant", "1": "relevant"}, "min_grade": 1},
    "held_out": {"salt": "00", "buckets": 5, "held_out": [0]},
    "header_work": {"begun": False, "at": None, "declared_by": "owner"},
    "supersedes": None,
    "tool": "onecause 0",
}


def write(directory: Path) -> str:
    return write_label_set(
        directory, queries=QUERIES, pool=POOL, judgements=JUDGEMENTS, qrels=QRELS, manifest=MANIFEST
    )


@pytest.fixture(name="label_set")
def frozen_label_set(tmp_path: Path) -> Path:
    write(tmp_path / "tiny-1")
    return tmp_path / "tiny-1"


def test_what_is_written_is_read_back(label_set: Path) -> None:
    """Writing then reading gives the same records, ids with blanks included."""
    read = read_label_set(label_set)
    assert (QUERIES, POOL, JUDGEMENTS, QRELS) == (
        read.queries,
        read.pool,
        read.judgements,
        read.qrels,
    )


def test_writing_twice_gives_the_same_bytes(label_set: Path, tmp_path: Path) -> None:
    """The identity depends on the content alone."""
    assert sha256_of_set(label_set) == write(tmp_path / "again")


def test_an_existing_directory_is_never_overwritten(label_set: Path) -> None:
    """A correction is a new set."""
    with pytest.raises(LabelSetError, match="never overwritten"):
        write(label_set)


def test_a_set_that_would_not_verify_is_not_written(tmp_path: Path) -> None:
    """A grade outside the scale is found before anything is there to be used."""
    with pytest.raises(LabelSetError, match="grade of the scale"):
        write_label_set(
            tmp_path / "bad",
            queries=QUERIES,
            pool=POOL,
            judgements=JUDGEMENTS,
            qrels={"q1": {"a.md#0": 7}},
            manifest=MANIFEST,
        )
    assert [] == list(tmp_path.iterdir())


def edit(path: Path, change: Callable[[bytes], bytes]) -> None:
    path.chmod(0o644)
    path.write_bytes(change(path.read_bytes()))


def delete(path: Path) -> None:
    path.unlink()


def link(path: Path) -> None:
    shutil.copy(path, path.parent.parent / "elsewhere")
    path.unlink()
    path.symlink_to(path.parent.parent / "elsewhere")


DAMAGE: list[tuple[str, Callable[[Path], None], str]] = [
    (
        "changed byte",
        lambda d: edit(d / "qrels.txt", lambda b: b[:-2] + b"1\n"),
        "qrels.txt (bytes)",
    ),
    ("truncated", lambda d: edit(d / "pool.jsonl", lambda b: b[:-9]), "pool.jsonl (bytes)"),
    ("missing", lambda d: delete(d / "queries.jsonl"), "queries.jsonl (completeness)"),
    ("added", lambda d: (d / "notes.txt").touch(), "notes.txt (completeness)"),
    ("renamed", lambda d: (d / "qrels.txt").rename(d / "qrels"), "qrels (completeness)"),
    (
        "re-encoded",
        lambda d: edit(d / "qrels.txt", lambda b: b.decode().encode("utf-16")),
        "qrels.txt (bytes)",
    ),
    (
        "line ends",
        lambda d: edit(d / "qrels.txt", lambda b: b.replace(b"\n", b"\r\n")),
        "qrels.txt (bytes)",
    ),
    ("linked", lambda d: link(d / "qrels.txt"), "qrels.txt (completeness)"),
    ("no manifest", lambda d: delete(d / "manifest.json"), "manifest.json (completeness)"),
    (
        "not JSON",
        lambda d: edit(d / "manifest.json", lambda b: b[:-3]),
        "manifest.json (structure)",
    ),
    (
        "another format",
        lambda d: edit(d / "manifest.json", lambda b: b.replace(b"labels/1", b"labels/9")),
        "manifest.json (structure)",
    ),
    (
        "re-ordered",
        lambda d: edit(d / "pool.jsonl", lambda b: b"".join(reversed(b.splitlines(True)))),
        "pool.jsonl (bytes)",
    ),
]


@pytest.mark.parametrize(
    ("damage", "expected"), [d[1:] for d in DAMAGE], ids=[d[0] for d in DAMAGE]
)
def test_every_damage_is_named_with_its_member(
    label_set: Path, damage: Callable[[Path], None], expected: str
) -> None:
    """Verify names the file and which of its three questions failed."""
    damage(label_set)
    assert any(expected in str(problem) for problem in verify(label_set))


EDITS: list[tuple[str, str, Callable[[bytes], bytes], str]] = [
    ("order", "pool.jsonl", lambda b: b"".join(reversed(b.splitlines(True))), "rows in order"),
    ("spelling", "pool.jsonl", lambda b: b.replace(b'":"', b'": "', 1), "canonical line"),
    (
        "strange query",
        "pool.jsonl",
        lambda b: b.replace(b'"q2"', b'"q9"'),
        "a query of queries.jsonl",
    ),
    (
        "strange pair",
        "qrels.txt",
        lambda b: b.replace(b"a.md#0", b"b.md#0"),
        "a pair of pool.jsonl",
    ),
    ("grade", "qrels.txt", lambda b: b.replace(b" 1\n", b" 4\n"), "a grade of the scale"),
    (
        "event twice",
        "judgements.jsonl",
        lambda b: b.replace(b'"e2"', b'"e1"'),
        "each event id once",
    ),
    ("lost key", "queries.jsonl", lambda b: b.replace(b'"need":null,', b""), "a row with the keys"),
    ("flipped grade", "qrels.txt", lambda b: b.replace(b" 1\n", b" 0\n"), "grade 1, from the ev"),
    (
        "flipped event",
        "judgements.jsonl",
        lambda b: b.replace(b'"grade":1', b'"grade":0'),
        "grade 0, from the events",
    ),
    ("dropped grade", "qrels.txt", lambda b: b.split(b"\n", 1)[1], "grade 1, from the events"),
    (
        "dropped event",
        "judgements.jsonl",
        lambda b: b.split(b"\n", 1)[1],
        "no grade for q1 a.md#0",
    ),
    ("line ends", "qrels.txt", lambda b: b.replace(b"\n", b"\r\n"), "query_id 0 chunk_id grade"),
    ("encoding", "qrels.txt", lambda b: b.replace(b"q1", b"q\xff"), "UTF-8"),
    ("weight", "queries.jsonl", lambda b: b.replace(b":8.0", b":9.0"), "weight = log_count"),
    (
        "probability",
        "queries.jsonl",
        lambda b: b.replace(b":0.5", b":2.0").replace(b":8.0", b":2.0"),
        "a probability above 0 and up to 1",
    ),
    (
        "verdict",
        "judgements.jsonl",
        lambda b: b.replace(b"unsure", b"unknown"),
        "a row with the keys",
    ),
]


@pytest.mark.parametrize(
    ("member", "change", "expected"), [e[1:] for e in EDITS], ids=[e[0] for e in EDITS]
)
def test_a_manifest_edited_to_match_does_not_hide_the_damage(
    label_set: Path, member: str, change: Callable[[bytes], bytes], expected: str
) -> None:
    """Content is checked too, so fitting digests are not enough."""
    import hashlib

    edit(label_set / member, change)
    content = (label_set / member).read_bytes()
    manifest = json.loads((label_set / "manifest.json").read_text())
    manifest["members"][member].update(
        bytes=len(content),
        rows=content.count(b"\n"),
        sha256=hashlib.sha256(content).hexdigest(),
    )
    edit(label_set / "manifest.json", lambda _: json.dumps(manifest).encode())
    assert any(expected in str(problem) for problem in verify(label_set))


@pytest.mark.parametrize(
    ("key", "change", "expected"),
    [
        ("assessment", {"grades": {"0": "no", "1": "yes"}, "min_grade": 0}, "above the lowest"),
        ("members", {"../../elsewhere": {}}, "the members queries.jsonl"),
        ("held_out", {"salt": "00", "buckets": 0, "held_out": []}, "held_out with salt"),
    ],
)
def test_a_manifest_that_makes_no_sense_is_no_label_set(
    label_set: Path, key: str, change: dict[str, object], expected: str
) -> None:
    """A threshold that makes everything gold, or a member elsewhere, is named."""
    manifest = json.loads((label_set / "manifest.json").read_text())
    manifest[key] = {**manifest[key], **change}
    edit(label_set / "manifest.json", lambda _: json.dumps(manifest).encode())
    assert any(expected in str(problem) for problem in verify(label_set))


def test_another_set_than_the_pinned_one_is_refused(label_set: Path) -> None:
    """The experiment file pins the identity."""
    with pytest.raises(LabelSetError, match="sha256 " + "1" * 64):
        read_label_set(label_set, sha256="1" * 64)


@given(st.text())
def test_ids_survive_white_space_separated_files(text: str) -> None:
    """Decoding an encoded id gives it back, and the encoded one has no white space."""
    encoded = encode_id(text)
    assert (text, encoded) == (decode_id(encoded), "".join(encoded.split()))


@given(st.text(), st.lists(st.text()))
def test_no_document_can_move_another(doc_id: str, others: list[str]) -> None:
    """A bucket is a function of the salt and the document's own id."""
    rule = HeldOutRule("5a17", 5, (0,))
    alone = rule.bucket(doc_id)
    assert alone == {d: rule.bucket(d) for d in [*others, doc_id]}[doc_id]


def test_a_query_is_classed_by_where_its_gold_documents_lie() -> None:
    """All held out, none, some, or nothing at all."""
    rule = HeldOutRule("5a17", 2, (0,))
    inside = next(d for d in "abcdef" if rule.holds_out(d))
    outside = next(d for d in "abcdef" if not rule.holds_out(d))
    assert ["held-out", "tuning", "mixed", "no-gold"] == [
        rule.query_class(docs) for docs in ([inside], [outside], [inside, outside], [])
    ]
