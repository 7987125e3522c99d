"""
The prices of an arm, each with its name and unit: the row that stands beside the measures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluator.record.facts import Record, arm_by_name, header_tokens
from evaluator.report.document import Cost, Sentence, say
from evaluator.text import figures as words

# Of one and the same graph timed twice on a busy machine.
_TIMING_NOISE = 0.1


@dataclass(frozen=True, slots=True)
class Price:
    """One line of the cost row: its name, its figure in an arm, and how it is written."""

    label: str
    figure: Callable[[Record], float | None]
    show: Callable[[float | None], str]
    change: Callable[[float | None, float | None], str] = words.growth


def prices(arms: Sequence[Record]) -> tuple[Price, ...]:
    """Every cost that at least one arm reports, in the order of the row."""
    ranking = next((_costs(arm).get("latency_of") for arm in arms if _costs(arm)), None)
    of = f", {ranking}" if ranking else ""
    every = (
        Price("chunks", _field("chunks"), words.count),
        Price(
            "mean input, tokens offered",
            _field("input_tokens_mean"),
            words.tokens,
            words.token_change,
        ),
        Price(
            "mean input, tokens read by the model",
            _field("embedded_tokens_mean"),
            words.tokens,
            words.token_change,
        ),
        Price(
            "mean header, tokens counted apart",
            _field("header_tokens_mean"),
            words.tokens,
            words.token_change,
        ),
        Price(
            "chunks without a header",
            _field("chunks_without_header"),
            words.count,
            words.count_change,
        ),
        Price(
            "inputs truncated by the model",
            _field("truncated_inputs"),
            words.count,
            words.count_change,
        ),
        Price(f"index on disk{of}", _field("index_bytes"), words.size),
        Price("encoding, CPU time", _field("encode_cpu_seconds"), words.seconds),
        Price("encoding, by the clock", _field("encode_seconds"), words.seconds, _no_change),
        Price(f"index build{of}", _field("build_seconds"), words.seconds, _beyond_noise),
        Price(
            f"query latency, median{of}", _field("query_ms_p50"), words.milliseconds, _beyond_noise
        ),
        Price(
            f"query latency, 95th percentile{of}",
            _field("query_ms_p95"),
            words.milliseconds,
            _beyond_noise,
        ),
        *_header_prices(arms),
    )
    return tuple(price for price in every if any(price.figure(arm) is not None for arm in arms))


def cost_cards(record: Record, contrast: Record) -> tuple[Cost, ...]:
    """The prices that a decision hangs on, treatment beside baseline, for the first screen."""
    baseline = arm_by_name(record, contrast["baseline"])
    treatment = arm_by_name(record, contrast["treatment"])
    wanted = (
        "header tokens per query",
        "header tokens per year",
        "mean input",
        "index on disk",
        "encoding, CPU",
        "query latency, m",
    )
    chosen: dict[str, Cost] = {}
    for price in prices((baseline, treatment)):
        start = next((start for start in wanted if price.label.startswith(start)), None)
        before, after = price.figure(baseline), price.figure(treatment)
        if start is None or start in chosen or not (before or after):
            continue
        chosen[start] = Cost(
            price.label, price.show(before), price.show(after), price.change(before, after)
        )
    return tuple(chosen[start] for start in wanted if start in chosen)


def usage_note(arms: Sequence[Record]) -> Sentence:
    """What the header tokens per turn and per year are made from; nothing where none are."""
    usage = next((_costs(arm)["usage"] for arm in arms if _costs(arm).get("usage")), None)
    if usage is None:
        return ()
    if not usage["headers_enter_context"]:
        return say(
            "Headers are embedded and do not enter the generator's context, as the experiment "
            "declares: they cost nothing per query."
        )
    turns = usage["turns_kept"]
    kept = "in its own turn only" if turns == 1 else f"in {turns:,} turns"
    traffic = usage.get("queries_per_year")
    return say(
        "Header tokens are those of the chunks really retrieved, taken to enter the generator's "
        f"context. Queries per turn: {usage['queries_per_turn']:g}; what a query brought is read "
        f"{kept}."
        + (f" Queries per year: {traffic:,}." if traffic else " No yearly traffic is declared.")
    )


def _header_prices(arms: Sequence[Record]) -> list[Price]:
    """
    Header tokens per query, turn and year, a line for each cutoff, 0 in an arm without headers.

    A turn that costs what a query costs gets no line of its own.
    """
    ranking = next((of for arm in arms if (of := _costs(arm).get("header_tokens_of"))), None)
    found = []
    for per in ("query", "turn", "year"):
        tables = [dict(header_tokens(arm, per)) for arm in arms]
        if per == "turn" and tables == [dict(header_tokens(arm)) for arm in arms]:
            continue
        found += [
            Price(
                f"header tokens per {per} at k = {k}" + (f", {ranking}" if ranking else ""),
                _header_tokens_at(k, per),
                words.tokens,
                words.token_change,
            )
            for k in sorted({k for table in tables for k in table})
        ]
    return found


def _header_tokens_at(k: int, per: str) -> Callable[[Record], float | None]:
    return lambda arm: dict(header_tokens(arm, per)).get(k)


def _beyond_noise(before: float | None, after: float | None) -> str:
    """How far a time moved; within a tenth, two timings of one thing differ as much."""
    if before and after is not None and abs(after / before - 1) <= _TIMING_NOISE:
        return "no change beyond 10%"
    return words.growth(before, after)


def _no_change(_before: float | None, _after: float | None) -> str:
    """Nothing: what the clock showed at two moments says how busy the machine was."""
    return ""


def _costs(arm: Record) -> Record:
    found: Record = arm.get("costs") or {}
    return found


def _field(key: str) -> Callable[[Record], float | None]:
    return lambda arm: _costs(arm).get(key)
