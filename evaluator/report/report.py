"""
One record, three readings: a terminal, a Markdown file and a self-contained page.

All three are made from the same `Report`, so they cannot disagree, and a report shows only
what `record.json` holds. Nothing here reads runs, labels or a corpus.
"""

from evaluator.record.model import Record
from evaluator.report.document import Data, Report, Sentence, say
from evaluator.report.render.html import render_html
from evaluator.report.render.markdown import render_markdown
from evaluator.report.render.terminal import render_terminal
from evaluator.report.sections.arms import arms_section
from evaluator.report.sections.contrast import contrast_sections, other_contrasts_section
from evaluator.report.sections.costs import cost_cards
from evaluator.report.sections.first_screen import beside, claim_and_evidence, first_screen, stamps
from evaluator.report.sections.labels import background_sections
from evaluator.text.figures import utc


def terminal_summary(record: Record, *, longer: str = "report.md and report.html") -> str:
    """
    The record in about a screen of plain text that no terminal can be driven by.

    `longer` says where the reader finds what is left out here.
    """
    return render_terminal(build_report(record), longer=longer)


def markdown_report(record: Record) -> str:
    """The whole record as Markdown; texts from data stand in code spans."""
    return render_markdown(build_report(record))


def html_report(record: Record) -> str:
    """The whole record as one page that loads nothing and runs no script."""
    return render_html(build_report(record))


def build_report(record: Record) -> Report:
    """What the three outputs say, before any of them says it."""
    first = record.contrasts[0] if record.contrasts else None
    claim, evidence = claim_and_evidence(record, first)
    return Report(
        title=Data(record.experiment.name),
        subtitle=_subtitle(record),
        stamps=stamps(record, first),
        claim=claim,
        evidence=evidence,
        beside=beside(record, first),
        first_screen=None if first is None else first_screen(record, first),
        costs=() if first is None else cost_cards(record, first),
        sections=(
            *other_contrasts_section(record),
            arms_section(record),
            *(
                section
                for number, contrast in enumerate(record.contrasts, 1)
                for section in contrast_sections(record, contrast, number=number)
            ),
            *background_sections(record),
        ),
    )


def _subtitle(record: Record) -> Sentence:
    """When, with which labels and over which chunks, as far as the record knows."""
    labels, snapshot = record.labels, record.snapshot
    run = f"Run {utc(record.started_at)}. " if record.started_at else ""
    frozen = f", frozen {utc(labels.frozen_at)}." if labels.frozen_at else "."
    parts = say(f"{run}Label set ", Data(labels.name), frozen)
    if snapshot is None:
        return parts
    return say(*parts, " Snapshot ", Data(snapshot.name), f", {snapshot.chunks:,} chunks.")
