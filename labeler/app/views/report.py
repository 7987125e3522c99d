"""Report: what an experiment found, the first screen and the appendix, to read and to download."""

import streamlit as st

from evaluator.report.report import html_report, markdown_report
from labeler.app.frame import frame, session
from labeler.results.results import find_results, read_results

frame.enter()
st.title("Report", anchor=False)
workspace = session.workspace()
paths = find_results(workspace.path)
if not paths:
    st.text("No experiment has been run in this study yet.")
    frame.next_step(workspace, "report")
    st.stop()
work = workspace.path  # the newest comes first
path = st.selectbox("Results", paths, format_func=lambda p: p.relative_to(work).as_posix())
results = read_results(path)
page = html_report(results.record)
with st.container(horizontal=True):
    st.download_button("Download as HTML", page, "report.html", type="primary")
    st.download_button("Download as Markdown", markdown_report(results.record), "report.md")
    record = (path / "record.json").read_bytes()
    st.download_button("Download the record (JSON)", record, "record.json")
    frame.lead("flips", "Read the flips")
st.iframe(page, height=1200, alt="The report")
