"""
The tables [protocol] and [costs] of an experiment file, read and checked.

It owns their keys, and what a cutoff asks of depth and graph.
"""

from collections.abc import Sequence

from evaluator import InputError
from evaluator.experiment.protocol import IndexSettings, Protocol, Usage
from evaluator.files.form import Form
from evaluator.measures.names import at_cutoff, cutoff_of, measure_name

SPLITS = ("held-out", "tuning", "all")
_MOST_LINKS = 10_000  # hnswlib takes no more, and the record would name what was not built


def read_protocol(table: Form) -> Protocol:
    """What every arm shares; cutoffs that the depth or the graph cannot serve are problems."""
    index = table.table("index", "[protocol.index]", required=False)
    standard = IndexSettings()
    protocol = Protocol(
        similarity=table.choice("similarity", ("cosine",), default="cosine"),
        ranking=table.choice("ranking", ("exact", "hnsw"), default="exact"),
        depth=table.whole("depth", default=100),
        measures=table.texts("measures", hint='As in ["Success@5", "R@5", "nDCG@10"].'),
        primary=table.text("primary", hint="Name the one measure that decides, chosen before."),
        estimand=table.choice("estimand", ("judged-queries", "traffic"), default="judged-queries"),
        split=table.choice("split", SPLITS),
        nothing_tuned=table.flag("nothing_tuned", default=False),
        body=table.choice("body", ("whole", "matched"), default="whole"),
        filter=table.flag("filter", default=True),
        index=IndexSettings(
            m=index.whole("m", default=standard.m, least=2, most=_MOST_LINKS),
            ef_construction=index.whole("ef_construction", default=standard.ef_construction),
            ef_search=index.whole("ef_search", default=standard.ef_search),
            seed=index.whole("seed", default=standard.seed, least=0),
            extra_seeds=index.whole("extra_seeds", least=0) if index.has("extra_seeds") else None,
        ),
    )
    index.close()
    table.close()
    _check_protocol(table, protocol)
    return protocol


def read_usage(table: Form) -> Usage:
    """What becomes of retrieved chunks, as far as the bill of headers depends on it."""
    standard = Usage()
    table.know("queries_per_year")
    usage = Usage(
        headers_enter_context=table.flag(
            "headers_enter_context", default=standard.headers_enter_context
        ),
        queries_per_turn=table.number("queries_per_turn", default=standard.queries_per_turn),
        turns_kept=table.whole("turns_kept", default=standard.turns_kept),
        queries_per_year=table.whole("queries_per_year") if table.has("queries_per_year") else None,
    )
    table.close()
    return usage


def _check_protocol(table: Form, protocol: Protocol) -> None:
    if protocol.nothing_tuned and protocol.split != "all":
        table.problem('nothing_tuned = true belongs to split = "all".')
    readable = [name for name in protocol.measures if _readable(table, name)]
    if len({measure_name(name, min_grade=1) for name in readable}) < len(readable):
        table.problem("measures names one of them twice.")
    if not protocol.primary or (protocol.measures and not readable):
        return
    if protocol.primary not in protocol.measures:
        table.problem(f'primary "{protocol.primary}" is not among the measures.')
    elif protocol.primary in readable:
        _check_cutoffs(table, protocol, readable)


def _readable(table: Form, name: str) -> bool:
    try:
        measure_name(name, min_grade=1)
        return True
    except InputError as error:
        table.problem(str(error))
        return False


def _check_cutoffs(table: Form, protocol: Protocol, measures: Sequence[str]) -> None:
    k = cutoff_of(protocol.primary)
    if k is None:
        table.problem(
            f'primary "{protocol.primary}" has no cutoff.',
            f'State it, as in "{at_cutoff(protocol.primary, 5)}".',
        )
        return
    deepest = max([2 * k, *(cutoff_of(name) or 0 for name in measures)])
    if protocol.depth < deepest:
        table.problem(
            f"depth is {protocol.depth}, but {deepest} results are needed",
            "for the largest cutoff (twice that of the primary measure is always computed).",
        )
    if protocol.index.ef_search < deepest:
        table.problem(
            f"index.ef_search is {protocol.index.ef_search}, below the largest cutoff {deepest}.",
            "hnswlib would quietly search with the cutoff instead.",
        )
