"""
How long a large chunk set takes to make, and how quickly it is read afterwards.

A made-up corpus (27,000 Markdown pages, about 180,000 chunks) is built into a snapshot as
`labeler init` does it, then opened, and 50 ids are fetched from it.
"""

import random
import re
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from evaluator.snapshot.snapshot import read_snapshot
from labeler.corpus.build import build_snapshot
from tests.bench.goals import Goal, alone, at_most, cpu_seconds

PAGES, QUICK = 27_000, 1_500
SEED = 7
FETCHED = 50
# Real words, so that a tokenizer cuts them as it would cut a real page.
_DEMO = Path(__file__).parents[2] / "data" / "demo" / "corpus"


def goals(quick: bool) -> Iterator[Goal]:
    """What a large corpus may take; a short run is scaled up to all pages."""
    pages = QUICK if quick else PAGES
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pages(folder / "corpus", pages)
        use = alone(build, folder)
        print(use.answer)
        yield at_most(f"CPU seconds for {PAGES:,} pages", 600, use.cpu_seconds * PAGES / pages)
        yield at_most("peak memory, MB", 2000, use.peak_mb)
        snapshot = read_snapshot(folder / "snapshot")
        ids = random.Random(SEED).sample(list(snapshot.chunk_ids()), FETCHED)
        assert len(snapshot.fetch(ids)) == FETCHED
        [fetching] = cpu_seconds(lambda: snapshot.fetch(ids), rounds=9)
        yield at_most(f"CPU milliseconds for {FETCHED} ids", 10, fetching * 1000)


def build(folder: Path) -> str:
    """Build the snapshot of a folder's corpus; how much there is in it."""
    built = build_snapshot(
        folder / "corpus",
        folder / "snapshot",
        name="bench",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        tokenizer="words",
        workers=0,
    )
    return f"{built.documents:,} documents, {built.chunks:,} chunks"


def write_pages(corpus: Path, pages: int) -> None:
    """Pages of four to eight sections with paragraphs and lists."""
    rng = random.Random(SEED)
    texts = (path.read_text(encoding="utf-8") for path in sorted(_DEMO.rglob("*.md")))
    words = [word for text in texts for word in re.findall(r"[A-Za-z]{2,}", text)]
    for number in range(pages):
        path = corpus / f"area-{number % 40}" / f"page-{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(_page(rng, words, number)) + "\n", encoding="utf-8")


def _page(rng: random.Random, words: list[str], number: int) -> list[str]:
    parts = [f"---\ntitle: Page {number}\n---"]
    for _ in range(rng.randint(4, 8)):
        parts.append(f"{'#' * rng.randint(2, 3)} {_words(rng, words, 3)}")
        parts += [_block(rng, words) for _ in range(rng.randint(1, 4))]
    return parts


def _block(rng: random.Random, words: list[str]) -> str:
    if rng.random() < 0.7:
        sentences = (_words(rng, words, rng.randint(6, 18)) for _ in range(rng.randint(2, 6)))
        return " ".join(f"{sentence.capitalize()}." for sentence in sentences)
    return "\n".join(f"- {_words(rng, words, 8)}" for _ in range(rng.randint(3, 7)))


def _words(rng: random.Random, words: list[str], n: int) -> str:
    return " ".join(rng.choices(words, k=n))
