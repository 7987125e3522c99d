"""
The prices of an arm, each with its name and unit: the row that stands beside the measures.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evaluator.report import words
from evaluator.report.document import Cost
from evaluator.report.facts import Record, arm_by_name, header_tokens


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
        Price("index on disk", _field("index_bytes"), words.size),
        Price("encoding, CPU time", _field("encode_cpu_seconds"), words.seconds),
        Price("encoding, by the clock", _field("encode_seconds"), words.seconds, _no_change),
        Price(f"index build{of}", _field("build_seconds"), words.seconds),
        Price(f"query latency, median{of}", _field("query_ms_p50"), words.milliseconds),
        Price(f"query latency, 95th percentile{of}", _field("query_ms_p95"), words.milliseconds),
        *_header_prices(arms),
    )
    return tuple(price for price in every if any(price.figure(arm) is not None for arm in arms))


def cost_cards(record: Record, contrast: Record) -> tuple[Cost, ...]:
    """The prices that a decision hangs on, treatment beside baseline, for the first screen."""
    baseline = arm_by_name(record, contrast["baseline"])
    treatment = arm_by_name(record, contrast["treatment"])
    wanted = (
        "header tokens per query",
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


def _header_prices(arms: Sequence[Record]) -> list[Price]:
    """Header tokens per query, one line for each cutoff, zero in an arm without headers."""
    tables = [dict(header_tokens(arm)) for arm in arms]
    return [
        Price(
            f"header tokens per query at k = {k}",
            lambda arm, k=k: dict(header_tokens(arm)).get(k),  # type: ignore[misc]
            words.tokens,
            words.token_change,
        )
        for k in sorted({k for table in tables for k in table})
    ]


def _no_change(_before: float | None, _after: float | None) -> str:
    """Nothing: what the clock showed at two moments says how busy the machine was."""
    return ""


def _costs(arm: Record) -> Record:
    found: Record = arm.get("costs") or {}
    return found


def _field(key: str) -> Callable[[Record], float | None]:
    return lambda arm: _costs(arm).get(key)
