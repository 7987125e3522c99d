"""
What an arm is recorded as, in the shape of `record.json`.

It turns rankings into values by query and writes arms down. It compares nothing, opens no file
and prints nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evaluator.arms.arm import ArmRun
from evaluator.arms.ranking import Rankings
from evaluator.arms.setting import Setting
from evaluator.contrasts.pair import Values
from evaluator.experiment.population import Population
from evaluator.measures.values import answers, mean_over, negatives_recorded, per_query


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


def arm_record(
    measured: Measured, setting: Setting, *, costs: Mapping[str, Any], files: Mapping[str, str]
) -> dict[str, Any]:
    """One arm: its strings, costs, levels, and how the two rankings differ."""
    run, arm, population = measured.run, measured.run.arm, setting.population
    hit = setting.success(setting.experiment.protocol.k)
    asked = [query.query_id for query in population.asked]
    return {
        "name": arm.name,
        "query_prefix": arm.query_prefix,
        "doc_prefix": arm.doc_prefix,
        **run.header.record(),
        "model": {
            "source": run.model.source,
            "identity": run.model.identity,
            "weights_sha256": arm.model.weights_sha256,
            "max_tokens": run.model.max_tokens,
            "dimension": run.model.dimension,
            "precision": run.model.precision,
            "engine": run.model.engine,
            "prompts": dict(run.model.prompts),
        },
        "notices": list(run.notices),
        "costs": dict(costs),
        "measures": {name: _level(measured.primary[name], population) for name in setting.measures},
        "judged": {
            name: mean_over(values, population.query_ids)
            for name, values in measured.judged.items()
        },
        "unanswered": list(
            answers(run.ranking(setting.experiment.protocol.ranking), asked).unanswered
        ),
        "rankings": {
            "primary": setting.experiment.protocol.ranking,
            "other": setting.other_ranking,
            "hits_that_differ": sum(
                measured.primary[hit][q] != measured.other[hit][q] for q in population.gold_ids
            ),
            "other_measures": {
                name: _level(measured.other[name], population) for name in setting.measures
            },
        },
        "files": dict(files),
    }


def _level(values: Mapping[str, float], population: Population) -> dict[str, float]:
    """The mean over the queries with gold, and over all, one without gold counting 0."""
    own = {query_id: values[query_id] for query_id in population.gold_ids}
    return {
        "gold": mean_over(own, population.gold_ids),
        "all": mean_over(own, population.query_ids),
    }
