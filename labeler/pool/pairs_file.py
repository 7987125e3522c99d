"""
A file of pairs to judge -> pairs, each checked for its two ids and nothing else.

Pairs come from a comparison that found chunks nobody had judged. Whatever else a line says,
a rank or a system, is not read: it could only lead a judge.
"""

from collections.abc import Collection
from pathlib import Path

from evaluator import InputError
from evaluator.files.records import LineProblem, read_rows, refuse
from evaluator.text.messages import some_ids
from labeler.exchange.imports.columns import id_text


def read_pairs(path: Path, *, query_ids: Collection[str]) -> list[tuple[str, str]]:
    """
    Query and chunk id of every line, each pair once.

    The columns are query_id and chunk_id, in CSV or JSON lines. Raises InputError for lines
    without either, for an empty file, and for queries that the workspace does not have.
    """
    pairs: dict[tuple[str, str], None] = {}
    problems: list[LineProblem] = []
    for row in read_rows(path):
        try:
            query_id, chunk_id = (id_text(row.first(c), c) for c in ("query_id", "chunk_id"))
            pairs[query_id, chunk_id] = None
        except ValueError as error:
            problems.append(LineProblem(row.line, str(error)))
    refuse(path, problems, todo="Every line needs query_id and chunk_id. Nothing was stored.")
    if not pairs:
        raise InputError(f"{path} holds no pairs. It has one line per pair: query_id, chunk_id.")
    strangers = sorted({query_id for query_id, _ in pairs} - set(query_ids))
    if strangers:
        raise InputError(
            f"{path.name}: {len(strangers)} query ids are not in the workspace: "
            f"{some_ids(strangers)}. Judge these pairs in the workspace that holds their queries."
        )
    return list(pairs)
