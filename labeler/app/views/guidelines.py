"""Guidelines: what assessors are told "relevant" means, and the words that the app uses."""

import streamlit as st

from evaluator.text.messages import counted
from labeler.app.frame import components, frame, session
from labeler.app.frame.components import sheet, table
from labeler.pool.full_text import open_index
from labeler.workspace.records import Practice
from labeler.workspace.search_index import SEARCH_FILE
from labeler.workspace.workspace import Workspace

_FOUND = 12  # texts to choose from

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


def edit_practice(workspace: Workspace) -> None:
    """The practice query: texts found by its words, and what the owner gives to some of them."""
    kept = workspace.practice()
    st.header("Practice query", anchor=False)
    st.text(
        "A query that new assessors may try first, with your grades as the key. Nothing of it is "
        "in the labels. Choose one that nobody has to judge."
    )
    query = st.text_input("Query", value=kept.query if kept else "", key="practice").strip()
    chosen = {chunk_id: (grade, why) for chunk_id, grade, why in kept.texts} if kept else {}
    if query:
        with st.spinner("Looking for texts …"):
            index = open_index(workspace.path / SEARCH_FILE, workspace.snapshot)
        ids = list(dict.fromkeys([*chosen, *(each for each, _ in index.search(query, _FOUND))]))
        chunks = workspace.snapshot.fetch(ids)
        rows = [
            {"Text": chunks[each].text[:400], "Grade": chosen.get(each, (None,))[0]}
            | {"Why": chosen.get(each, (0, ""))[1]}
            for each in ids
        ]
        scale = [grade for grade, _ in workspace.settings.grades]
        edited = st.data_editor(
            rows,
            column_config={
                "Text": st.column_config.TextColumn(disabled=True, width="large"),
                "Grade": st.column_config.SelectboxColumn(options=scale, help="Empty: left out"),
                "Why": st.column_config.TextColumn(width="medium"),
            },
            key=f"practice-{query}",
        )
        if st.button("Keep the practice query"):
            texts = tuple(
                (each, int(row["Grade"]), str(row["Why"] or ""))
                for each, row in zip(ids, edited, strict=True)
                if row["Grade"] is not None
            )
            with frame.or_say("Nothing was kept."):
                workspace.set_practice(Practice(query, texts))
                st.success(f"Kept, with {counted(len(texts), 'text')}.")
    if kept and st.button("Have none"):
        workspace.set_practice(None)
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
edit_practice(workspace)
st.header("Words of the app", anchor=False)
sheet(table("Glossary", ["Word", "What it means"], _GLOSSARY), key="glossary")
frame.next_step(workspace, "guidelines")
