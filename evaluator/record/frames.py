"""
A results folder as pandas tables: values by query, levels, contrasts and flips.

`COLUMNS` lists every column with its dtype. Text stays text: `NA` and `007` are ids like any
other, and only what is unknown is missing. pandas is loaded when a table is asked for.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.labelset.format import decode_id
from evaluator.labelset.frames import frame_of
from evaluator.record.files import table_paths
from evaluator.record.model import Record

if TYPE_CHECKING:
    import pandas as pd

COLUMNS: Mapping[str, Mapping[str, str]] = {
    "per_query": {
        "arm": "string",
        "query_id": "string",
        "query_class": "string",  # held-out, tuning, mixed or no-gold
        "origin": "string",  # log, known-item or authored
        "first_gold_rank": "Int64",  # missing below the depth of the run, and without gold
        "measure": "string",
        "value": "Float64",  # missing for a query without gold
    },
    "measures": {
        "arm": "string",
        "measure": "string",
        "gold": "Float64",  # the mean over the queries with gold
        "all": "Float64",  # over all, one without gold counting 0
    },
    "contrasts": {
        "baseline": "string",
        "treatment": "string",
        "factor": "string",  # missing for runs made elsewhere
        "label": "string",
        "measure": "string",
        "is_primary": "boolean",
        "n": "Int64",
        "value_baseline": "Float64",
        "value_treatment": "Float64",
        "difference": "Float64",
        "lower": "Float64",  # the ends of the interval, missing where there is none
        "upper": "Float64",
        "p": "Float64",  # of this measure alone; the primary's adjusted one is p_holm
        "p_holm": "Float64",
        "up": "Int64",
        "down": "Int64",
    },
    "flips": {
        "baseline": "string",
        "treatment": "string",
        "won": "boolean",
        "query_id": "string",
        "text": "string",
        "query_class": "string",
        "chunk_id": "string",  # the gold chunk that moved
        "rank_baseline": "Int64",  # of that chunk, missing below the depth of the run
        "rank_treatment": "Int64",
        "causes": "object",  # a tuple of the rules that fit
    },
}


def per_query_frame(record: Record, folder: Path) -> "pd.DataFrame":
    """One row an arm, asked query and measure; empty for runs made elsewhere."""
    rows = []
    for arm, path in table_paths(record, folder).items():
        head, *lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
        for query_id, query_class, origin, rank, *values in lines:
            query = arm, decode_id(query_id), query_class, origin, int(rank) if rank else None
            rows += [
                (*query, measure, float(value) if value else None)
                for measure, value in zip(head[4:], values, strict=True)
            ]
    return frame_of(rows, COLUMNS["per_query"])


def measures_frame(record: Record) -> "pd.DataFrame":
    """One row an arm and measure, with both of its levels."""
    rows = (
        (arm.name, measure, level.gold, level.all)
        for arm in record.arms
        for measure, level in arm.measures.items()
    )
    return frame_of(rows, COLUMNS["measures"])


def contrasts_frame(record: Record) -> "pd.DataFrame":
    """One row a contrast and measure."""
    rows = []
    for contrast in record.contrasts:
        names = contrast.baseline, contrast.treatment, contrast.factor, contrast.label
        for measure, found in contrast.measures.items():
            primary = measure == contrast.primary.measure
            values = found.n, found.baseline, found.treatment, found.difference
            ends = found.interval or (None, None)
            p = found.p, contrast.primary.p_holm if primary else None
            rows.append((*names, measure, primary, *values, *ends, *p, found.up, found.down))
    return frame_of(rows, COLUMNS["contrasts"])


def flips_frame(record: Record) -> "pd.DataFrame":
    """One row a flip that the record names: of held-out queries only where they were opened."""
    rows = (
        (
            *(contrast.baseline, contrast.treatment, won, flip.query_id, flip.text, flip.class_),
            *(flip.chunk.chunk_id, flip.chunk.rank_baseline, flip.chunk.rank_treatment),
            flip.causes,
        )
        for contrast in record.contrasts
        for won, flips in ((True, contrast.flips.won), (False, contrast.flips.lost))
        for flip in flips
    )
    return frame_of(rows, COLUMNS["flips"])
