"""New study: documents become chunks, which are looked at before the workspace is kept."""

import shutil
from itertools import islice
from pathlib import Path

import streamlit as st

from evaluator import InputError
from evaluator.snapshot.snapshot import read_snapshot
from evaluator.text.messages import counted
from labeler.app.blocks.work import JOBS, UPLOADS, Upload, begin, keep_uploads, outcome, unpack
from labeler.app.frame import frame, session
from labeler.app.frame.components import facts, numbers, sheet, table
from labeler.corpus.init import put_in_place
from labeler.workspace.workspace import SNAPSHOT

_HERE, _BRING = "A folder or file on this machine", "Files that I upload"
_SCALES = {
    "Two grades: not relevant, relevant": ("0,1", 1),
    "Three: not relevant, partly relevant, relevant": ("0,1,2", 1),
    "Four: not, slightly, relevant, fully relevant": ("0,1,2,3", 2),
}
_OWN = "Grades of my own"
_HELD_OUT = {"A fifth": (5, "0"), "A third": (3, "0"), "A tenth": (10, "0"), "None": (5, "none")}
_SHOWN = 50


def documents() -> Path | list[Upload] | None:
    """The corpus that was named, or the files that were brought; None while there is none."""
    if st.radio("Documents", [_HERE, _BRING], horizontal=True) == _HERE:
        named = st.text_input(
            "Folder of documents, or file of ready chunks",
            placeholder="/home/ada/handbook",
            help="Markdown, HTML, reStructuredText, plain text and more; or chunks cut elsewhere, "
            "as CSV, JSON lines or Parquet.",
        ).strip()
        return Path(named).expanduser() if named else None
    brought = st.file_uploader(
        "Documents, a zip of them, or a file of ready chunks", accept_multiple_files=True
    )
    return list(brought) or None


def brought_in(brought: list[Upload], folder: Path) -> Path:
    """Uploaded files as a corpus: a folder, with archives unpacked, or one file of ready chunks."""
    kept = folder / UPLOADS / "documents"
    shutil.rmtree(kept, ignore_errors=True)
    paths = keep_uploads(brought, kept)
    for archive in [path for path in paths if path.suffix.lower() == ".zip"]:
        unpack(archive, kept)
        archive.unlink()
    alone = len(paths) == 1 and paths[0].suffix.lower() in (".csv", ".jsonl", ".parquet", ".tsv")
    return paths[0] if alone else kept


def choices(work: Path) -> list[str]:
    """What is decided once, as options of `labeler init`."""
    name = st.text_input("Name of the study", value=work.name)
    left, right = st.columns(2)
    scale = left.selectbox("Grades", [*_SCALES, _OWN])
    grades, least = _SCALES.get(scale, ("", 1))
    if scale == _OWN:
        grades = left.text_input(
            "Grades with their meaning, the lowest first",
            value="0=not relevant,1=partly,2=relevant",
        )
        least = int(left.number_input("Counts as relevant from grade", 1, 9, 1))
    share = right.selectbox(
        "Documents held out",
        list(_HELD_OUT),
        help="Kept away from all work on headers, by a rule on the document's id, so that what "
        "was tuned is tested on documents that nobody tuned on.",
    )
    buckets, held_out = _HELD_OUT[share]
    with st.expander("How documents are cut"):
        tokens = st.number_input("Most tokens in a chunk", 20, 2000, 160, step=20)
        overlap = st.number_input("Tokens shared with the chunk before", 0, 500, 0, step=10)
        columns = st.text_input(
            "Fields of ready chunks", placeholder="text=body,doc_id=page", help="OURS=THEIRS"
        )
        encoding = st.text_input("Encoding of what is not UTF-8", placeholder="cp1252")
    options = [
        *("--name", name.strip() or work.name, "--grades", grades, "--min-grade", str(least)),
        *("--buckets", str(buckets), "--held-out", held_out),
        *("--tokens", str(int(tokens)), "--overlap", str(int(overlap))),
    ]
    for option, given in (("--columns", columns), ("--encoding", encoding)):
        options += [option, given.strip()] if given.strip() else []
    return options


def look(made: Path) -> None:
    """The chunks that the documents were cut into."""
    snapshot = read_snapshot(made / SNAPSHOT)
    chunks = list(islice(snapshot.chunks(), _SHOWN))
    titled = sum(bool(chunk.title) for chunk in chunks)
    st.header("The chunks", anchor=False)
    st.caption("This is what people will judge. Read some: what is wrong here stays wrong.")
    left_out = snapshot.set_aside()
    sheet(
        numbers(
            ("documents", f"{len(snapshot.documents()):,}"),
            ("chunks", f"{len(snapshot):,}"),
            (f"of the first {len(chunks)} have a title", f"{titled}"),
        ),
        *([facts(("Left out", counted(len(left_out), "document")))] if left_out else []),
        table(
            f"The first {len(chunks)}",
            ["Title and headings", "Text"],
            [
                [" › ".join(filter(None, (each.title, *each.headings))) or "–", each.text[:600]]
                for each in chunks
            ],
        ),
        key="chunks",
    )


frame.enter()
work = session.place()
folder = work.with_name(f".{work.name}.new")
job, made = folder / JOBS / "init", folder / "workspace"
st.title("New study", anchor=False)
st.text(
    "Bring the documents that your search answers from. They are cut into chunks, which people "
    f"will judge, in a workspace in {work}. What is chosen here is decided once for this study.",
    width=720,
)
done = outcome(job)
if done is not None and made.exists():
    look(made)
    with st.container(horizontal=True):
        if st.button("Make this study", type="primary"):
            with frame.or_say("It was not made."):
                put_in_place(made, work)
                if (folder / UPLOADS).exists():
                    (folder / UPLOADS).rename(work / UPLOADS)
                shutil.rmtree(folder, ignore_errors=True)
                st.session_state["lead-to"] = "logs"
                st.rerun()
        if st.button("Read again with other choices"):
            shutil.rmtree(folder, ignore_errors=True)
            st.rerun()
    st.stop()
with frame.or_say("The documents cannot be used."), st.container(width=720):
    given = documents()
    options = choices(work)
    if st.button("Read the documents", type="primary", disabled=given is None) and given:
        corpus = given if isinstance(given, Path) else brought_in(given, folder)
        if not corpus.exists():
            raise InputError(f"There is no {corpus} on this machine.")
        shutil.rmtree(made, ignore_errors=True)
        words = ("labeler", "init", str(made), "--corpus", str(corpus.resolve()), *options)
        begin(job, "Reading the documents", *words)
