"""
One record, three readings: a terminal, a Markdown file and a self-contained page.

All three are made from the same `Report`, so they cannot disagree, and a report shows only
what `record.json` holds. Nothing here reads runs, labels or a corpus.
"""

from evaluator.record.model import Record
from evaluator.report.document import Data, Report, ReportSection, Sentence, say
from evaluator.report.render.html import render_html
from evaluator.report.render.markdown import render_markdown
from evaluator.report.render.terminal import render_terminal
from evaluator.report.sections.arms import arms_section
from evaluator.report.sections.contrast import (
    appendix_sections,
    contrasts_section,
    reading_sections,
)
from evaluator.report.sections.first_screen import (
    beneath,
    claim_and_evidence,
    facts,
    first_screen,
)
from evaluator.report.sections.labels import background_sections
from evaluator.report.sections.stamps import stamps
from evaluator.text.figures import utc


def terminal_summary(record: Record, *, rest: str = "report.md and report.html, or --full") -> str:
    """
    The first screen in plain text that no terminal can be driven by.

    `rest` says where the reader finds what it leaves out.
    """
    return render_terminal(build_report(record), rest=rest)


def terminal_report(record: Record) -> str:
    """The whole record in the same plain text."""
    return render_terminal(build_report(record))


def markdown_report(record: Record) -> str:
    """The whole record as Markdown; texts from data stand in code spans."""
    return render_markdown(build_report(record))


def html_report(record: Record, *, whole: bool = True) -> str:
    """The record as one page that loads nothing and runs no script: whole, or its first screen."""
    return render_html(build_report(record), whole=whole)


def build_report(record: Record) -> Report:
    """What the three outputs say, before any of them says it."""
    first, *others = record.contrasts or (None,)
    claim, evidence = claim_and_evidence(record, first)
    sections: list[ReportSection] = []
    appendix: list[ReportSection] = []
    if first is not None:
        sections += [*contrasts_section(record), *reading_sections(record, first, number=1)]
        appendix += appendix_sections(record, first, number=1)
    for number, contrast in enumerate(others, 2):
        if contrast is not None:
            appendix += reading_sections(record, contrast, number=number)
            appendix += appendix_sections(record, contrast, number=number)
    return Report(
        title=Data(record.experiment.name),
        subtitle=_subtitle(record),
        stamps=stamps(record, first),
        claim=claim,
        evidence=evidence,
        beneath=() if first is None else beneath(record, first),
        first_screen=None if first is None else first_screen(record, first),
        facts=facts(record, first),
        sections=tuple(sections),
        appendix=(*appendix, arms_section(record), *background_sections(record)),
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


REPORTS = {"report.md": markdown_report, "report.html": html_report}
"""The reports that are written beside a record, by the names of their files."""
