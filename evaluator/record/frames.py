"""
A results folder as pandas tables: values by query, levels, contrasts and flips.

`COLUMNS` lists every column with its dtype. Text stays text: `NA` and `007` are ids like any
other, and only what is unknown is missing. pandas is loaded when a table is asked for, and
writes it as CSV or LaTeX. In a notebook, `open_results` gives all four and shows the first
screen of the report, which is why this module stands above `report`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator import InputError
from evaluator.console import say
from evaluator.contrasts.model import Contrast, MeasureFigures
from evaluator.labelset.format import decode_id
from evaluator.labelset.frames import frame_of
from evaluator.record.facts import in_order
from evaluator.record.files import (
    note_reprint,
    read_results,
    record_file,
    require_own_digest,
    table_paths,
)
from evaluator.record.model import Record
from evaluator.report.report import html_report, terminal_summary
from evaluator.text import figures as words

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


@dataclass(frozen=True, slots=True, repr=False)
class Results:
    """A run or a comparison as tables; a notebook shows the first screen of its report."""

    record: Record
    per_query: "pd.DataFrame"
    measures: "pd.DataFrame"
    contrasts: "pd.DataFrame"
    flips: "pd.DataFrame"

    def __repr__(self) -> str:
        return terminal_summary(self.record, rest="html_report(results.record)")

    def _repr_html_(self) -> str:
        """In a frame of its own, so that neither page can change how the other looks."""
        page = escape(html_report(self.record, whole=False))
        style = "width: 100%; height: 60rem; border: 0"
        return f'<iframe sandbox="" title="First screen" style="{style}" srcdoc="{page}"></iframe>'


def open_results(folder: Path | str) -> Results:
    """
    The results that `evaluator run` or `evaluator compare -o` wrote, as tables.

    An experiment's `.results` folder stands for its latest run. Where the record names held-out
    queries, the look is counted. Raises InputError for a record that was edited.
    """
    record = read_results(Path(folder))
    place = record_file(Path(folder)).parent
    require_own_digest(record, place)
    if said := note_reprint(record, at=datetime.now(UTC)):
        say(said)
    return results_of(record, lines_by_query(record, place))


def results_of(record: Record, lines_by_arm: Mapping[str, Sequence[str]]) -> Results:
    """All tables of a record, and of the lines by query of each of its arms."""
    frames = measures_frame(record), contrasts_frame(record), flips_frame(record)
    return Results(record, per_query_frame(lines_by_arm), *frames)


def lines_by_query(record: Record, folder: Path) -> dict[str, list[str]]:
    """The lines of the table by query of each arm; none for runs that were not written."""
    return {
        arm: path.read_text(encoding="utf-8").splitlines()
        for arm, path in table_paths(record, folder).items()
    }


def per_query_frame(lines_by_arm: Mapping[str, Sequence[str]]) -> "pd.DataFrame":
    """One row an arm, asked query and measure, from the tables that were written by query."""
    rows = []
    for arm, found in lines_by_arm.items():
        head, *lines = [line.rstrip("\n").split("\t") for line in found]
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
        for measure, found in _in_order(contrast):
            primary = measure == contrast.primary.measure
            values = found.n, found.baseline, found.treatment, found.difference
            ends = found.interval or (None, None)
            p = found.p, contrast.primary.p_holm if primary else None
            rows.append((*names, measure, primary, *values, *ends, *p, found.up, found.down))
    return frame_of(rows, COLUMNS["contrasts"])


def _in_order(contrast: Contrast) -> list[tuple[str, MeasureFigures]]:
    """The measures as they are read, the primary one first."""
    names = in_order(contrast.measures, primary=contrast.primary.measure)
    return [(name, contrast.measures[name]) for name in names]


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


def table_text(record: Record, folder: Path, *, table: str, form: str) -> str:
    """
    The measures of every contrast or the values by query, as CSV or as a LaTeX table.

    CSV has every column and digit; LaTeX what a paper prints, rounded as the report rounds.
    Raises InputError where there are no values by query.
    """
    frame = contrasts_frame(record)
    if table == "per-query":
        frame = per_query_frame(lines_by_query(record, folder))
        if frame.empty:
            raise InputError(
                f"{folder} has no values by query. `evaluator run` and `evaluator compare -o` "
                "write them."
            )
    if form == "csv":
        return str(frame.to_csv(index=False, lineterminator="\n"))
    if table == "per-query":
        frame = frame.pivot(index="query_id", columns=["arm", "measure"], values="value")
        return str(frame.to_latex(escape=True, longtable=True, float_format="%.3f", na_rep=""))
    shown = frame[["treatment", "baseline", "measure", "n"]].copy()
    for column in ("value_baseline", "value_treatment"):
        shown[column.replace("_", " ")] = frame[column].map(words.rate)
    shown["difference"] = frame["difference"].map(words.signed)
    shown["95% interval"] = [
        words.interval(found.interval)
        for contrast in record.contrasts
        for _, found in _in_order(contrast)
    ]
    shown["p"] = frame["p"].map(words.p_value)
    return str(shown.to_latex(escape=True, index=False))
