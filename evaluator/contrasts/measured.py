"""
One arm measured: its rankings turned into values by query.

It compares nothing, opens no file and prints nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from evaluator.arms.arm import ArmRun
from evaluator.arms.ranking import Rankings
from evaluator.arms.setting import Setting
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
