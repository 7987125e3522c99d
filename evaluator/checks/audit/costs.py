"""
The costs on somebody else's slide: tokens, bytes, hours and header tax against each other.
"""

from collections.abc import Callable, Iterator

from evaluator.checks.audit.figures import Figure, Figures
from evaluator.checks.audit.finding import Finding, broken, doubt, fits, verdict


def _chunks(figures: Figures) -> Iterator[Finding]:
    if not figures.has("chunks_before", "chunks_after"):
        return
    before, after = figures.counts["chunks_before"], figures.counts["chunks_after"]
    yield verdict(
        before == after,
        f"{before:,} chunks before and after, as one chunking gives",
        f"{before:,} chunks before and {after:,} after: two chunk sets, so the ids that the "
        "labels name need not mean the same",
    )


def _inputs(figures: Figures) -> Iterator[Finding]:
    """What the inputs grew by is the header, and nothing else."""
    if not figures.has("input_tokens_before", "input_tokens_after"):
        return
    before, after = (figures.number(f"input_tokens_{when}") for when in ("before", "after"))
    gap, slack = after.value - before.value, before.slack + after.slack
    if figures.has("header_tokens"):
        header = figures.number("header_tokens")
        yield verdict(
            header.fits(gap, slack=slack),
            f"inputs grow by {gap:g} tokens, {before} to {after}, as the mean header of {header}",
            f"inputs grow by {gap:g} tokens, {before} to {after}, but the mean header has "
            f"{header}: text was cut, dropped or tokenised otherwise",
        )
    if figures.has("input_growth") and before.value:
        printed = figures.number("input_growth")
        yield verdict(
            printed.fits(gap / before.value, slack=slack / before.value),
            f"the growth {printed} is {gap:g} of {before}",
            f"the growth is printed as {printed}, but {gap:g} of {before} is "
            f"{gap / before.value:.4g}",
        )


def _tax(figures: Figures) -> Iterator[Finding]:
    """The mean header times the chunks that are returned, per query and per year."""
    k = figures.counts.get("k")
    for key, times in (("header_tokens_per_query", 1), ("header_tokens_per_query_2k", 2)):
        if k and figures.has("header_tokens", key):
            yield _product(figures, "header_tokens", times * k, key, f"k = {times * k}")
    if figures.has("header_tokens_per_query", "queries_per_year", "header_tokens_per_year"):
        traffic = figures.counts["queries_per_year"]
        named = f"{traffic:,} queries"
        yield _product(figures, "header_tokens_per_query", traffic, "header_tokens_per_year", named)


def _product(figures: Figures, one: str, times: int, key: str, named: str) -> Finding:
    factor, printed = figures.number(one), figures.number(key)
    product = factor.value * times
    what = f"{factor} header tokens times {named}"
    return verdict(
        printed.fits(product, slack=factor.slack * times),
        f"{key} {printed} is {what}",
        f"{key} is printed as {printed}, but {what} is {product:g}; chunks that are retrieved may "
        "have longer or shorter headers than the mean, if it was counted from them",
    )


def _index(figures: Figures) -> Iterator[Finding]:
    """A vector has the same size whatever it was made from."""
    if not figures.has("index_growth"):
        return
    growth = figures.number("index_growth")
    same = figures.has("chunks_before", "chunks_after") and (
        figures.counts["chunks_before"] == figures.counts["chunks_after"]
    )
    if same and growth.value > growth.slack:
        yield doubt(
            f"the index grew by {growth.value:.0%} with the same number of chunks: vectors do not "
            "grow with a header, so it is stored text, or something else that changed"
        )


def _encoding(figures: Figures) -> Iterator[Finding]:
    if figures.has("encode_factor", "input_tokens_before", "input_tokens_after"):
        factor, before = figures.number("encode_factor"), figures.number("input_tokens_before")
        tokens = figures.number("input_tokens_after").value / before.value if before.value else None
        if tokens is not None and factor.value - factor.slack > 1.5 * tokens:
            yield doubt(
                f"encoding takes {factor} times as long for {tokens:.3g} times the tokens: more "
                "than headers is in it (headers written by a model, another batch size, a busy "
                "machine)"
            )
    chunks = figures.counts.get("chunks_after", figures.counts.get("chunks_before"))
    if chunks and figures.has("chunks_per_second", "encode_hours"):
        speed, printed = figures.number("chunks_per_second"), figures.number("encode_hours")
        if not speed.value:
            yield broken(f"at {speed} chunks a second nothing is ever encoded")
            return
        hours = chunks / speed.value / 3600
        yield verdict(
            printed.fits(hours, slack=hours * speed.slack / speed.value),
            f"{chunks:,} chunks at {speed} a second take {printed} hours",
            f"{chunks:,} chunks at {speed} a second take {hours:.3g} hours, not {printed}",
        )


def _truncated(figures: Figures) -> Iterator[Finding]:
    if not figures.has("truncated_before", "truncated_after"):
        return
    before, after = figures.counts["truncated_before"], figures.counts["truncated_after"]
    if after > before:
        yield broken(
            f"the model cuts {after:,} inputs with the change and {before:,} without: lost text "
            "is a second cause beside the header"
        )
    else:
        yield fits(f"{after:,} inputs are cut with the change, {before:,} without")


def _latency(figures: Figures) -> Iterator[Finding]:
    if not figures.has("latency_ms_before", "latency_ms_after"):
        return
    before, after = (figures.number(f"latency_ms_{when}") for when in ("before", "after"))
    if not after.fits(before.value, slack=before.slack + 0.1 * before.value):
        yield doubt(
            f"a query takes {after} ms instead of {before}: a header changes what is stored and "
            "not how it is searched, so something else may have moved"
        )


def _judging(figures: Figures) -> Iterator[Finding]:
    if not figures.has("n", "minutes_per_query", "judging_hours"):
        return
    n, minutes = figures.counts["n"], figures.number("minutes_per_query")
    printed: Figure = figures.number("judging_hours")
    hours = n * minutes.value / 60
    yield verdict(
        printed.fits(hours),
        f"{n:,} queries at {minutes} minutes are {printed} hours",
        f"{n:,} queries at {minutes} minutes are {hours:.3g} hours, not {printed}",
    )


COST_CHECKS: tuple[Callable[[Figures], Iterator[Finding]], ...] = (
    _chunks,
    _inputs,
    _tax,
    _index,
    _encoding,
    _truncated,
    _latency,
    _judging,
)
