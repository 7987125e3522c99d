"""Snapshots: one chunk set, its digest, and no way to half of one."""

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluator import InputError
from evaluator.snapshot.chunk import Chunk
from evaluator.snapshot.snapshot import Snapshot, read_snapshot, write_snapshot

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"))
chunk_sets = st.lists(
    st.builds(
        Chunk,
        chunk_id=texts,
        doc_id=texts,
        text=texts,
        title=texts,
        headings=st.lists(texts, max_size=3).map(tuple),
        source=texts,
        attributes=st.dictionaries(texts, texts, max_size=3),
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda chunk: chunk.chunk_id,
)


def _chunk(chunk_id: str, text: str = "body", doc_id: str = "d", source: str = "") -> Chunk:
    return Chunk(chunk_id, doc_id, text, "Title", ("H", "I"), source, {"k": "v"})


def _write(directory: Path, chunks: Iterable[Chunk], **values: Any) -> Snapshot:
    given = {"name": "n", "chunker": {"name": "given"}, "corpus": "c", "created_at": NOW}
    return write_snapshot(directory, chunks, **(given | values))


@settings(max_examples=25, deadline=None)
@given(chunk_sets)
def test_what_was_written_is_read_in_the_order_of_ids(
    tmp_path_factory: pytest.TempPathFactory, chunks: list[Chunk]
) -> None:
    """Every text, id and attribute comes back unchanged, and the digest holds."""
    folder = tmp_path_factory.mktemp("snapshot")
    written = _write(folder / "s", chunks)
    read = read_snapshot(folder / "s", digest=written.digest, verify=True)
    by_id = {chunk.chunk_id: chunk for chunk in chunks}

    assert [by_id[chunk_id] for chunk_id in sorted(by_id)] == list(read.chunks())
    assert by_id == read.fetch([*by_id, *by_id])
    assert len(chunks) == len(read)


def test_the_digest_is_over_the_content_only(tmp_path: Path) -> None:
    """Not the order of reading, the name, the time or the Parquet writer; any character counts."""
    chunks = [_chunk(f"c{i}") for i in range(5)]
    digest = _write(tmp_path / "a", chunks).digest

    assert digest == _write(tmp_path / "b", reversed(chunks), name="other").digest
    assert digest != _write(tmp_path / "c", [*chunks[:-1], _chunk("c4", "bodY")]).digest


def test_the_digest_can_be_made_with_any_tool(tmp_path: Path) -> None:
    """SHA-256 over one canonical JSON line per chunk."""
    line = (
        '{"attributes":{"k":"v"},"chunk_id":"c","doc_id":"d","headings":["H","I"],'
        '"source":"","text":"é\\n","title":"Title"}\n'
    )

    assert sha256(line.encode()).hexdigest() == _write(tmp_path / "s", [_chunk("c", "é\n")]).digest


def test_the_manifest_says_where_the_chunks_came_from(tmp_path: Path) -> None:
    """Everything that a report quotes."""
    chunks = [_chunk("a", doc_id="d1", source="x"), _chunk("b", doc_id="d1"), _chunk("c")]
    snapshot = _write(tmp_path / "deep" / "s", chunks, corpus="docs", chunker={"name": "given"})
    expected = {
        "format": "onecause-snapshot/1",
        "name": "n",
        "digest": snapshot.digest,
        "chunks": 3,
        "documents": 2,
        "sources": {"": 2, "x": 1},
        "chunker": {"name": "given"},
        "corpus": "docs",
        "created_at": "2026-03-01T12:00:00.000Z",
        "set_aside": [],
    }

    assert expected == snapshot.manifest
    assert expected == json.loads((tmp_path / "deep/s/manifest.json").read_text("utf-8"))
    assert {"d": 1, "d1": 2} == snapshot.documents()


def test_unknown_ids_are_absent_from_what_is_fetched(tmp_path: Path) -> None:
    """Before the first, between two, after the last, in another row group."""
    snapshot = _write(tmp_path / "s", (_chunk(f"c{i:04}", f"text {i}") for i in range(1000)))
    wanted = ["c0500", "a", "c0500x", "z", "c0999", "c0000"]

    assert {"c0000": "text 0", "c0500": "text 500", "c0999": "text 999"} == {
        chunk_id: chunk.text for chunk_id, chunk in sorted(snapshot.fetch(wanted).items())
    }
    assert {} == snapshot.fetch([])
    assert {} == snapshot.fetch(["zz"])


def test_the_first_fetch_of_a_process_loads_no_other_library(tmp_path: Path) -> None:
    """Arrow would import pandas to take a list, which costs more than fifty fetches."""
    snapshot = _write(tmp_path / "s", (_chunk(f"c{i:03}") for i in range(200)))
    code = (
        "import sys; from pathlib import Path; from evaluator.snapshot.snapshot import "
        f"read_snapshot as read; found = read(Path({str(snapshot.path)!r})).fetch(['c007', 'x']); "
        "print(sorted(found), 'pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert "['c007'] False" == done.stdout.strip()


def test_no_chunks_and_repeated_ids_write_nothing(tmp_path: Path) -> None:
    """The refusal names the ids."""
    with pytest.raises(InputError, match="There are no chunks"):
        _write(tmp_path / "s", [])
    with pytest.raises(InputError, match=r"2 chunk ids .* 'a', 'b'"):
        _write(tmp_path / "s", map(_chunk, "abcabd"))

    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch, lambda path: path.symlink_to("nowhere")])
