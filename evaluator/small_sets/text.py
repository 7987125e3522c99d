"""
Runs over samples as plain lines: the whole, each seed, their mean and spread, side by side.

It counts nothing; every figure comes with the summary.
"""

from collections.abc import Callable, Iterator

from evaluator.small_sets.run import SampleSummary, Spread
from evaluator.text import figures as words
from evaluator.text.messages import counted, grid


def summary_text(summary: SampleSummary) -> str:
    """The summary for people."""
    return "\n".join(_lines(summary))


def _lines(summary: SampleSummary) -> Iterator[str]:
    yield f"{summary.experiment}: {counted(len(summary.samples), 'sample')}"
    yield f"[{summary.stamp}] Fewer distractors flatter every arm."
    for sample in summary.samples:
        hard = f", {sample.hard['chunks']:,} hard" if sample.hard else ""
        yield (
            f"seed {sample.seed}: {sample.chunks:,} chunks, the pool of {sample.pool:,} among "
            f"{sample.distractors:,} random{hard} distractors"
        )
    if summary.whole is None:
        yield "No run of this experiment over the whole chunk set lies in its .results folder."
    else:
        yield f"the whole: {summary.whole.chunks:,} chunks, {summary.whole.directory}"
    yield ""
    yield from grid(_table(summary))
    if any(row.compression is not None for row in summary.contrasts):
        yield ""
        yield (
            "sampled/whole: the mean difference on the samples over that on the whole, as "
            "measured. Below 1"
        )
        yield (
            "the samples show less of the gap than there is, and below 0 one in the other "
            "direction."
        )


def _table(summary: SampleSummary) -> Iterator[list[str]]:
    with_whole = summary.whole is not None
    seeds = [f"seed {sample.seed}" for sample in summary.samples]
    whole = (["the whole"], ["sampled/whole"]) if with_whole else ([], [])
    head = ["", *whole[0], *seeds, "mean", "spread", *whole[1]]
    yield head
    for number, measure in enumerate(dict.fromkeys(row.measure for row in summary.arms)):
        said = " (primary), levels not quotable" if number == 0 else ""
        yield [f"{measure}{said}", *[""] * (len(head) - 1)]
        for rows, show in ((summary.arms, words.rate), (summary.contrasts, words.signed)):
            for row in rows:
                if row.measure == measure:
                    yield _row(row, show, with_whole=with_whole)


def _row(row: Spread, show: Callable[[float | None], str], *, with_whole: bool) -> list[str]:
    low, high = row.range
    values = [*map(show, (*row.values, row.mean)), f"{high - low:.3f}"]
    if not with_whole:
        return [f"  {row.name}", *values]
    ratio = "" if row.compression is None else f"{row.compression:.2f}"
    return [f"  {row.name}", show(row.whole), *values, ratio]
