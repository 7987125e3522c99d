"""The queries of a workspace, for an index that is asked for them."""

from pathlib import Path

import pytest

from evaluator import InputError
from evaluator.checks.ask import read_queries
from evaluator.labelset.format import Query
from labeler.exchange.exports.export import write_topics


def test_the_queries_of_a_workspace_are_topics(tmp_path: Path) -> None:
    """As the evaluator reads them; a workspace without any is refused."""
    out = tmp_path / "topics.jsonl"
    with pytest.raises(InputError, match="holds no queries"):
        write_topics([], out)
    queries = [Query("q 1", "Überstunden"), Query("q2", "leave")]
    assert 2 == write_topics(queries, out)
    assert queries == read_queries(None, out)