def test_what_exists_is_never_overwritten(tmp_path: Path, make: Callable[[Path], None]) -> None:
    """Labels may hang on it."""
    path = tmp_path / "s"
    make(path)
    with pytest.raises(InputError, match="exists already"):
        _write(path, [_chunk("a")])


def test_an_interruption_leaves_nothing_behind(tmp_path: Path) -> None:
    """There is a whole snapshot or none."""

    def broken() -> Iterator[Chunk]:
        yield _chunk("a")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _write(tmp_path / "s", broken())
    with pytest.raises(ValueError, match="no time zone"):
        _write(tmp_path / "s", [_chunk("a")], created_at=datetime(2026, 1, 1))

    assert [] == list(tmp_path.iterdir())


def _table(change: Callable[[pa.Table], pa.Table]) -> Callable[[Path], None]:
    """Damage that writes other chunks under the same manifest."""

    def damage(folder: Path) -> None:
        table = pq.read_table(folder / "chunks.parquet")
        pq.write_table(change(table), folder / "chunks.parquet")

    return damage


def _manifest(text: str) -> Callable[[Path], object]:
    """Damage that writes another manifest."""
    return lambda folder: (folder / "manifest.json").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("said", "damage"),
    [
        ("is not a snapshot: there is no manifest.json", shutil.rmtree),
        ("has a manifest but no chunks.parquet", lambda s: (s / "chunks.parquet").unlink()),
        ("cannot be read as Parquet", lambda s: (s / "chunks.parquet").write_bytes(b"PAR1")),
        ("has other columns than a snapshot", _table(lambda t: t.drop_columns(["title"]))),
        ("has 1 chunks, its manifest says 2", _table(lambda t: t.slice(1))),
        ("is not JSON", _manifest("{")),
        ("has format None. Expected 'onecause-snapshot/1'", _manifest("[]")),
        ("has format 'onecause-snapshot/2'", _manifest('{"format": "onecause-snapshot/2"}')),
        ("name, digest, chunks", _manifest('{"format": "onecause-snapshot/1", "name": 5}')),
    ],
)
def test_a_damaged_snapshot_is_refused(
    tmp_path: Path, said: str, damage: Callable[[Path], object]
) -> None:
    """With what is wrong and what to do."""
    _write(tmp_path / "s", [_chunk("a"), _chunk("b")])
    damage(tmp_path / "s")

    with pytest.raises(InputError) as error:
        read_snapshot(tmp_path / "s")
    assert said in str(error.value)


def test_another_digest_and_an_edited_text_are_refused(tmp_path: Path) -> None:
    """Opening compares the manifest; verifying reads every row."""
    written = _write(tmp_path / "s", [_chunk("a"), _chunk("b")])
    chunks = tmp_path / "s" / "chunks.parquet"
    table = pq.read_table(chunks)
    other = _write(tmp_path / "o", [_chunk("a"), _chunk("b", "edited")])
    pq.write_table(pq.read_table(tmp_path / "o" / "chunks.parquet").cast(table.schema), chunks)

    with pytest.raises(InputError, match="is another chunk set"):
        read_snapshot(tmp_path / "s", digest=other.digest)
    assert written.digest == read_snapshot(tmp_path / "s", digest=written.digest).digest
    with pytest.raises(InputError, match="was edited after it was written"):
        read_snapshot(tmp_path / "s", verify=True)


def test_a_snapshot_of_an_older_version_set_nothing_aside(tmp_path: Path) -> None:
    """Its manifest has no such list; one that is no list of reasons is damage."""
    _write(tmp_path / "s", [_chunk("a")])
    path = tmp_path / "s" / "manifest.json"
    manifest = json.loads(path.read_text("utf-8"))
    del manifest["set_aside"]
    path.write_text(json.dumps(manifest), "utf-8")

    assert {} == read_snapshot(tmp_path / "s").set_aside()
    path.write_text(json.dumps({**manifest, "set_aside": [{"chunk_id": "b"}]}), "utf-8")
    with pytest.raises(InputError, match="set_aside missing or not as written"):
        read_snapshot(tmp_path / "s")
