"""Guidelines: what assessors are told "relevant" means, and the words that the app uses."""

import streamlit as st

from evaluator.text.messages import counted
from labeler.app.frame import components, frame, session
from labeler.app.frame.components import sheet, table
from labeler.workspace.workspace import Workspace

_GLOSSARY = (
    ("Agreement", "How far two people who judged the same pair gave it the same grade."),
    ("Assessor", "Somebody who judges."),
    ("Chunk", "A piece of a document, as the search finds it; assessors see it as a text."),
    ("Decision", "The grade that one person gives to a pair on which assessors differ."),
    ("Digest", "The SHA-256 of a file or set. It changes with any change, so it is an identity."),
    ("Flip", "A query that one arm of an experiment answers and the other does not."),
    ("Gold", "The relevant chunks of a query."),
    ("Held out", "Documents kept away from all tuning, by a rule on their id."),
    ("Label set", "Queries, pool and grades, frozen under one digest."),
    ("Pair", "A query and one chunk of its pool: what a grade is given to."),
    ("Pool", "The chunks that are shown for a query, found by one or several systems."),
    ("Sample", "Queries drawn from a log by known chances, so that they speak for its traffic."),
    ("Snapshot", "The chunks as they were when the study began. Everything is judged on them."),
)


def edit(workspace: Workspace) -> None:
    """The owner's text, and what a change of it means by now."""
    versions = workspace.guidelines()
    judged = workspace.judgements.count_by_people()
    with st.form("guidelines"):
        text = st.text_area(
            "What every assessor reads at first entry, beside the texts, and on “?”",
            value=versions[-1].text,
            height=300,
            max_chars=10_000,
            help="Paragraphs, headings (#) and lists (-). The meanings of the grades stand below.",
        )
        if judged:
            made = counted(judged, "judgement has", many="judgements have")
            st.text(
                f"{made} been made. A change is told to everybody who judges, and is recorded in "
                "the next label set."
            )
        if st.form_submit_button("Keep", type="primary"):
            with frame.or_say("Nothing was kept."):
                workspace.set_guidelines(text, now=session.now())
                st.rerun()


frame.enter()
st.title("Guidelines", anchor=False)
workspace = session.workspace()
edit(workspace)
versions = workspace.guidelines()
st.header("As assessors read them", anchor=False)
grades = [(str(grade), meaning) for grade, meaning in workspace.settings.grades]
sheet(
    components.written(versions[-1].text),
    table("Grades", ["Grade", "Meaning"], grades),
    key="guidelines",
)
if changes := [each for each in versions if each.judgements_before]:
    st.header("Changed after judging began", anchor=False)
    columns = ["When (UTC)", "Judgements before>", "SHA-256"]
    rows = [
        (each.at[:16].replace("T", " "), f"{each.judgements_before:,}", each.sha256)
        for each in changes
    ]
    sheet(table("Changes", columns, rows), key="changes")
st.header("Words of the app", anchor=False)
sheet(table("Glossary", ["Word", "What it means"], _GLOSSARY), key="glossary")
