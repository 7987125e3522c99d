"""
The two runs of a changeover as they lie on disk, and the queries that their sets share.

A query is shared when both sets hold its id with the same text: an id alone can be given
twice. Differences on shared queries come from the tables by query that a run wrote.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluator.contrasts.model import Contrast
from evaluator.labelset.format import LabelSet, LabelSetError, read_label_set
from evaluator.record.files import read_results, read_table, record_file, table_paths
from evaluator.record.model import Record
from evaluator.report.sections.headline import speaks_of_searches
from evaluator.statistics.per_search import share_of_searches

QueryTables = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Arm -> measure -> query id -> value."""
GradesByText = Mapping[tuple[str, str], list[int]]
"""Document and hash of the text -> the grades of its chunks with that text."""


@dataclass(frozen=True, slots=True)
class ChangeoverRun:
    """
    One run as it lies on disk: its record, its tables by query, and its labels.

    `labels` is None where the set is no longer found where the run read it.
    """

    record: Record
    tables: QueryTables
    labels: LabelSet | None


@dataclass(frozen=True, slots=True)
class SetShare:
    """How much of one set is shared; the share of its traffic is None without weights."""

    queries: int
    traffic_share: float | None


@dataclass(frozen=True, slots=True)
class SharedQueries:
    """The queries of the same id and text in both sets."""

    query_ids: tuple[str, ...]
    queries: int
    same_id_other_text: int
    one_snapshot: bool
    judged_otherwise: int
    of_old: SetShare
    of_new: SetShare


@dataclass(frozen=True, slots=True)
class SharedDifference:
    """A difference in both runs over the shared queries that have gold in both."""

    measure: str
    n_gold: int
    old: float | None
    new: float | None


def read_run(path: Path) -> ChangeoverRun:
    """A results directory, with its label set if that is still where the run read it."""
    record, folder = read_results(path), record_file(path).parent
    tables = {arm: read_table(table) for arm, table in table_paths(record, folder).items()}
    where, sha256 = record.labels.path, record.labels.sha256
    try:
        labels = read_label_set(Path(where), sha256=sha256) if sha256 else None
    except (LabelSetError, OSError):
        labels = None
    return ChangeoverRun(record, tables, labels)


def shared_queries(old: ChangeoverRun, new: ChangeoverRun) -> SharedQueries | None:
    """The queries of the same id and text in both sets; None where a set cannot be read."""
    if old.labels is None or new.labels is None:
        return None
    sets = old.labels, new.labels
    texts = [{query.query_id: query.text for query in labels.queries} for labels in sets]
    both = sorted(q for q in texts[0].keys() & texts[1].keys() if texts[0][q] == texts[1][q])
    grades = [_grades_by_text(labels) for labels in sets]
    one_snapshot = len({labels.manifest["snapshot"]["digest"] for labels in sets}) == 1
    return SharedQueries(
        tuple(both),
        queries=len(both),
        same_id_other_text=len(texts[0].keys() & texts[1].keys()) - len(both),
        one_snapshot=one_snapshot,
        judged_otherwise=sum(
            _judged_otherwise(*(found.get(q, {}) for found in grades), wholly=one_snapshot)
            for q in both
        ),
        of_old=SetShare(len(texts[0]), share_of_searches(sets[0].queries, both)),
        of_new=SetShare(len(texts[1]), share_of_searches(sets[1].queries, both)),
    )


def _grades_by_text(labels: LabelSet) -> dict[str, GradesByText]:
    """The grades by query: what of them can be compared under another cut into chunks."""
    found: dict[str, dict[tuple[str, str], list[int]]] = {}
    for entry in labels.pool:
        grade = labels.qrels.get(entry.query_id, {}).get(entry.chunk_id)
        if grade is not None:
            texts = found.setdefault(entry.query_id, {})
            texts.setdefault((entry.doc_id, entry.text_sha256), []).append(grade)
    return {query: {text: sorted(x) for text, x in texts.items()} for query, texts in found.items()}


def _judged_otherwise(old: GradesByText, new: GradesByText, *, wholly: bool) -> bool:
    """Whether grades differ: of one snapshot on any text, else on the texts that both judged."""
    texts = old.keys() | new.keys() if wholly else old.keys() & new.keys()
    return any(old.get(text) != new.get(text) for text in texts)


def difference_on_shared(
    old: ChangeoverRun,
    new: ChangeoverRun,
    a: Contrast,
    b: Contrast,
    *,
    shared: SharedQueries | None,
) -> SharedDifference | None:
    """The primary difference in both runs over the shared queries that have gold in both."""
    measure = a.primary.measure
    if shared is None or measure != b.primary.measure:
        return None
    sides = (old, a, _gains(old, a, measure)), (new, b, _gains(new, b, measure))
    both = [q for q in shared.query_ids if all(q in gains for _, _, gains in sides)]
    return SharedDifference(measure, len(both), *(_mean(*side, both) for side in sides))


def _gains(run: ChangeoverRun, contrast: Contrast, measure: str) -> dict[str, float]:
    """Treatment less baseline by query, for the queries of the headline."""
    before, after = (
        run.tables.get(name, {}).get(measure, {})
        for name in (contrast.baseline, contrast.treatment)
    )
    asked = set(run.record.headline.query_ids)
    return {q: after[q] - before[q] for q in before.keys() & after.keys() & asked}


def _mean(
    run: ChangeoverRun, contrast: Contrast, gains: Mapping[str, float], query_ids: Sequence[str]
) -> float | None:
    """The mean, weighted by the set's own weights where the headline speaks of searches."""
    assert run.labels is not None
    searches = speaks_of_searches(run.record, contrast)
    weight = {q.query_id: (q.weight or 0.0) if searches else 1.0 for q in run.labels.queries}
    total = sum(weight[q] for q in query_ids)
    return sum(weight[q] * gains[q] for q in query_ids) / total if total else None
