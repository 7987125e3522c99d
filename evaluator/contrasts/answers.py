"""
Whether the answers came out right: verdicts on what a generator said, by query and arm.

Retrieval stops at the chunks that reach a context; what was made of them is judged elsewhere
and read here from a file. The two arms are compared by the same paired tools, beside the
retrieval figures and never in their place.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from evaluator import InputError
from evaluator.contrasts.figures import cell_figures
from evaluator.contrasts.model import CellFigures, Contrast, Verdicts
from evaluator.files.chunk_records import Unusable
from evaluator.files.form import meant
from evaluator.files.records import Row, stream_rows
from evaluator.files.whole import file_sha256
from evaluator.statistics.cells import four_cells

FIELDS = ("query_id", "arm", "verdict")
_WORDS = {
    "1": 1,
    "0": 0,
    "true": 1,
    "false": 0,
    "correct": 1,
    "incorrect": 0,
    "right": 1,
    "wrong": 0,
}


def read_verdicts(path: Path, *, arms: Sequence[str], query_ids: Sequence[str]) -> Verdicts:
    """
    The verdicts of a file, with its digest.

    CSV, TSV, JSON Lines, JSON or Parquet with the columns query_id, arm and verdict (1 or 0,
    correct or incorrect). Raises InputError listing what cannot be read, verdicts for arms or
    queries that are not there, and a second verdict on one answer.
    """
    if not path.is_file():
        raise InputError(f"There is no file of answer verdicts {path}.")
    found: dict[str, dict[str, int]] = {arm: {} for arm in arms}
    known = frozenset(query_ids)
    problems: list[str] = []
    for row in stream_rows(path):
        try:
            arm, query_id, verdict = _read(row, arms, known)
            if query_id in found[arm]:
                raise Unusable(f"a second verdict on query {query_id!r} in arm {arm!r}")
            found[arm][query_id] = verdict
        except Unusable as error:
            problems.append(f"{row.place}: {error}.")
    if problems:
        more = len(problems) - 5
        listed = [f"- {problem}" for problem in problems[:5]]
        listed += [f"and {more} more like these"] if more > 0 else []
        raise InputError("\n".join([f"{path} cannot be used:", *listed]))
    answered = Counter(query_id for by_query in found.values() for query_id in by_query)
    if max(answered.values(), default=0) < 2:
        raise InputError(
            f"{path} holds {answered.total():,} verdicts, and for no query those of two arms, so "
            f"no answers can be compared. It has one row per answer: {', '.join(FIELDS)}."
        )
    by_arm = {arm: dict(sorted(by_query.items())) for arm, by_query in found.items()}
    return Verdicts(str(path), file_sha256(path), by_arm)


def answer_figures(
    a: Mapping[str, int], b: Mapping[str, int], *, query_ids: Sequence[str]
) -> CellFigures | None:
    """
    The answers of two arms, compared over the headline's queries that have a verdict in both.

    Queries without gold count as well: an answer can be right or wrong for any query. None
    where there is no query with both verdicts.
    """
    both = [query_id for query_id in query_ids if query_id in a and query_id in b]
    if not both:
        return None
    before, after = ({q: float(side[q]) for q in both} for side in (a, b))
    found = cell_figures(four_cells(before, after))
    return replace(found, asked=len(query_ids), without_a_verdict=len(query_ids) - len(both))


def with_answers(
    contrasts: Iterable[Contrast], answers: Verdicts | None, *, query_ids: Sequence[str]
) -> tuple[Contrast, ...]:
    """The contrasts, each with its comparison of answers where there is one."""
    if answers is None:
        return tuple(contrasts)
    return tuple(
        replace(
            contrast,
            answers=answer_figures(
                *(answers.by_arm.get(arm, {}) for arm in (contrast.baseline, contrast.treatment)),
                query_ids=query_ids,
            ),
        )
        for contrast in contrasts
    )


def _read(row: Row, arms: Sequence[str], query_ids: frozenset[str]) -> tuple[str, str, int]:
    if row.problem:
        raise Unusable(row.problem)
    missing = [name for name in FIELDS if name not in row.cells]
    if missing:
        raise Unusable(f"no {' and no '.join(missing)} among {', '.join(row.cells) or 'nothing'}")
    query_id, arm = str(row.cells["query_id"]), str(row.cells["arm"])
    if arm not in arms:
        raise Unusable(f"there is no arm {arm!r}.{meant(arm, arms)} Arms: {', '.join(arms)}")
    if query_id not in query_ids:
        raise Unusable(f"there is no query {query_id!r} in the label set")
    value = row.cells["verdict"]
    if value in (0.0, 1.0):
        value = int(value)  # a column with gaps makes fractions of whole numbers
    verdict = _WORDS.get(str(value).strip().lower()) if isinstance(value, str | int) else None
    if verdict is None:
        raise Unusable(f"the verdict is {value!r}, expected 1 or 0, correct or incorrect")
    return arm, query_id, verdict
