"""
What must be said of runs made elsewhere before their figures are believed.

Which chunks the labels know, which queries were not asked for, and where lists end too early.
It measures no difference.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from evaluator.contrasts.model import OutsideChunks, OutsideCoverage
from evaluator.contrasts.pair import ArmPair
from evaluator.files.ids import as_they_are, lookalikes
from evaluator.measures.names import cutoff_of
from evaluator.measures.values import answers, tie_notice
from evaluator.text.messages import counted, some_ids


def coverage(
    pair: ArmPair, judged: Mapping[str, float], *, known: Collection[str]
) -> OutsideCoverage:
    """
    How far the labels know what each run has in its first k, by ids and by query.

    `judged` is each run's Judged@k over the same queries; one without results has nothing
    judged. `known` are the `known_chunks`.

    An id in no judgement of any query may be of another chunk set, which no measure tells
    from a bad system: both are misses.
    """
    found = {}
    for name, run in pair.runs.items():
        ids = [c for q in pair.query_ids for c, _ in run.get(q, ())[: pair.k]]
        unknown = [chunk_id for chunk_id in ids if chunk_id not in known]
        distinct = sorted(set(unknown))
        found[name] = OutsideChunks(
            ids=len(ids),
            unknown=len(unknown),
            unknown_first=tuple(distinct[:5]),
            unknown_distinct=len(distinct),
            judged=judged[name],
        )
    known_from = "pool" if pair.label_set else "judgement"
    return OutsideCoverage(pair.k, known_from, pair.negatives_recorded, found)


def known_chunks(pair: ArmPair) -> set[str]:
    """The chunks of the pool, or of a plain file's judgements."""
    if pair.label_set:
        return {entry.chunk_id for entry in pair.label_set.pool}
    return {chunk_id for grades in pair.qrels.values() for chunk_id in grades}


def run_notices(pair: ArmPair, *, known: Collection[str]) -> Iterator[str]:
    """What each run answers beside the queries, where its lists end too early or tie at k."""
    cutoffs = {pair.k, *(k for name in pair.measures if (k := cutoff_of(name)) is not None)}
    for name, run in pair.runs.items():
        first = {c: None for q in pair.query_ids for c, _ in run.get(q, ())[: pair.k]}
        if alike := lookalikes((c for c in first if c not in known), known):
            yield (
                f"{name}: {counted(len(alike), 'chunk id')} in the first {pair.k} only look like "
                f"those of the labels ({as_they_are(alike)}), and count as misses"
            )
        unknown = answers(run, pair.query_ids).unknown
        if unknown:
            verb = "query was" if len(unknown) == 1 else "queries were"
            yield f"{name}: {len(unknown):,} {verb} not asked for: {some_ids(unknown)}"
        named: Sequence[str] = ()
        for k in sorted(cutoffs):
            short = [q for q in pair.query_ids if 0 < len(run.get(q, ())) < k]
            if short and short != named:
                verb = "list is" if len(short) == 1 else "lists are"
                yield f"{name}: {len(short):,} {verb} shorter than {k}: {some_ids(short)}"
            named = short
        order = "the rank column decides, then the order of the lines"
        tied = tie_notice(
            name, run, query_ids=pair.query_ids, gold=pair.gold, k=pair.k, order=order
        )
        yield from [tied] if tied else []
