"""
One arm measured: its rankings turned into values by query, and what it costs.

Costs are tokens, bytes, seconds and milliseconds. It compares nothing and opens no file.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.arms.arm import ArmRun
from evaluator.arms.ranking import Rankings
from evaluator.arms.setting import Setting
from evaluator.contrasts.model import ArmCosts
from evaluator.contrasts.pair import Values
from evaluator.measures.values import negatives_recorded, per_query


@dataclass(frozen=True, slots=True)
class Measured:
    """
    One arm with its value by query by measure, for both rankings.

    The values cover every asked query with gold, not only those of the headline.
    """

    run: ArmRun
    primary: Values
    other: Values
    judged: Values


def measure_arm(run: ArmRun, setting: Setting) -> Measured:
    """The arm's rankings turned into values by query."""
    protocol, labels = setting.experiment.protocol, setting.labels
    wanted = list(dict.fromkeys([*setting.measures, *map(setting.success, protocol.cutoffs)]))

    def values(rankings: Rankings, names: Sequence[str], query_ids: Sequence[str]) -> Values:
        return per_query(
            rankings,
            labels.qrels,
            measures=names,
            query_ids=query_ids,
            min_grade=labels.min_grade,
        )

    asked_gold = setting.population.asked_gold
    judged = [f"Judged@{k}" for k in protocol.cutoffs]
    recorded = negatives_recorded(labels.qrels, min_grade=labels.min_grade)
    return Measured(
        run=run,
        primary=values(run.ranking(protocol.ranking), wanted, asked_gold),
        other=values(run.ranking(setting.other_ranking), wanted, asked_gold),
        judged=values(run.ranking(protocol.ranking), judged, setting.population.query_ids)
        if recorded
        else {},
    )


def arm_costs(run: ArmRun, setting: Setting) -> ArmCosts:
    """
    What an arm costs.

    Tokens are counted as offered to the model, before any cut, and as embedded, after it.
    Encoding times are those of the machine and moment that made the vectors, and compare with
    nothing; the rounds in which latency was measured were taken in turns with the other arms'.

    Header tokens in a generator's context at k and 2k are those of the chunks that the primary
    ranking returns. What a query brings is paid again in every turn that keeps it; all of it
    is 0 where headers are embedded and not passed on.
    """
    inputs = run.inputs
    protocol, usage = setting.experiment.protocol, setting.experiment.usage
    enter = float(usage.headers_enter_context)
    per_query = {str(k): enter * header_tax(run, k, setting) for k in protocol.cutoffs}

    def times(factor: float) -> dict[str, float]:
        return {k: factor * tokens for k, tokens in per_query.items()}

    yearly = usage.queries_per_year
    return ArmCosts(
        chunks=len(inputs.offered),
        input_tokens_mean=float(inputs.offered.mean()),
        embedded_tokens_mean=float(run.tokens_read.mean()),
        header_tokens_mean=float(inputs.header.mean()),
        chunks_without_header=inputs.without_header,
        truncated_inputs=int(inputs.truncated.sum()),
        text_bytes=sum(
            len((header + body).encode())
            for header, body in zip(inputs.headers, setting.bodies, strict=True)
        ),
        vector_bytes=len(inputs.offered) * run.model.dimension * 4,
        index_bytes=run.index_bytes,
        encode_seconds=run.encode_seconds,
        encode_cpu_seconds=run.encode_cpu_seconds,
        vectors_reused=run.vectors_reused,
        vectors_made=run.vectors_made,
        build_seconds=run.build_seconds,
        query_ms_p50=run.query_ms_p50,
        query_ms_p95=run.query_ms_p95,
        query_ms_spread=run.query_ms_spread,
        latency_of="hnsw",
        usage=usage,
        header_tokens_of=protocol.ranking,
        header_tokens_per_query=per_query,
        header_tokens_per_turn=times(usage.queries_per_turn * usage.turns_kept),
        header_tokens_per_year=None if yearly is None else times(yearly * usage.turns_kept),
    )


def header_tax(run: ArmRun, k: int, setting: Setting) -> float:
    """Header tokens that the first k chunks of a query bring along, mean over the headline's n."""
    ranking = run.ranking(setting.experiment.protocol.ranking)
    totals = [
        sum(
            int(run.inputs.header[setting.row_by_chunk[chunk_id]])
            for chunk_id, _ in ranking[query_id][:k]
        )
        for query_id in setting.population.query_ids
    ]
    return sum(totals) / len(totals)
