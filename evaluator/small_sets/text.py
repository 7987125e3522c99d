"""
Runs over samples as plain lines: the whole, each seed, their mean and spread, side by side.

It counts nothing; every figure comes with the summary.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from evaluator.text import figures as words
from evaluator.text.messages import counted, grid


def sampled_text(summary: Mapping[str, Any]) -> str:
    """The summary for people."""
    return "\n".join(_lines(summary))


def _lines(summary: Mapping[str, Any]) -> Iterator[str]:
    samples, full = summary["samples"], summary["full"]
    yield f"{summary['experiment']['name']}: {counted(len(samples), 'sample')}"
    yield f"[{summary['stamp']}] Fewer distractors flatter every arm."
    for sample in samples:
        hard = f", {sample['hard']['chunks']:,} hard" if sample["hard"] else ""
        yield (
            f"seed {sample['seed']}: {sample['chunks']:,} chunks, the pool of "
            f"{sample['pool']:,} among {sample['distractors']:,} random{hard} distractors"
        )
    if full is None:
        yield "No run of this experiment over the whole chunk set lies in its .results folder."
    else:
        yield f"the whole: {full['chunks']:,} chunks, {full['directory']}"
    yield ""
    yield from grid(_table(summary))
    if any(row["compression"] is not None for row in summary["contrasts"]):
        yield ""
        yield (
            "sampled/whole: the mean difference on the samples over that on the whole, as "
            "measured. Below 1"
        )
        yield (
            "the samples show less of the gap than there is, and below 0 one in the other "
            "direction."
        )


def _table(summary: Mapping[str, Any]) -> Iterator[list[str]]:
    with_whole = summary["full"] is not None
    seeds = [f"seed {sample['seed']}" for sample in summary["samples"]]
    whole = (["the whole"], ["sampled/whole"]) if with_whole else ([], [])
    width = len(seeds) + 3 + 2 * with_whole
    yield ["", *whole[0], *seeds, "mean", "spread", *whole[1]]
    for number, measure in enumerate(dict.fromkeys(row["measure"] for row in summary["arms"])):
        said = " (primary), levels not quotable" if number == 0 else ""
        yield [f"{measure}{said}", *[""] * (width - 1)]
        for arm in _of(summary["arms"], measure):
            yield _row(f"  {arm['name']}", arm, words.rate, with_whole=with_whole)
        for each in _of(summary["contrasts"], measure):
            name = f"  {each['treatment']} - {each['baseline']}"
            yield _row(name, each, words.signed, with_whole=with_whole)


def _of(rows: Sequence[Mapping[str, Any]], measure: str) -> Iterator[Mapping[str, Any]]:
    return (row for row in rows if row["measure"] == measure)


def _row(
    name: str, row: Mapping[str, Any], show: Callable[[float | None], str], *, with_whole: bool
) -> list[str]:
    low, high = row["range"]
    values = [show(value) for value in (*row["values"], row["mean"])]
    if not with_whole:
        return [name, *values, f"{high - low:.3f}"]
    ratio = row.get("compression")
    said = "" if ratio is None else f"{ratio:.2f}"
    return [name, show(row["full"]), *values, f"{high - low:.3f}", said]
