"""Label sets: what was frozen, checked again, compared, aged, stamped and handed to other tools."""

import io
import shutil
import zipfile
from pathlib import Path

import streamlit as st

from labeler.app.blocks.work import JOBS, UPLOADS, begin, keep_uploads, outcome
from labeler.app.frame import frame, session
from labeler.app.frame.components import facts, sheet
from labeler.sets.frozen import frozen_sets
from labeler.workspace.workspace import LABELS, SNAPSHOT, Workspace

_FORMATS = {
    "trec": "TREC qrels and topics",
    "beir": "BEIR",
    "ranx": "ranx",
    "quepid": "Quepid case",
    "quepid-book": "Quepid book",
    "opensearch": "OpenSearch",
    "csv": "CSV",
}
_JOB, _OUT = "sets", "export"


def verify(workspace: Workspace, labels: Path, job: Path) -> None:
    st.caption("Whether every file is as it was frozen, and every chunk as it was judged.")
    digest = st.text_input("The digest that you kept", placeholder="64 hex digits; may be empty")
    if st.button("Verify", type="primary"):
        words = ["evaluator", "verify", str(labels), "--snapshot", str(workspace.path / SNAPSHOT)]
        words += ["--digest", digest.strip()] if digest.strip() else []
        begin(job, f"Verifying {labels.name}", *words)


def compare(_: Workspace, labels: Path, job: Path) -> None:
    others = [path for path in labels.parent.iterdir() if path.is_dir() and path != labels]
    if not others:
        st.text("There is no other label set yet.")
        return
    old = st.selectbox("With the set", sorted(others), format_func=lambda path: path.name)
    if st.button("Compare", type="primary"):
        begin(job, f"{old.name} against {labels.name}", "labeler", "diff", str(old), str(labels))


def age(workspace: Workspace, labels: Path, job: Path) -> None:
    st.caption("How much of today's traffic the set still speaks for.")
    brought = st.file_uploader("Newer logs", accept_multiple_files=True)
    if st.button("Compare with these logs", type="primary", disabled=not brought):
        paths = keep_uploads(brought, workspace.path / UPLOADS / "newer-logs")
        begin(job, f"Age of {labels.name}", "labeler", "age", str(labels), *map(str, paths))


def stamp(_: Workspace, labels: Path, job: Path) -> None:
    st.caption(
        "A time-stamp authority gets the digest and nothing else, and states when it saw it. "
        "Whoever doubts the date of the freeze can check that."
    )
    url = st.text_input("Address of the authority", placeholder="https://tsa.example.org").strip()
    if st.button("Get a time stamp", type="primary", disabled=not url):
        begin(job, f"Stamping {labels.name}", "labeler", "witness", str(labels), "--url", url)


def export(workspace: Workspace, labels: Path, job: Path) -> None:
    form = st.selectbox("For", list(_FORMATS), format_func=lambda name: _FORMATS[name])
    out = workspace.path / JOBS / _OUT
    if st.button("Export", type="primary"):
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        place = out / f"{labels.name}-{form}"
        words = ["labeler", "export", str(labels), "--to", form, "-o", str(place)]
        begin(job, f"Exporting {labels.name}", *words, "--snapshot", str(workspace.path / SNAPSHOT))


def zipped(folder: Path) -> bytes:
    """All files of a folder, by their names in it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder))
    return out.getvalue()


def show_outcome(workspace: Workspace, job: Path) -> None:
    """What the last act printed; an export can be downloaded."""
    done = outcome(job)
    if done is None:
        return
    out = workspace.path / JOBS / _OUT
    if done.words[1] == "export" and out.exists():
        name = f"{Path(done.words[2]).name}-{done.words[4]}.zip"
        st.download_button("Download the export", zipped(out), name, type="primary")
    elif done.answer.strip():
        frame.say_command(done.answer.rstrip())


frame.enter()
st.title("Label sets", anchor=False)
workspace = session.workspace()
job = workspace.path / JOBS / _JOB
show_outcome(workspace, job)
sets = frozen_sets(workspace.path / LABELS)
if not sets:
    st.text("Nothing is frozen yet.")
else:
    newest_first = sorted(sets, key=lambda each: str(each["frozen_at"] or ""), reverse=True)
    names = [each["name"] for each in newest_first]
    name = st.selectbox("Label set", names)
    labels = workspace.path / LABELS / name
    chosen = next(each for each in sets if each["name"] == name)
    sheet(
        facts(
            ("Frozen", str(chosen["frozen_at"] or "not stated")),
            ("Digest", chosen["sha256"]),
            ("Superseded by", ", ".join(chosen["superseded_by"]) or "no set of this study"),
            ("Where", str(labels)),
        ),
        key="set",
    )
    st.download_button("Download the set", lambda: zipped(labels), f"{name}.zip")
    acts = {
        "Verify it": verify,
        "Compare it with an earlier set": compare,
        "Compare it with newer logs": age,
        "Get a time stamp": stamp,
        "Export it for another tool": export,
    }
    for title, act in acts.items():
        with st.expander(title), frame.or_say("This cannot be done."):
            act(workspace, labels, job)
frame.next_step(workspace, "sets")
