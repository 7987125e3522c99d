"""What tests of reports have in common: every output, what it shows, and hostile texts."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

from evaluator.record.model import record_of
from evaluator.report import report
from tests.evaluator.example_record import example_record


def terminal_summary(record: Any) -> str:
    return report.terminal_summary(record_of(record))


def terminal_report(record: Any) -> str:
    return report.terminal_report(record_of(record))


def markdown_report(record: Any) -> str:
    return report.markdown_report(record_of(record))


def html_report(record: Any) -> str:
    return report.html_report(record_of(record))


Output = Callable[[Any], str]
OUTPUTS: tuple[Output, ...] = (terminal_report, markdown_report, html_report)
VOID = {"meta", "br", "path", "link", "img", "input", "hr"}
HOSTILE = (
    "<script>say(1)</script>",
    '"><img src=x onerror="say(2)">',
    "</td></table></body> &lt;b&gt;",
    "[go](javascript:say(3)) ![x](data:text/html,x)",
    "a | b || `tick` ``two`` $x^2$ :rocket: # head",
    "{{ 7 * 7 }} {% raw %} ${env} %s {0}",
    "right \u202eotfel\u202c to left",
    "\x1b[31mred\x1b[0m and \x07 and \x00",
    "two\r\nlines\tand a tab",
    "",
    "`",
)


class Page(HTMLParser):
    """Every element, attribute and text of a page; fails on elements that do not nest."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert [] == self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert tag == self._open.pop()

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.texts))


def shown(output: Output, record: Any) -> str:
    """What a reader sees, on one line and with plain signs, whatever the output."""
    written = output(record)
    if output is html_report:
        written = Page(written).text.replace("\N{MINUS SIGN}", "-")
        written = written.replace(" \N{MULTIPLICATION SIGN} 10-7", "e-7")
    if output is markdown_report:
        written = re.sub(r"[\\`*]", "", written)
    return re.sub(r"\s+", " ", written)


def example_with(**changes: Any) -> Any:
    """The example with parts of its only contrast replaced, tables field by field."""
    record = example_record()
    contrast = record["contrasts"][0]
    for key, value in changes.items():
        table = isinstance(value, dict) and isinstance(contrast[key], dict)
        contrast[key] = {**contrast[key], **value} if table else value
    return record


def example_where(where: str, change: dict[str, Any]) -> Any:
    """The example with fields changed at one place, such as `contrasts/0/primary`."""
    record = found = example_record()
    for key in where.strip("/").split("/"):
        found = found[int(key)] if isinstance(found, list) else found[key]
    found.update(change)
    return record


def hostile_record() -> Any:
    """Hostile text wherever a person, a log or a corpus could put some."""
    record = example_record()
    contrast = record["contrasts"][0]
    record["experiment"].update(name=HOSTILE[0], note=HOSTILE[4], file=HOSTILE[2])
    record["labels"].update(name=HOSTILE[6], assessment={"made_by": HOSTILE[1]})
    record["labels"]["order"]["rests_on"] = list(HOSTILE)
    for arm, name in zip(record["arms"], (HOSTILE[1], HOSTILE[7]), strict=True):
        arm.update(name=name, header=HOSTILE[2], query_prefix=HOSTILE[8], notices=[HOSTILE[4]])
    contrast.update(baseline=HOSTILE[1], treatment=HOSTILE[7], notices=list(HOSTILE))
    contrast["held_still"] = [{"field": "model", "value": text} for text in HOSTILE]
    contrast["flips"]["lost"] = [
        {**flip, "text": text, "gold": [text]}
        for text in HOSTILE
        for flip in contrast["flips"]["lost"][:1]
    ]
    for flip, text in zip(contrast["flips"]["lost"], HOSTILE, strict=True):
        flip["chunk"] = {**flip["chunk"], "chunk_id": text}
        flip["outranked_by"] = [
            {"chunk_id": text, "rank": 1, "title": text, "first_words": text or "words"}
        ]
    contrast["assessors"] = [{**contrast["assessors"][0], "assessor": text} for text in HOSTILE]
    contrast["by_source"] = {HOSTILE[4]: contrast["by_source"]["tickets"]}
    contrast["by_stratum"] = {text: contrast["by_source"][HOSTILE[4]] for text in HOSTILE}
    return record
