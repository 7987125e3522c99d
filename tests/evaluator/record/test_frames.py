"""A results folder as tables."""

import io
from pathlib import Path

import pandas as pd
import pytest

from evaluator.record.frames import (
    COLUMNS,
    open_results,
    table_text,
)
from tests.small_world import run_world, small_qrels, small_queries, small_world


@pytest.mark.usefixtures("cache")
def test_a_run_is_handed_out_as_tables_whose_text_stays_text(tmp_path: Path) -> None:
    """A query called NA keeps its id, and what has no value is missing."""
    names = {"q4": "NA", "q6": "007"}
    queries = small_queries(q4={"query_id": "NA"}, q6={"query_id": "007"})
    qrels = {names.get(query_id, query_id): grades for query_id, grades in small_qrels().items()}
    world = small_world(tmp_path, queries=queries, qrels=qrels)
    folder = run_world(world).path
    results = open_results(folder)
    record = results.record
    tables = {
        "per_query": results.per_query,
        "measures": results.measures,
        "contrasts": results.contrasts,
        "flips": results.flips,
    }
    for name, table in tables.items():
        assert COLUMNS[name] == {column: str(dtype) for column, dtype in table.dtypes.items()}
    found = tables["per_query"].query("arm == 'headed' and measure == 'Success@1'")
    by_query = found.set_index("query_id")
    assert 1.0 == by_query.loc["NA", "value"] == by_query.loc["007", "value"]
    assert by_query.loc["q8", "value"] is pd.NA
    level = tables["measures"].query("arm == 'headed' and measure == 'Success@1'")
    assert [(1.0, 7 / 8)] == list(level[["gold", "all"]].itertuples(index=False, name=None))
    assert ["Success@1"] == list(tables["contrasts"].query("is_primary")["measure"])
    assert "NA" in set(tables["flips"].query("won")["query_id"])
    values = table_text(record, folder, table="per-query", form="csv")
    missing = {"value": [""], "first_gold_rank": [""]}
    dtype = dict(COLUMNS["per_query"])
    again = pd.read_csv(io.StringIO(values), dtype=dtype, keep_default_na=False, na_values=missing)
    pd.testing.assert_frame_equal(tables["per_query"], again)
    measures = table_text(record, folder, table="measures", form="latex")
    assert r"headed & plain & Success@1 & 7 & 0.143 & 1.000 & +0.857 & " in measures
    assert r"95\% interval" in measures
    assert r"\multicolumn" in table_text(record, folder, table="per-query", form="latex")
