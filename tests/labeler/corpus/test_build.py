"""From a corpus of any kind to a snapshot, and what a person is told on the way."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from evaluator import InputError
from evaluator.snapshot.snapshot import read_snapshot
from labeler.corpus.build import build_snapshot

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def _build(corpus: Path, directory: Path, **values: Any) -> Any:
    return build_snapshot(corpus, directory, name="n", created_at=NOW, **values)


def _corpus(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def test_a_folder_of_documents_becomes_a_snapshot(tmp_path: Path) -> None:
    """With its documents, its sources and how it was cut."""
    corpus = _corpus(
        tmp_path / "docs",
        {
            "hr/leave.md": "---\ntitle: Leave\n---\n# Types\n\nAnnual.\n\n## Sick\n\nFour hours.\n",
            "hr/empty.md": "# Only a heading\n",
            "it/vpn.html": "<title>VPN</title><p>Ask the desk.</p>",
            "notes.txt": "Bring a badge.\n",
            "logo.png": "",
        },
    )
    report = _build(corpus, tmp_path / "s", budget=50)

    assert [
        ("hr/leave.md#0", "Annual.", "Leave", ("Types",), "hr"),
        ("hr/leave.md#1", "Four hours.", "Leave", ("Types", "Sick"), "hr"),
        ("it/vpn.html#0", "Ask the desk.", "VPN", (), "it"),
        ("notes.txt#0", "Bring a badge.", "notes", (), ""),
    ] == [(c.chunk_id, c.text, c.title, c.headings, c.source) for c in report.snapshot.chunks()]
    chunker = report.snapshot.manifest["chunker"]
    expected = {"name": "blocks", "budget": 50, "overlap": 0, "tokenizer": "words"}
    assert expected.items() <= chunker.items()
    assert (3, 4) == (report.documents, report.chunks)
    assert ["logo.png"] == [entry.path for entry in report.skipped]
    assert (
        "1 document with no text outside headings, so with no chunk: hr/empty.md",
        "1 heading without text of their own, as where a sub-heading follows at once",
        "1 heading with no text below either, so in no chunk: hr/empty.md: Only a heading",
    ) == report.warnings


def test_two_builds_of_the_same_corpus_have_one_digest(tmp_path: Path) -> None:
    """Wherever the corpus lies and whatever else the folder holds."""
    files = {f"{i}.md": f"# H{i}\n\n" + "word " * 60 * i + "\n\n- a\n- b\n" for i in range(8)}
    first = _build(_corpus(tmp_path / "a", files), tmp_path / "s1", budget=20)
    second = _build(_corpus(tmp_path / "b", {**files, ".x": ""}), tmp_path / "s2", budget=20)
    assert first.snapshot.digest == second.snapshot.digest


def test_ready_chunks_are_never_cut(tmp_path: Path) -> None:
    """A file, or a BEIR folder, whatever the budget."""
    rows = [{"_id": "a", "text": "word " * 500, "title": "T"}, {"_id": "b", "text": "x"}]
    content = "".join(json.dumps(row) + "\n" for row in rows)
    beir = _corpus(tmp_path / "beir", {"corpus.jsonl": content, "queries.jsonl": "no corpus"})
    snapshot = _build(beir, tmp_path / "s", budget=5).snapshot
    assert [rows[0]["text"], "x"] == [chunk.text for chunk in snapshot.chunks()]
    assert {"name": "given"} == snapshot.manifest["chunker"]
    assert snapshot.digest == _build(beir / "corpus.jsonl", tmp_path / "t").snapshot.digest


def test_the_manifest_lists_what_no_chunk_can_be_made_of(tmp_path: Path) -> None:
    """Ids and reasons of ready chunks that were set aside; the digest knows nothing of them."""
    lines = ['{"id":"a","text":"x"}', '{"id":"b","text":" "}', '{"id":"\\ud800","text":""}']
    corpus = _corpus(tmp_path, {"c.jsonl": "\n".join(lines), "d.jsonl": lines[0]})
    report = _build(corpus / "c.jsonl", tmp_path / "s")
    alone = _build(corpus / "d.jsonl", tmp_path / "t").snapshot
    assert {"b": "no text"} == read_snapshot(tmp_path / "s").set_aside()
    assert (2, {}) == (len(report.skipped), alone.set_aside())
    assert alone.digest == report.snapshot.digest


def test_the_manifest_names_the_corpus_and_not_its_place(tmp_path: Path) -> None:
    """Where it lay on somebody's disk is nobody's business; a single page is a corpus too."""
    corpus = _corpus(tmp_path / "docs", {"a.md": "body\n"})
    assert "docs" == _build(corpus, tmp_path / "s").snapshot.manifest["corpus"]
    page = _build(corpus / "a.md", tmp_path / "t").snapshot
    assert ("a.md", ["a.md#0"]) == (page.manifest["corpus"], list(page.chunk_ids()))


@pytest.mark.parametrize(
    ("files", "named", "said"),
    [
        ({}, "nothing", "There is no "),
        ({"docs/a.png": ""}, "docs", "Left out: a.png (not a document (.png))"),
        ({"docs/a.md": "# Only a heading\n"}, "docs", "Only headings, or nothing, in a.md"),
        ({"docs/chunks.csv": "id,text\n"}, "docs", "name the file itself: chunks.csv"),
        ({"a.png": ""}, "a.png", "neither a folder nor a file that can be read"),
        ({"a.jsonl": ""}, "a.jsonl", "holds no chunk"),
    ],
)
def test_a_corpus_without_text_is_refused_before_anything_is_written(
    tmp_path: Path, files: dict[str, str], named: str, said: str
) -> None:
    """The message says what was found instead."""
    _corpus(tmp_path, files)

    with pytest.raises(InputError) as error:
        _build(tmp_path / named, tmp_path / "s")
    assert said in str(error.value)
    assert not (tmp_path / "s").exists()


def test_what_was_not_read_as_written_is_said(tmp_path: Path) -> None:
    """Guessed encodings, broken front matter and template tags, with counts."""
    page = '---\ntitle: A: b\n---\n[x]({% page "y" %})\n{% toc %}\n'
    corpus = _corpus(tmp_path / "docs", {"a.md": page})
    (corpus / "b.txt").write_bytes("naïve café, déjà vu".encode("cp1252"))
    tags, documents = _build(corpus, tmp_path / "s").warnings
    assert "2 template tags replaced by words or left out: page 1; toc 1" == tags
    assert "2 documents not read as written: a.md: front matter is not valid YAML" in documents


def test_progress_is_told_document_by_document(tmp_path: Path) -> None:
    """Everything long shows how far it is."""
    told: list[tuple[str, int | None]] = []

    def progress(items: Iterable[Any], *, label: str, total: int | None) -> Iterator[Any]:
        told.append((label, total))
        yield from items

    corpus = _corpus(tmp_path / "docs", {"a.md": "x", "b.md": "y"})
    _build(corpus, tmp_path / "s", progress=progress)
    assert [("Reading documents", 2)] == told
