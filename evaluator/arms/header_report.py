"""
What a header rule does to the chunks of tuning documents, counted and shown.

Only tuning documents are looked at, so that a rule can be worked on without a look at what
is held out. Tokens are counted with the arm's own tokenizer where its file is on this
machine; no model is loaded.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from evaluator import InputError
from evaluator.arms.trace import tuning_chunks
from evaluator.experiment.headers.options import begins_with
from evaluator.experiment.headers.rule import SEPARATOR, HeaderRule, OwnTokens
from evaluator.experiment.pinned import Pinned
from evaluator.experiment.protocol import Arm
from evaluator.snapshot.chunk import Chunk
from evaluator.text.messages import counted, first_few, marked
from evaluator.vectors.tokens import WORDS, load_tokenizer

_BATCH = 8192
_LISTED = 5


@dataclass(frozen=True, slots=True)
class HeaderReport:
    """
    What one arm's rule does to the `chunks` of tuning documents.

    `tokens` is the distribution over the headers that there are, as `tokenizer` counts them
    before their text. `shortened` were over the limit, and `over_limit` in their first word
    already, so that they were dropped; `already_said` were dropped because the text begins with
    them; `repeated` begin with their header and keep it. `outweighing` have more tokens in the
    header than in the text. Listed are pairs of a chunk's id or a header's text with its number
    of tokens or chunks.
    """

    arm: str
    rule: str
    options: Mapping[str, Any]
    said_options: str
    digest: str
    tokenizer: str
    chunks: int
    with_header: int
    shortened: int
    over_limit: int
    already_said: int
    repeated: int
    tokens: Mapping[str, float]
    longest: tuple[str, str, int] | None
    most_repeated: tuple[tuple[str, int], ...]
    outweighing: int
    outweighing_chunks: tuple[str, ...]
    file: Mapping[str, Any] | None
    examples: tuple[tuple[str, str, str], ...]

    @property
    def without_header(self) -> int:
        return self.chunks - self.with_header

    @property
    def share(self) -> float:
        """The share of chunks that have a header; 0 where there are no chunks."""
        return self.with_header / self.chunks if self.chunks else 0.0


def report_headers(opened: Pinned, arm: Arm, *, show: int) -> HeaderReport:
    """
    An arm's header rule over all chunks of tuning documents.

    The examples lie evenly among the chunks with a header, in the order of the ids. Raises
    InputError for a header file made for other chunks, and for a rule with a token limit
    whose tokenizer is not here.
    """
    rule = opened.headers[arm.name]
    if rule.file is not None and not opened.snapshot.derived:
        rule.require_known(set(opened.snapshot.chunk_ids()))
    tokenizer, count = _tokenizer(arm, required=rule.options.max_tokens is not None)
    seen = _Seen(rule, count)
    chunks = tuning_chunks(opened.snapshot, opened.labels)
    while batch := list(islice(chunks, _BATCH)):
        seen.take(batch)
    return HeaderReport(
        arm=arm.name,
        rule=rule.rule,
        options=rule.options.chosen(),
        said_options=str(rule.options),
        digest=rule.digest,
        tokenizer=tokenizer,
        chunks=seen.chunks,
        with_header=len(seen.tokens),
        shortened=seen.shortened,
        over_limit=seen.over_limit,
        already_said=seen.already_said,
        repeated=seen.repeated,
        tokens=_distribution(seen.tokens),
        longest=seen.longest,
        most_repeated=tuple(_most_repeated(seen.headers)),
        outweighing=len(seen.outweighing),
        outweighing_chunks=tuple(seen.outweighing[:_LISTED]),
        file=None if rule.file is None else rule.file.record(),
        examples=tuple(_examples(opened, seen.headed, show=show)),
    )


class _Seen:
    """Counts over the chunks that went by."""

    def __init__(self, rule: HeaderRule, count: OwnTokens) -> None:
        self._rule, self._count = rule, count
        self.chunks = self.shortened = self.over_limit = self.already_said = self.repeated = 0
        self.tokens: list[int] = []
        self.longest: tuple[str, str, int] | None = None
        self.headers: Counter[str] = Counter()
        self.headed: list[tuple[str, str]] = []
        self.outweighing: list[str] = []

    def take(self, chunks: Sequence[Chunk]) -> None:
        drafts = [self._rule.drafts(chunk) for chunk in chunks]
        allowed = self._rule.within(drafts, own_tokens=self._count)
        found = self._rule.unsaid(chunks, drafts, allowed)
        headed = [(c, h) for c, h in zip(chunks, found, strict=True) if h]
        inputs = self._count([header + chunk.text for chunk, header in headed])
        bodies = self._count([chunk.text for chunk, _ in headed])
        for (chunk, header), whole, body in zip(headed, inputs, bodies, strict=True):
            head = whole - body
            self.tokens.append(head)
            self.headers[header] += 1
            self.headed.append((chunk.chunk_id, header))
            self.repeated += begins_with(chunk.text, header.split(SEPARATOR)[-1])
            if self.longest is None or head > self.longest[2]:
                self.longest = (chunk.chunk_id, header, head)
            if head > body:
                self.outweighing.append(chunk.chunk_id)
        self.chunks += len(chunks)
        for written, fit, header in zip(drafts, allowed, found, strict=True):
            self.shortened += bool(header) and header != written[0]
            self.over_limit += bool(written[0]) and not fit
            self.already_said += bool(fit) and not header


def _distribution(tokens: Sequence[int]) -> dict[str, float]:
    """Percentiles are values that occur, never between two; empty without headers."""
    if not tokens:
        return {}
    low, median, high = np.percentile(tokens, [5, 50, 95], method="inverted_cdf").tolist()
    return {"p5": low, "median": median, "p95": high, "max": max(tokens)}


def _most_repeated(headers: Counter[str]) -> Iterator[tuple[str, int]]:
    several = [(header, count) for header, count in headers.items() if count > 1]
    yield from sorted(several, key=lambda each: (-each[1], each[0]))[:_LISTED]


def _examples(
    opened: Pinned, headed: Sequence[tuple[str, str]], *, show: int
) -> Iterator[tuple[str, str, str]]:
    shown = min(show, len(headed))
    chosen = [headed[(2 * n + 1) * len(headed) // (2 * shown)] for n in range(shown)]
    found = opened.snapshot.fetch([chunk_id for chunk_id, _ in chosen])
    yield from ((chunk_id, header, found[chunk_id].text) for chunk_id, header in chosen)


def _tokenizer(arm: Arm, *, required: bool) -> tuple[str, OwnTokens]:
    """The name and the counts of the arm's tokenizer, or of words where it is not here."""
    source = arm.model.source
    try:
        if source.startswith("hub:"):
            folder = _hub_folder(source.removeprefix("hub:"), arm.model.revision)
            loaded = load_tokenizer(f"folder:{folder}")
        else:
            loaded = load_tokenizer(source)
        name = source
    except InputError as error:
        if required:
            raise InputError(
                f"Arm {arm.name!r} has a token limit, and its tokenizer is not here: {error}"
            ) from None
        name, loaded = WORDS, load_tokenizer(WORDS)
    return name, lambda texts: [loaded.count(text) for text in texts]


def _hub_folder(name: str, revision: str | None) -> Path:
    """Where the hub's client keeps this model, if it was fetched before."""
    from huggingface_hub import try_to_load_from_cache

    found = try_to_load_from_cache(name, "tokenizer.json", revision=revision)
    if not isinstance(found, str):
        raise InputError(f"Model {name} was not fetched yet. Run the experiment once.")
    return Path(found).parent


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
