"""
The report on header rules as plain lines for people.

Strings stand between marks, so that a blank at either end can be seen.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from evaluator.arms.header_report import HeaderReport
from evaluator.text.messages import counted, first_few, marked

_TEXT_SHOWN = 160


def header_text(found: Sequence[HeaderReport]) -> str:
    """What every arm's rule does, with examples to read."""
    return "\n\n".join("\n".join(_lines(report)) for report in found)


def header_json(report: HeaderReport) -> dict[str, Any]:
    """The same for a program."""
    counts = {"without_header": report.without_header, "share_with_header": report.share}
    return {**asdict(report), **counts}


def _lines(report: HeaderReport) -> Iterator[str]:
    said = f"; {report.said_options}" if report.said_options else ""
    yield f"arm {report.arm!r}: header {report.rule}{said} (sha256 {report.digest[:12]})"
    if report.rule == "none":
        yield "no headers"
        return
    yield (
        f"{report.with_header:,} of {counted(report.chunks, 'chunk')} of tuning documents have a "
        f"header ({report.share:.1%}); {report.without_header:,} have none"
    )
    yield from _dropped(report)
    yield from _lengths(report)
    yield from _price(report)
    for header, count in report.most_repeated:
        yield f"on {count:,} chunks: {marked(header.rstrip())}"
    for chunk_id, header, text in report.examples:
        yield f"chunk {chunk_id}:"
        more = "…" if len(text) > _TEXT_SHOWN else ""
        yield marked(header) + " before " + marked(text[:_TEXT_SHOWN]) + more


def _dropped(report: HeaderReport) -> Iterator[str]:
    if report.already_said:
        yield f"{report.already_said:,} were left out, since the text begins with their words"
    if report.shortened:
        yield (
            f"{report.shortened:,} were over the limit and lost their outermost steps, or their "
            "last words where only one step was left"
        )
    if report.over_limit:
        yield f"{report.over_limit:,} were left out, since their first word is over the limit"
    if report.repeated:
        yield (
            f"{report.repeated:,} chunks already start with their header's last step: "
            "the encoder will read it twice"
        )


def _lengths(report: HeaderReport) -> Iterator[str]:
    if report.longest is None:
        return
    spread = ", ".join(f"{name} {value:g}" for name, value in report.tokens.items())
    words = " (the arm's own tokenizer is not here)" if report.tokenizer == "words" else ""
    yield f"tokens of a header, by {report.tokenizer}{words}: {spread}"
    chunk_id, header, tokens = report.longest
    yield f"longest, {tokens} tokens, on chunk {chunk_id}: {marked(header.rstrip())}"
    if report.outweighing:
        listed = first_few(report.outweighing_chunks, of=report.outweighing)
        yield f"{report.outweighing:,} headers have more tokens than their chunk: {listed}"


def _price(report: HeaderReport) -> Iterator[str]:
    file = report.file
    if file is None:
        return
    models = ", ".join(f"{name} {count:,}" for name, count in file["models"].items())
    by = f", made by {models}" if models else ""
    cost = "no cost stated" if file["cost"] is None else f"cost {file['cost']:g} in all"
    yield f"file of {file['lines']:,} headers{by}: {cost}"
