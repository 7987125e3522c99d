"""Queries: those of the study, known answers and needs that are added, sets from elsewhere."""

import csv
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from labeler.app.blocks.work import JOBS, UPLOADS, begin, keep_uploads, outcome
from labeler.app.frame import frame, session
from labeler.app.frame.components import numbers, sheet, table, tally
from labeler.queries.authored import SEEN
from labeler.workspace.workspace import Workspace

_ORIGINS = {
    "log": "drawn from the logs",
    "known-item": "with a known answer",
    "authored": "written by somebody",
}
_UPLOADED, _TYPED = "A file that I upload", "Typed here"
_FIELDS = ("query", "need", "chunk_id", "doc_id", "quotation")


def added(workspace: Workspace, folder: Path, job: Path) -> None:
    """Queries with a known answer, or written ones, from a file or a table."""
    how = st.radio("Where from", [_UPLOADED, _TYPED], horizontal=True, key="add-how")
    st.caption(
        "One query a row, with what its asker needs to find out if you know it. Its answer is a "
        "chunk's id, or a document and words that stand in one of its chunks."
    )
    write = given(how, folder / "known-answers.csv", _FIELDS, key="add")
    origin = st.radio(
        "They are",
        ["known-item", "authored"],
        format_func=lambda each: f"Queries {_ORIGINS[each]}",
        horizontal=True,
    )
    seen = None
    if origin == "authored":
        seen = st.selectbox("Their authors had seen", list(SEEN), format_func=lambda s: SEEN[s])
    if st.button("Add these queries", type="primary", disabled=write is None) and write:
        words = ["labeler", "add", str(workspace.path), str(write()), "--origin", origin]
        begin(job, "Adding queries", *words, *(["--seen", seen] if seen else []))


def given(
    how: str, file: Path, fields: tuple[str, ...], *, key: str, rows: object = None
) -> Callable[[], Path] | None:
    """What writes the file that was uploaded, or one of rows that were typed; None for neither."""
    if how == _UPLOADED:
        brought = st.file_uploader("CSV or JSON lines", key=f"{key}-file")
        return (lambda: keep_uploads([brought], file.parent)[0]) if brought else None
    empty = rows or [dict.fromkeys(fields, "")]
    typed = st.data_editor(empty, num_rows="fixed" if rows else "dynamic", key=f"{key}-rows")
    filled = [row for row in typed if any(str(cell or "").strip() for cell in row.values())]
    return partial(_written, file, fields, filled) if filled else None


def _written(file: Path, fields: tuple[str, ...], rows: list[Any]) -> Path:
    """The rows as a table with these columns."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, fields)
        writer.writeheader()
        writer.writerows({name: row.get(name) or "" for name in fields} for row in rows)
    return file


def needs(workspace: Workspace, folder: Path, job: Path) -> None:
    """What queries ask for, in a sentence that those who judge read."""
    how = st.radio("Where from", [_TYPED, _UPLOADED], horizontal=True, key="needs-how")
    rows = [{"query": each.text, "need": each.need or ""} for each in workspace.queries.all()]
    write = given(how, folder / "needs.csv", ("query", "need"), key="needs", rows=rows)
    if st.button("Keep these needs", type="primary", disabled=write is None) and write:
        begin(job, "Keeping needs", "labeler", "needs", str(workspace.path), str(write()))


def imported(workspace: Workspace, folder: Path, job: Path) -> None:
    """Queries and judgements that were made with another tool."""
    st.caption(
        "TREC qrels, BEIR, ranx, Quepid, OpenSearch, Label Studio, HiCAL, CSV or JSON lines. Pairs "
        "that were judged there become the pool here."
    )
    queries = st.file_uploader("Queries", key="import-queries")
    judgements = st.file_uploader("Judgements", key="import-judgements")
    skip = st.checkbox("Leave out judgements of ids that are not here")
    brought = {"--queries": queries, "--judgements": judgements}
    files = {option: upload for option, upload in brought.items() if upload}
    with st.container(horizontal=True):
        looked = st.button("Only look", disabled=not files)
        stored = st.button("Import", type="primary", disabled=not files)
    if looked or stored:
        words = ["labeler", "import", str(workspace.path)]
        for option, upload in files.items():
            words += [option, str(keep_uploads([upload], folder / option.strip("-"))[0])]
        words += [*(["--skip-unknown"] if skip else []), *(["--dry-run"] if looked else [])]
        begin(job, "Looking at the import" if looked else "Importing", *words)


frame.enter()
st.title("Queries", anchor=False)
workspace = session.workspace()
uploads, job = workspace.path / UPLOADS / "queries", workspace.path / JOBS / "queries"
outcome(job)
queries = workspace.queries.all()
if queries:
    counts = Counter(query.origin for query in queries)
    stated = sum(bool(query.need) for query in queries)
    sheet(
        numbers(
            tally(len(queries), "query", many="queries"),
            *((_ORIGINS[origin], f"{count:,}") for origin, count in counts.items()),
            ("with a stated need", f"{stated:,}"),
        ),
        key="counts",
    )
else:
    st.text(
        "There are none yet. Draw a sample of a log, write queries while you read documents, or "
        "add queries whose answer is known.",
        width=720,
    )
with st.container(horizontal=True):
    frame.lead("sample", "Draw a sample")
    frame.lead("write", "Write queries")
parts = {"Add queries with a known answer": added, "Import from another tool": imported}
if queries:
    parts = {"State what queries ask for": needs, **parts}
for title, part in parts.items():
    with st.expander(title), frame.or_say("This cannot be used."):
        part(workspace, uploads, job)
if queries:
    rows = [[each.text, each.need or "–", _ORIGINS[each.origin]] for each in queries]
    sheet(table("Queries", ["Query", "To find out", "From"], rows), key="queries")
frame.next_step(workspace, "queries")
