"""
What a header leaves unsaid: structural words, what the text says already, what is too long.

It owns the three options that an arm may put beside its header rule, and how words are
compared. It knows no rule beyond its name, no file and no tokenizer.
"""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from evaluator.files.form import Form
from evaluator.text.words import is_blank, words

# What headings say about a page's build and not about its subject.
STRUCTURAL = (
    "about",
    "about this document",
    "about this page",
    "background",
    "basics",
    "contents",
    "description",
    "details",
    "further information",
    "further reading",
    "general",
    "general information",
    "getting started",
    "home",
    "index",
    "information",
    "introduction",
    "main",
    "misc",
    "miscellaneous",
    "more information",
    "note",
    "notes",
    "other",
    "overview",
    "preface",
    "readme",
    "references",
    "related links",
    "see also",
    "summary",
    "table of contents",
    "untitled",
)
_NUMBERING = re.compile(
    r"\s*(?:\(?(?:\d+(?:\.\d+)+[.)]?|(?:\d+|[A-Za-z]|[IVXivx]+)[.)])\s*(?=\S)|\d+\s+(?=\D))"
)


@dataclass(frozen=True, slots=True)
class HeaderOptions:
    """
    `stop_list` holds steps that are never said; with `informative` a header goes that the
    text begins with, and a step that repeats the one before; `max_tokens` of the arm's own
    tokenizer is the most that a header may cost, its line break included.
    """

    stop_list: tuple[str, ...] = ()
    informative: bool = False
    max_tokens: int | None = None

    def chosen(self) -> dict[str, Any]:
        """Only what was asked for, as it is recorded and digested."""
        found = asdict(self) | {"stop_list": list(self.stop_list)}
        return {key: value for key, value in found.items() if value}

    def __str__(self) -> str:
        said = []
        if self.stop_list:
            words = ", ".join(self.stop_list)
            listed = "the standard words" if self.stop_list == STRUCTURAL else words
            said.append(f"stop list of {len(self.stop_list)} ({listed})")
        if self.informative:
            said.append("only what the text does not begin with")
        if self.max_tokens:
            said.append(f"at most {self.max_tokens} tokens")
        return "; ".join(said)


NO_OPTIONS = HeaderOptions()


def read_header_options(table: Form, header: str) -> HeaderOptions:
    """
    The options that stand in an arm's table.

    `header_stop_list` is true for the standard words, or a list of steps.
    """
    stops = _stop_list(table.values.get("header_stop_list", False))
    options = HeaderOptions(
        stop_list=table.texts("header_stop_list", default=()) if stops is None else stops,
        informative=table.flag("header_informative", default=False),
        max_tokens=table.whole("header_max_tokens") if table.has("header_max_tokens") else None,
    )
    if stops is not None:
        table.know("header_stop_list")
    elif not any("header_stop_list" in problem for problem in table.problems):
        table.problem("header_stop_list has an entry without a word in it.")
    if options.stop_list and header.startswith("file:"):
        table.problem(
            "header_stop_list does not fit a header file, whose headers have no steps.",
            "Leave such words out where the file is made.",
        )
    if header == "none" and options != NO_OPTIONS:
        listed = ", ".join(f"header_{key}" for key in options.chosen())
        table.problem(f'{listed} cannot do anything with header = "none".')
    return options


def said_steps(
    title: str, headings: Sequence[str], options: HeaderOptions
) -> list[tuple[str, ...]]:
    """
    Title and headings as two tuples of steps, each on one line, without those to leave out.

    A step stands on the stop list when it is one of its entries but for case, punctuation
    and a number before it ("1.2 Overview"). A heading that repeats the step right before
    it goes when the header is to be informative.
    """
    stops = {tuple(words(entry)) for entry in options.stop_list}
    kept: list[tuple[str, ...]] = []
    before: list[str] = []
    for steps in ((title,), headings):
        part = []
        for step in (" ".join(step.split()) for step in steps):
            number = _NUMBERING.match(step)
            plain = words(step[number.end() :] if number else step)
            if is_blank(step) or tuple(plain) in stops or tuple(words(step)) in stops:
                continue
            if not (options.informative and words(step) and words(step) == before):
                part.append(step)
            before = words(step)
        kept.append(tuple(part))
    return kept


def begins_with(text: str, header: str) -> bool:
    """Whether a text begins with the words of a header, whatever stands between the words."""
    wanted = words(header)
    found = words(text[: 4 * len(header) + 200])
    return bool(wanted) and found[: len(wanted)] == wanted


def _stop_list(value: Any) -> tuple[str, ...] | None:
    """`true` for the standard words, or a list of steps; None for what is neither."""
    if value is True:
        return STRUCTURAL
    if value is False:
        return ()
    if isinstance(value, list) and all(isinstance(each, str) and words(each) for each in value):
        return tuple(value)
    return None
