"""
Two rankings over the same queries, with the labels that they are measured by.

What both a run made here and runs made elsewhere come down to, for everything that needs no
encoder. It computes values by query and no statistic.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluator.labelset.format import LabelSet, Qrels, Query
from evaluator.measures.names import measure_name
from evaluator.measures.values import mean_over, negatives_recorded, per_query
from evaluator.statistics.clusters import clusters_of_groups
from evaluator.trec import Run

Values = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class ArmPair:
    """
    Baseline and treatment, and what they are measured with.

    `query_ids` are the queries of the headline and `gold_ids` those of them with gold.
    `max_grade` is the highest grade of the scale. `primary` and `measures` are printed names;
    k is the primary one's cutoff. `label_set` is None for a plain qrels file; `names` are those
    of the arms.
    """

    baseline: Run
    treatment: Run
    qrels: Qrels
    min_grade: int
    max_grade: int
    query_ids: Sequence[str]
    gold_ids: Sequence[str]
    primary: str
    measures: Sequence[str]
    k: int
    label_set: LabelSet | None = None
    names: tuple[str, str] = ("baseline", "treatment")

    @property
    def runs(self) -> dict[str, Run]:
        """Both rankings by the names of their arms."""
        return dict(zip(self.names, (self.baseline, self.treatment), strict=True))

    @property
    def negatives_recorded(self) -> bool:
        return negatives_recorded(self.qrels, min_grade=self.min_grade)

    def success(self, k: int) -> str:
        """The printed name of Success at k."""
        return measure_name(f"Success@{k}", min_grade=self.min_grade)

    @property
    def queries(self) -> list[Query]:
        """The queries as a label set has them; none of a plain qrels file."""
        asked = set(self.query_ids)
        known = self.label_set.queries if self.label_set else ()
        return [query for query in known if query.query_id in asked]

    @property
    def paraphrase_clusters(self) -> dict[str, str] | None:
        """The group of each query where some of those with gold are paraphrases; else None."""
        gold = set(self.gold_ids)
        return clusters_of_groups({q.query_id: q.group for q in self.queries if q.query_id in gold})

    def grades(self, query_id: str) -> dict[str, int]:
        """The real grades of one query: negative ones are none."""
        return {c: grade for c, grade in self.qrels.get(query_id, {}).items() if grade >= 0}

    def gold(self, query_id: str) -> frozenset[str]:
        """The chunks of a query with a grade of at least `min_grade`."""
        grades = self.qrels.get(query_id, {})
        return frozenset(c for c, grade in grades.items() if grade >= self.min_grade)

    def over_gold(self, values: Mapping[str, Mapping[str, float]]) -> Values:
        """Values by measure and query, of these and maybe more, over the queries with gold."""
        return {name: {q: by_query[q] for q in self.gold_ids} for name, by_query in values.items()}

    def judged_shares(self) -> dict[str, dict[str, float]]:
        """The mean of Judged@k and Judged@2k of each arm, over all queries of the headline."""
        every = replace(self, gold_ids=self.query_ids)
        values = every.values([f"Judged@{k}" for k in (self.k, 2 * self.k)])
        return {
            name: {measure: mean_over(by_q, self.query_ids) for measure, by_q in shares.items()}
            for name, shares in zip(self.names, values, strict=True)
        }

    def judged_by(self, qrels: Qrels) -> "ArmPair":
        """The same rankings over the queries that other labels cover."""
        query_ids = [query_id for query_id in self.query_ids if qrels.get(query_id)]
        pair = replace(self, qrels=qrels, query_ids=query_ids)
        return replace(pair, gold_ids=[query_id for query_id in query_ids if pair.gold(query_id)])

    def values(self, measures: Sequence[str]) -> tuple[Values, Values]:
        """Value by query by measure of both arms, over the queries with gold."""
        baseline, treatment = (
            per_query(
                run,
                self.qrels,
                measures=list(dict.fromkeys(measures)),
                query_ids=self.gold_ids,
                min_grade=self.min_grade,
            )
            for run in (self.baseline, self.treatment)
        )
        return baseline, treatment
