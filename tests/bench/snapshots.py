"""
How long a large chunk set takes to make, and how quickly it is read afterwards.

Run by hand: `python -m tests.bench.snapshots FOLDER`. It writes a made-up corpus (27,000
Markdown pages, about 180,000 chunks) below FOLDER, builds its snapshot as `labeler init`
does, and prints time, peak memory, and what it takes to open it and to fetch 50 ids.
"""

import random
import re
import resource
import shutil
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from evaluator.console import progress
from evaluator.snapshot.snapshot import read_snapshot
from labeler.corpus.build import build_snapshot
from tests.bench.goals import Goal, cpu_seconds, report

PAGES = 27_000
SEED = 7
FETCHED = 50
# Real words, so that a tokenizer cuts them as it would cut a real page.
_DEMO = Path(__file__).parents[2] / "data" / "demo" / "corpus"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--pages", default=PAGES, show_default=True)
@click.option("--tokenizer", default="words", show_default=True)
@click.option("--workers", default=0, help="0: as it seems fit.")
def main(folder: Path, pages: int, tokenizer: str, workers: int) -> None:
    """Build, open and read a large snapshot, and print what it took."""
    corpus = folder / f"pages-{pages}"
    if not corpus.exists():
        write_pages(corpus, pages)
    out = folder / "snapshot"
    shutil.rmtree(out, ignore_errors=True)
    started, used = time.perf_counter(), used_seconds()
    built = build_snapshot(
        corpus,
        out,
        name="bench",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        tokenizer=tokenizer,
        workers=workers,
        progress=progress,
    )
    seconds, used = time.perf_counter() - started, used_seconds() - used
    print(f"{built.documents:,} documents, {built.chunks:,} chunks, tokens of {tokenizer}")
    print(f"build: {seconds:.0f} s by the clock, {used:.0f} CPU seconds; peak {peak_mb():,} MB")
    print(f"digest {built.snapshot.digest[:12]}")
    raise SystemExit(report(goals(out, whole_seconds=used * PAGES / pages)))


def goals(out: Path, *, whole_seconds: float) -> Iterator[Goal]:
    """What a large corpus may take; a short run is scaled up to all pages."""
    size = whole_seconds <= 600
    yield Goal(f"CPU seconds for {PAGES:,} pages", "at most 600", f"{whole_seconds:.0f}", size)
    yield Goal("peak memory, MB", "at most 2,000", f"{peak_mb():,}", peak_mb() <= 2000)
    snapshot = read_snapshot(out)
    ids = random.Random(SEED).sample(list(snapshot.chunk_ids()), FETCHED)
    assert len(snapshot.fetch(ids)) == FETCHED
    [opening, fetching] = cpu_seconds(
        lambda: read_snapshot(out), lambda: snapshot.fetch(ids), rounds=9
    )
    print(f"open: {opening * 1000:.1f} ms")
    shown = f"{fetching * 1000:.1f}"
    yield Goal(f"CPU milliseconds for {FETCHED} ids", "at most 10", shown, fetching <= 0.010)


def write_pages(corpus: Path, pages: int) -> None:
    """Pages of four to eight sections with paragraphs, lists, code and tables."""
    rng = random.Random(SEED)
    texts = (path.read_text(encoding="utf-8") for path in sorted(_DEMO.rglob("*.md")))
    words = [word for text in texts for word in re.findall(r"[A-Za-z]{2,}", text)]
    for number in range(pages):
        path = corpus / f"area-{number % 40}" / f"page-{number:05}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n\n".join(_page(rng, words, number)) + "\n", encoding="utf-8")


def used_seconds() -> float:
    """CPU seconds of this process and of those that it started and that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak_mb() -> int:
    """The most memory that this process held, and its largest child on top."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(resource.getrusage(kind).ru_maxrss for kind in kinds) // 1024


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
