"""
Where the queries of a label set or a workspace stand: their class by their gold documents.
"""

from dataclasses import dataclass
from pathlib import Path

from evaluator import InputError
from evaluator.labelset.format import MANIFEST, HeldOutRule, Query, read_label_set
from labeler.freezing.manifest import adjudicated
from labeler.freezing.obstacles import with_skips, without_skipped
from labeler.workspace.workspace import FILE, Workspace


@dataclass(frozen=True, slots=True)
class Standing:
    """
    Queries, the class of each judged one by its id, and the share of documents held out.

    A query that was skipped or that nobody has judged has no class yet.
    """

    queries: tuple[Query, ...]
    class_by_query: dict[str, str]
    held_out_share: float


def standing_of(place: Path) -> Standing:
    """
    The queries of a place, as they stand now.

    Raises InputError for a place that is neither a label set nor a workspace.
    """
    if (place / MANIFEST).is_file():
        labels = read_label_set(place)
        classes: dict[str, str] = {id_: labels.query_class(id_) for id_ in labels.qrels}
        return Standing(labels.queries, classes, _share(labels.held_out_rule))
    if not (place / FILE).is_file():
        raise InputError(
            f"{place} is neither a label set (no {MANIFEST}) nor a workspace (no {FILE})."
        )
    workspace = Workspace.open(place)
    queries = tuple(with_skips(workspace))
    rule = workspace.settings.held_out_rule
    return Standing(queries, _classes(workspace, queries, rule), _share(rule))


def _classes(workspace: Workspace, queries: tuple[Query, ...], rule: HeldOutRule) -> dict[str, str]:
    qrels = without_skipped(adjudicated(workspace).qrels, queries)
    doc_by_chunk = workspace.doc_by_chunk()
    least = workspace.settings.min_grade
    return {
        query_id: rule.query_class(
            doc_by_chunk[chunk_id] for chunk_id, grade in grades.items() if grade >= least
        )
        for query_id, grades in qrels.items()
    }


def _share(rule: HeldOutRule) -> float:
    return len(rule.held_out) / rule.buckets
