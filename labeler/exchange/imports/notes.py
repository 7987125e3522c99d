"""
What a person should know of an import that goes through, one sentence a line.
"""

from collections.abc import Collection

from evaluator.text.messages import at_a_glance, some_ids
from labeler.exchange.imports.judgements import JudgementFile
from labeler.exchange.imports.queries import QueryFile
from labeler.exchange.imports.reconcile import Reconciled


def query_notes(asked: QueryFile | None, new: int) -> list[str]:
    """On the queries of the file that are not new, or cannot be used."""
    if asked is None:
        return []
    shown = at_a_glance(asked.set_aside)
    notes = [f"{asked.name}, {problem}. Set aside." for problem in shown]
    if more := len(asked.set_aside) - len(shown):
        notes.append(f"{asked.name}: {more:,} more were set aside.")
    notes += [f"{asked.name}: {note}." for note in asked.notes]
    if there := len(asked.queries) - new:
        notes.append(
            f"{there} queries of {asked.name} were in the workspace already; "
            "their texts and needs stay as they are."
        )
    return notes


def judgement_notes(graded: JudgementFile, made: Reconciled) -> list[str]:
    """On the shape that was read, on who judged, and on what did not become a grade."""
    reading = graded.reading
    named = ", queries by their text" if reading.by_text else ""
    judged = [pair for pair in graded.pairs if not pair.decides and pair.verdict != "unjudged"]
    assessors = sorted({pair.assessor for pair in judged if pair.assessor})
    numbered = (
        (sum(pair.decides for pair in graded.pairs), "decisions on disagreements came along"),
        (
            sum(pair.assessor is None for pair in judged),
            "judgements name nobody and stand under the name of the file",
        ),
        (graded.count("unjudged"), f"pairs have no grade and stay unjudged ({reading.unjudged})"),
        (graded.count("unsure"), f"pairs are marked {reading.unsure} and stay unjudged"),
        (graded.below_zero, "grades below -1 were read as 0; each note says what the file had"),
        (graded.merged, "lines repeat a judgement and were merged"),
        (made.same, "judgements are here already"),
        (made.older, "judgements are older than what stands here and were left out"),
    )
    return [
        f"{graded.name}: read as {reading.shape}{named}.",
        *(f"{graded.name}: {note}." for note in reading.notes),
        *([f"Judged by {len(assessors)}: {some_ids(assessors)}."] if assessors else []),
        *(f"{graded.name}: {count} {what}." for count, what in numbered if count),
    ]


def id_notes(query_ids: Collection[str], chunk_ids: Collection[str]) -> list[str]:
    both = len(set(query_ids) & set(chunk_ids))
    if not both:
        return []
    return [
        f"{both} query ids are chunk ids too. That does no harm here, "
        "but BEIR's own evaluator leaves such results out."
    ]
