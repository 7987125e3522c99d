"""
The prices of an arm, each with its name and unit: the row that stands beside the measures.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from evaluator.contrasts.model import ArmCosts, Contrast
from evaluator.record.facts import arm_by_name, header_tokens
from evaluator.record.model import Record, RecordedArm
from evaluator.report.document import Block, Data, Sentence, Table, paragraph, row, say
from evaluator.text import figures as words

# A graph is built once, and what else the machine does then can cost it half as much again.
_BUILD_NOISE = 1.5

_Show = Callable[[float | None], str]
_Change = Callable[[float | None, float | None], str]


@dataclass(frozen=True, slots=True)
class Price:
    """One line of the cost row: its name, its figure in an arm, and how it is written."""

    label: str
    figure: Callable[[RecordedArm], float | None]
    show: _Show
    change: _Change = words.growth

    def moved(self, before: RecordedArm, after: RecordedArm) -> str:
        """How far the figure moved between two arms, as far as it was measured well enough."""
        if self.label.startswith("query latency"):
            return _beyond_spread(before, after) if "median" in self.label else ""
        return self.change(self.figure(before), self.figure(after))


def _generation(what: str) -> Callable[[RecordedArm], float | None]:
    """What the headers of an arm took to be made, where every line of their file says so."""

    def read(arm: RecordedArm) -> float | None:
        file = arm.header_file or {}
        return file.get(what) if file.get(f"lines_with_{what}") == file.get("lines") else None

    return read


def _ingestion(arm: RecordedArm) -> float | None:
    made = 0.0 if arm.header_file is None else _generation("seconds")(arm)
    if arm.costs is None or made is None:
        return None
    return made + arm.costs.encode_seconds + arm.costs.build_seconds


_GENERATION = (
    Price("generating the headers, tokens", _generation("tokens"), words.tokens),
    Price(
        "generating the headers, cost as their file states it", _generation("cost"), words.tokens
    ),
    Price("generating the headers, time", _generation("seconds"), words.seconds),
    Price("whole ingestion: headers, encoding, build", _ingestion, words.seconds),
)


def prices(arms: Sequence[RecordedArm]) -> tuple[Price, ...]:
    """Every cost that at least one arm reports, in the order of the row."""
    ranking = next((arm.costs.latency_of for arm in arms if arm.costs), None)
    of = f", {ranking}" if ranking else ""
    tokens, counts = (words.tokens, words.token_change), (words.count, words.count_change)
    latency = (words.milliseconds, _no_change)
    table: tuple[tuple[str, Callable[[ArmCosts], float | None], _Show, _Change], ...] = (
        ("chunks", lambda costs: costs.chunks, words.count, words.growth),
        ("mean input, tokens offered", lambda costs: costs.input_tokens_mean, *tokens),
        ("mean input, tokens read by the model", lambda costs: costs.embedded_tokens_mean, *tokens),
        ("mean header, tokens in place", lambda costs: costs.header_tokens_mean, *tokens),
        ("chunks without a header", lambda costs: costs.chunks_without_header, *counts),
        ("inputs truncated by the model", lambda costs: costs.truncated_inputs, *counts),
        ("stored text, header and chunk", lambda costs: costs.text_bytes, words.size, words.growth),
        ("vectors", lambda costs: costs.vector_bytes, words.size, words.growth),
        (
            f"index with its vectors{of}",
            lambda costs: costs.index_bytes,
            words.size,
            words.growth,
        ),
        ("encoding, CPU time", lambda costs: costs.encode_cpu_seconds, words.seconds, _no_change),
        ("encoding, by the clock", lambda costs: costs.encode_seconds, words.seconds, _no_change),
        (f"index build{of}", lambda costs: costs.build_seconds, words.seconds, _built),
        (f"query latency, median{of}", lambda costs: costs.query_ms_p50, *latency),
        (f"query latency, 95th percentile{of}", lambda costs: costs.query_ms_p95, *latency),
    )
    every = [Price(label, _figure(read), show, change) for label, read, show, change in table]
    generation = _GENERATION if any(arm.header_file for arm in arms) else ()
    return tuple(
        price
        for price in (*every, *generation, *_header_prices(arms))
        if any(price.figure(arm) is not None for arm in arms)
    )


def cost_blocks(record: Record, contrast: Contrast) -> Iterator[Block]:
    """Every price, treatment beside baseline, and what a larger k would cost instead."""
    arms = [arm_by_name(record, name) for name in (contrast.baseline, contrast.treatment)]
    rows = []
    for price in prices(arms):
        before, after = (price.figure(arm) for arm in arms)
        shown = price.show(before), price.show(after), price.moved(*arms)
        rows.append(row(price.label, *shown))
    if not rows:
        return
    yield Table(row("cost", *(Data(arm.name) for arm in arms), "change"), tuple(rows), wide=True)
    if note := usage_note(arms):
        yield paragraph(*note)
    table, tokens = contrast.k_by_treatment, header_tokens(arms[1])
    if tokens.get(table.k) and tokens.get(table.k2):
        yield paragraph(
            f"The alternative, k = {table.k2}, doubles the retrieved text and the candidates of "
            f"a reranker; with headers it brings {words.tokens(tokens[table.k2])} instead of "
            f"{words.tokens(tokens[table.k])} header tokens per query."
        )
    reused = [arm for arm in arms if arm.costs and arm.costs.vectors_reused]
    if reused:
        yield paragraph("Encoding times are those measured when the vectors were made.")


def usage_note(arms: Sequence[RecordedArm]) -> Sentence:
    """What the header tokens per turn and per year are made from; nothing where none are."""
    usage = next((arm.costs.usage for arm in arms if arm.costs), None)
    if usage is None:
        return ()
    if not usage.headers_enter_context:
        return say(
            "Headers are embedded and do not enter the generator's context, as the experiment "
            "declares: they cost nothing per query."
        )
    turns = usage.turns_kept
    kept = "in its own turn only" if turns == 1 else f"in {turns:,} turns"
    traffic = usage.queries_per_year
    return say(
        "Header tokens are those of the chunks really retrieved, taken to enter the generator's "
        f"context. Queries per turn: {usage.queries_per_turn:g}; what a query brought is read "
        f"{kept}."
        + (f" Queries per year: {traffic:,}." if traffic else " No yearly traffic is declared.")
    )


def _header_prices(arms: Sequence[RecordedArm]) -> list[Price]:
    """
    Header tokens per query, turn and year, a line for each cutoff, 0 in an arm without headers.

    A turn that costs what a query costs gets no line of its own.
    """
    ranking = next((arm.costs.header_tokens_of for arm in arms if arm.costs), None)
    of = f", {ranking}" if ranking else ""
    found = []
    for per in ("query", "turn", "year"):
        tables = [header_tokens(arm, per) for arm in arms]
        if per == "turn" and tables == [header_tokens(arm) for arm in arms]:
            continue
        found += [
            Price(
                f"header tokens per {per} at k = {k}{of}",
                _header_tokens_at(k, per),
                words.tokens,
                words.token_change,
            )
            for k in sorted({k for table in tables for k in table})
        ]
    return found


def _header_tokens_at(k: int, per: str) -> Callable[[RecordedArm], float | None]:
    return lambda arm: header_tokens(arm, per).get(k)


def _beyond_spread(before: RecordedArm, after: RecordedArm) -> str:
    """How far the median latency moved, where the rounds of both arms lie apart."""
    mine, theirs = before.costs, after.costs
    if not (mine and theirs and mine.query_ms_spread and theirs.query_ms_spread):
        return ""
    (low, high), (other_low, other_high) = mine.query_ms_spread, theirs.query_ms_spread
    if low <= other_high and other_low <= high:
        return "no change that this machine can show"
    return words.growth(mine.query_ms_p50, theirs.query_ms_p50)


def _built(before: float | None, after: float | None) -> str:
    """How far a time that was measured once moved, if it moved far."""
    if before and after and 1 / _BUILD_NOISE < after / before < _BUILD_NOISE:
        return "no change that one build can show"
    return words.growth(before, after)


def _no_change(_before: float | None, _after: float | None) -> str:
    """Nothing: what two moments took tells how busy the machine was; tokens are what compares."""
    return ""


def _figure(read: Callable[[ArmCosts], float | None]) -> Callable[[RecordedArm], float | None]:
    return lambda arm: None if arm.costs is None else read(arm.costs)
