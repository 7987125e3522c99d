"""Pool: the chunks that are judged for each query, and the systems that find them."""

import streamlit as st

from evaluator.vectors.weights import DEFAULT_MODEL
from labeler.app.blocks.work import JOBS, UPLOADS, Upload, begin, keep_uploads, outcome
from labeler.app.frame import frame, session
from labeler.app.frame.components import numbers, sheet, table

_PACKAGED = "The small model that comes along (English)"
_NAMED = "A model that I name"
_NO_MODEL = "No model"


def chosen() -> tuple[list[str], list[Upload]]:
    """What finds the chunks: options of `labeler pool`, and runs that were uploaded."""
    kind = st.radio("Find chunks with", [_PACKAGED, _NAMED, _NO_MODEL])
    options = ["--model", DEFAULT_MODEL] if kind == _PACKAGED else []
    if kind == _NAMED:
        source = st.text_input("Model", placeholder="hub:intfloat/multilingual-e5-small")
        revision = st.text_input("Its commit on the hub", placeholder="40 hex digits")
        left, right = st.columns(2)
        before = {
            "--query-prefix": left.text_input("Before each query", placeholder="query: "),
            "--doc-prefix": right.text_input("Before each chunk", placeholder="passage: "),
        }
        options += ["--model", source.strip()] if source.strip() else []
        options += ["--revision", revision.strip()] if revision.strip() else []
        for option, text in before.items():
            options += [option, text] if text else []
    words = st.checkbox("Also full-text search (BM25)", value=True)
    runs = st.file_uploader(
        "Runs of your own search (TREC run files)",
        accept_multiple_files=True,
        help="What several systems find is judged fairly for all of them.",
    )
    return [*options, *(["--bm25"] if words else [])], list(runs or [])


frame.enter()
st.title("Pool", anchor=False)
st.text(
    "For each query the first chunks of several systems are put together, in an order that tells "
    "nothing of their rank. What no system finds is never judged, so more systems are better.",
    width=720,
)
workspace = session.workspace()
job = workspace.path / JOBS / "pool"
outcome(job)
sizes = workspace.pool.sizes()
if not workspace.queries.all():
    st.text("There are no queries yet, so there is nothing to find chunks for.")
else:
    if sizes:
        pairs = sum(sizes.values())
        sheet(
            numbers(
                ("pairs of query and chunk", f"{pairs:,}"),
                ("chunks for a query, on average", f"{pairs / len(sizes):.0f}"),
            ),
            table(
                "Found by",
                ["Source", "Depth>"],
                [
                    [str(each.get("source")), str(each.get("depth") or "–")]
                    for each in workspace.pool.sources()
                ],
            ),
            key="pool",
        )
    st.header("Find more chunks" if sizes else "Find the chunks", anchor=False)
    with frame.or_say("This cannot be used."), st.container(width=720):
        depth = st.number_input("Chunks for a query, from each source", 1, 1000, 50, step=10)
        options, runs = chosen()
        if st.button("Find chunks", type="primary", disabled=not (options or runs)):
            words = ["labeler", "pool", str(workspace.path), "--depth", str(int(depth)), *options]
            for path in keep_uploads(runs, workspace.path / UPLOADS / "runs"):
                words += ["--run", str(path)]
            begin(job, "Finding chunks", *words)
frame.next_step(workspace, "pool")
