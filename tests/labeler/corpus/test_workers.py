"""Documents split by one process or several."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from evaluator import InputError
from labeler.corpus import workers as splitting
from labeler.corpus.build import BuildReport, build_snapshot
from labeler.corpus.choices import corpus_choices
from labeler.corpus.workers import Splitter, splits, worth_workers

NOW = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(40):
        text = f"---\nup: Above\n---\n# Page {number}\n\none two\n\n## Part\n\nthree {{% x %}}\n"
        (folder / f"p{number:02}.md").write_text(text)
    (folder / "bad.md").write_bytes(b"\0\xff")
    (folder / "empty.md").write_text("# Only a heading\n")
    return folder


def build(docs: Path, workers: int, **how: Any) -> BuildReport:
    how |= {"reading": corpus_choices(parent_fields=["up"]), "workers": workers, "budget": 8}
    out = docs.parent / f"with-{workers}"
    return build_snapshot(docs, out, name="s", created_at=NOW, **how)


def test_the_number_of_processes_changes_nothing(docs: Path) -> None:
    """Ids, digest, what was skipped and what is warned of."""
    one, two = build(docs, 1), build(docs, 2)
    assert 80 == one.chunks
    assert one.snapshot.digest == two.snapshot.digest
    assert (one.skipped, one.warnings) == (two.skipped, two.warnings)
    assert one.snapshot.manifest == two.snapshot.manifest


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interruption_leaves_nothing(docs: Path, workers: int) -> None:
    """Neither a snapshot nor a part of one, nor a process that goes on."""

    def interrupted(items: Iterable[Any], **_: Any) -> Iterator[Any]:
        yield next(iter(items))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(docs, workers, progress=interrupted)
    assert ["docs"] == [path.name for path in docs.parent.iterdir()]


def test_a_process_that_dies_is_one_message(docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With what to do about it."""
    monkeypatch.setattr(splitting, "_begin", _die)
    splitter = Splitter(docs, corpus_choices(), {}, 8, 0, "words")
    with (
        pytest.raises(InputError, match="processes that read documents died"),
        splits(["p00.md"], splitter, workers=2) as found,
    ):
        list(found)


def _die(_: object) -> None:
    raise SystemExit(3)


def test_small_corpora_are_read_by_one_process() -> None:
    """Starting another would take longer."""
    assert 1 == worth_workers(1999)
    assert 1 <= worth_workers(2000)
