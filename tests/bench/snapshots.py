"""
How long a large chunk set takes to make, and how quickly it is read afterwards.

Run by hand: `python -m tests.bench.snapshots FOLDER`. It writes a made-up corpus (27,000
Markdown pages, about 180,000 chunks) below FOLDER, builds its snapshot as `labeler init`
does, and prints seconds, peak memory, and the time to open it and to fetch 50 ids.
"""

import random
import re
import resource
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path

import click

from evaluator.console import progress
from evaluator.snapshot import build_snapshot, read_snapshot

SEED = 7
FETCHED = 50
# Real words, so that a tokenizer cuts them as it would cut a real page.
_DEMO = Path(__file__).parents[2] / "data" / "demo" / "corpus"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--pages", default=27_000, show_default=True)
@click.option("--tokenizer", default="words", show_default=True)
@click.option("--workers", default=0, help="0: as it seems fit.")
def main(folder: Path, pages: int, tokenizer: str, workers: int) -> None:
    """Build, open and read a large snapshot, and print what it took."""
    corpus = folder / f"pages-{pages}"
    if not corpus.exists():
        write_pages(corpus, pages)
    out = folder / "snapshot"
    shutil.rmtree(out, ignore_errors=True)
    started = time.perf_counter()
    report = build_snapshot(
        corpus,
        out,
        name="bench",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        tokenizer=tokenizer,
        workers=workers,
        progress=progress,
    )
    seconds = time.perf_counter() - started
    click.echo(f"{report.documents:,} documents, {report.chunks:,} chunks, {tokenizer}")
    click.echo(f"build: {seconds:.0f} s, peak {peak_mb()} MB; digest {report.snapshot.digest[:12]}")
    read(out)


def read(out: Path) -> None:
    """Open the snapshot and fetch ids that lie far apart."""
    started = time.perf_counter()
    snapshot = read_snapshot(out)
    opened = time.perf_counter() - started
    ids = random.Random(SEED).sample(list(snapshot.chunk_ids()), FETCHED)
    snapshot.fetch(ids[:1])
    started = time.perf_counter()
    found = snapshot.fetch(ids)
    assert len(found) == FETCHED
    fetched = time.perf_counter() - started
    click.echo(f"open: {opened * 1000:.0f} ms; {FETCHED} ids: {fetched * 1000:.1f} ms")


def write_pages(corpus: Path, pages: int) -> None:
    """Pages of four to eight sections with paragraphs, lists, code and tables."""
    rng = random.Random(SEED)
    texts = (path.read_text(encoding="utf-8") for path in sorted(_DEMO.rglob("*.md")))
    words = [word for text in texts for word in re.findall(r"[A-Za-z]{2,}", text)]
    for number in range(pages):
        path = corpus / f"area-{number % 40}" / f"page-{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(_page(rng, words, number)) + "\n", encoding="utf-8")


def peak_mb() -> str:
    """The most memory that this process and its largest child held, each."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return " + ".join(f"{resource.getrusage(kind).ru_maxrss // 1024:,}" for kind in kinds)


def _page(rng: random.Random, words: list[str], number: int) -> list[str]:
    parts = [f"---\ntitle: Page {number}\n---"]
    for _ in range(rng.randint(4, 8)):
        parts.append(f"{'#' * rng.randint(2, 3)} {_words(rng, words, 3)}")
        parts += [_block(rng, words) for _ in range(rng.randint(1, 4))]
    return parts


def _block(rng: random.Random, words: list[str]) -> str:
    kind = rng.random()
    if kind < 0.7:
        sentences = (_words(rng, words, rng.randint(6, 18)) for _ in range(rng.randint(2, 6)))
        return " ".join(f"{sentence.capitalize()}." for sentence in sentences)
    if kind < 0.85:
        return "\n".join(f"- {_words(rng, words, 8)}" for _ in range(rng.randint(3, 7)))
    if kind < 0.93:
        return "```sh\n" + "\n".join(_words(rng, words, 5) for _ in range(4)) + "\n```"
    rows = "\n".join(f"| {_words(rng, words, 2)} | {_words(rng, words, 3)} |" for _ in range(4))
    return f"| a | b |\n|---|---|\n{rows}"


def _words(rng: random.Random, words: list[str], n: int) -> str:
    return " ".join(rng.choices(words, k=n))


if __name__ == "__main__":
    main()
