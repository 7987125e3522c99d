"""
The record as one self-contained page: no network, no script, charts drawn inline.

The template escapes by default and a policy in the page forbids every request. Data is
isolated from the direction of the text around it; figures of ours get proper signs.
"""

import re
from functools import cache
from importlib.resources import files

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup, escape

from evaluator.report.document import Command, Report, Sentence, visible
from evaluator.report.render.charts import on_one_axis, waffle
from evaluator.text.figures import interval, rate, signed

_MINUS = "\N{MINUS SIGN}"
_TIMES = "\N{NO-BREAK SPACE}\N{MULTIPLICATION SIGN}\N{NO-BREAK SPACE}"


def render_html(report: Report) -> str:
    """The page, ready to be written as UTF-8."""
    return _template().render(report=report)


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(
        words=_words,
        plain=_plain,
        typeset=_typeset,
        rate=rate,
        signed=signed,
        interval=interval,
        kind=_kind,
    )
    environment.globals.update(waffle=waffle, on_one_axis=on_one_axis)
    source = (
        files("evaluator.report.render").joinpath("page.html.jinja").read_text(encoding="utf-8")
    )
    return environment.from_string(source)


def _kind(block: object) -> str:
    return type(block).__name__


def _words(sentence: Sentence) -> Markup:
    """A sentence as markup: our words typeset, data escaped and isolated."""
    return Markup().join(
        _typeset(part)
        if isinstance(part, str)
        else Markup("<code>{}</code>").format(part.text)
        if isinstance(part, Command)
        else Markup('<bdi class="{}">{}</bdi>').format(
            "prose" if part.prose else "data", visible(part.text)
        )
        for part in sentence
    )


def _plain(sentence: Sentence) -> str:
    """A sentence for an attribute, where no markup can stand."""
    return "".join(part if isinstance(part, str) else visible(part.text) for part in sentence)


def _typeset(text: str) -> Markup:
    """Our own words with minus signs, powers of ten and unbroken units."""
    found = str(escape(text))
    found = re.sub(r"(?<![\w.-])-(?=\d)", _MINUS, found)
    found = re.sub(r"(\d\.\d)e-(\d+)", rf"\1{_TIMES}10<sup>{_MINUS}\2</sup>", found)
    found = re.sub(r"^x (?=\d)", _TIMES.lstrip(), found)
    found = re.sub(r"(?<=\d) (?=(%|s|min|h|ms|kB|MB|GB)\b|%)", "\N{NO-BREAK SPACE}", found)
    return Markup(re.sub(r"\b([kp]) = (?=\d)", "\\1\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}", found))
