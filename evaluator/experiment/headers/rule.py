"""
Titles and heading paths to header strings: where a chunk came from, in words.

It owns the rules (`none`, `title`, `path`, `title+path`, `file:PATH`, or a template) and
the one line break that ends a header. It knows neither prefixes nor encoders. A chunk
with nothing to say gets the empty string, so its input is that of the plain arm, byte for
byte.
"""

import hashlib
import re
import string
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.experiment.headers.file import HeaderFile, read_header_file
from evaluator.experiment.headers.options import NO_OPTIONS, HeaderOptions, begins_with, said_steps
from evaluator.files.form import meant
from evaluator.labelset.format import canonical_line
from evaluator.snapshot.chunk import Chunk
from evaluator.text.messages import counted
from evaluator.text.words import UNSPACED, is_blank

SEPARATOR = " > "
_NAMED = ("none", "title", "path", "title+path")
# Tokens of each text by itself, without a model's special tokens.
OwnTokens = Callable[[Sequence[str]], Sequence[int]]
_WORD = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")


@dataclass(frozen=True, slots=True)
class HeaderRule:
    """
    A rule ready to use, with its options.

    `digest` identifies the treatment: SHA-256 of the header file, or of the rule's text, and
    with options that of both together.
    """

    rule: str
    digest: str
    options: HeaderOptions = NO_OPTIONS
    file: HeaderFile | None = None

    @property
    def path(self) -> Path | None:
        """The header file if there is one."""
        return None if self.file is None else self.file.path

    def header(self, chunk: Chunk, *, own_tokens: OwnTokens | None = None) -> str:
        """The header of one chunk; a rule with a token limit needs the arm's tokenizer."""
        return self.headers([chunk], own_tokens=own_tokens)[0]

    def headers(self, chunks: Sequence[Chunk], *, own_tokens: OwnTokens | None) -> list[str]:
        """
        The headers of some chunks, in their order.

        A header over the token limit loses whole steps, the outermost first; what is one step
        and still too long ends after the last word that fits. A header that the text begins
        with, in full or as it was shortened, is dropped when the rule is to be informative.
        """
        drafts = [self.drafts(chunk) for chunk in chunks]
        return self.unsaid(chunks, drafts, self.within(drafts, own_tokens=own_tokens))

    def within(self, drafts: Sequence[Sequence[str]], *, own_tokens: OwnTokens | None) -> list[str]:
        """Of each list of drafts what the token limit allows; the first where there is no limit."""
        if self.options.max_tokens is None:
            return [written[0] for written in drafts]
        assert own_tokens is not None
        return fitted(drafts, limit=self.options.max_tokens, own_tokens=own_tokens)

    def unsaid(
        self, chunks: Sequence[Chunk], drafts: Sequence[Sequence[str]], headers: Sequence[str]
    ) -> list[str]:
        """The headers without those that say no more than how their text begins, if asked for."""
        if not self.options.informative:
            return list(headers)
        return [
            "" if any(begins_with(chunk.text, each) for each in (written[0], header)) else header
            for chunk, written, header in zip(chunks, drafts, headers, strict=True)
        ]

    def drafts(self, chunk: Chunk) -> list[str]:
        """The whole header and its shorter forms, each with one outermost step less."""
        if self.file is not None:
            texts = [self.file.text_by_chunk.get(chunk.chunk_id, "")]
        else:
            title, headings = said_steps(chunk.title, chunk.headings, self.options)
            texts = _texts(self.rule, chunk, title, headings)
        return [_ended(text) for text in texts] or [""]

    def require_known(self, chunk_ids: Collection[str]) -> None:
        """Refuse a header file that speaks of chunks the snapshot does not have."""
        texts = self.file.text_by_chunk if self.file is not None else {}
        strangers = sorted(set(texts) - set(chunk_ids))
        if strangers:
            raise InputError(
                f"{self.path} has headers for {counted(len(strangers), 'chunk')} that the snapshot "
                f"does not have ({', '.join(strangers[:3])}). Make it for this snapshot."
            )

    def record(self) -> dict[str, Any]:
        """The rule as `record.json` keeps it beside an arm."""
        found: dict[str, Any] = {"header": self.rule, "header_sha256": self.digest}
        if self.options != NO_OPTIONS:
            found["header_options"] = self.options.chosen()
        if self.file is not None:
            found["header_file"] = self.file.record()
        return found


def check_header_rule(rule: str, *, folder: Path) -> str:
    """
    The rule with a file's path made absolute; InputError if it is no rule.

    Only the rule is looked at, not the file behind it.
    """
    if rule in _NAMED:
        return rule
    if rule.startswith("file:"):
        return f"file:{(folder / Path(rule[5:]).expanduser()).resolve()}"
    fields = _template_fields(rule)
    unknown = [field for field in fields if field not in _FIELDS]
    if unknown:
        listed = ", ".join(f"{{{field}}}" for field in _FIELDS)
        raise InputError(
            f"header {rule!r} asks for {{{unknown[0]}}}.{meant(unknown[0], _FIELDS)} "
            f"A template may hold {listed}."
        )
    if not fields:
        raise InputError(
            f"header {rule!r} is no rule.{meant(rule, _NAMED)} Write none, title, path, "
            "title+path, file:PATH, or a template such as '{title} ({source})'."
        )
    return rule


def read_header_rule(
    rule: str, *, folder: Path = Path(), options: HeaderOptions = NO_OPTIONS
) -> HeaderRule:
    """The rule ready to use, its file read and checked."""
    rule = check_header_rule(rule, folder=folder)
    file = read_header_file(Path(rule[5:])) if rule.startswith("file:") else None
    digest = hashlib.sha256(rule.encode()).hexdigest() if file is None else file.sha256
    if options != NO_OPTIONS:
        both = canonical_line({"rule": digest, "options": options.chosen()})
        digest = hashlib.sha256(both.encode()).hexdigest()
    return HeaderRule(rule, digest, options, file)


def fitted(drafts: Sequence[Sequence[str]], *, limit: int, own_tokens: OwnTokens) -> list[str]:
    """
    Of each list of drafts the first within the limit; else the last one, cut at a word.

    Every distinct text is counted once per round.
    """
    found = [""] * len(drafts)
    waiting = list(range(len(drafts)))
    for step in range(max(map(len, drafts), default=0)):
        fits = _fits([drafts[row][step] for row in waiting], limit, own_tokens)
        for row, is_short in zip(waiting, fits, strict=True):
            if is_short:
                found[row] = drafts[row][step]
        waiting = [row for row, fit in zip(waiting, fits, strict=True) if not fit]
        last = [row for row in waiting if len(drafts[row]) == step + 1]
        cut = _cut_at_words([drafts[row][step] for row in last], limit, own_tokens)
        for row, text in zip(last, cut, strict=True):
            found[row] = text
        waiting = [row for row in waiting if len(drafts[row]) > step + 1]
    return found


def heading_path(headings: Sequence[str]) -> str:
    """The steps of a path as one text, outermost first."""
    return SEPARATOR.join(headings)


def titled_steps(title: Sequence[str], headings: Sequence[str]) -> tuple[str, ...]:
    """
    Title and headings as one path; a title that stands among the headings is not repeated.

    Mostly it is the first of them. Behind others it stands where pages above are named.
    """
    return tuple(headings) if set(title) <= set(headings) else (*title, *headings)


def _texts(rule: str, chunk: Chunk, title: tuple[str, ...], headings: tuple[str, ...]) -> list[str]:
    """What a rule makes of a chunk, the longest first."""
    if rule in _NAMED:
        steps = {
            "none": (),
            "title": title,
            "path": headings,
            "title+path": titled_steps(title, headings),
        }[rule]
        return [heading_path(steps[first:]) for first in range(len(steps))]
    paths = [headings[first:] for first in range(len(headings))] or [()]
    texts = (_filled(rule, chunk, title, path) for path in paths)
    return list(dict.fromkeys(texts))


_FIELDS: tuple[str, ...] = ("title", "path", "heading", "source", "doc_id")


def _filled(template: str, chunk: Chunk, title: Sequence[str], headings: Sequence[str]) -> str:
    """The template, or nothing when all that it asks for is empty."""
    values = {
        "title": "".join(title),
        "path": heading_path(headings),
        "heading": "".join(headings[-1:]),
        "source": " ".join(chunk.source.split()),
        "doc_id": chunk.doc_id,
    }
    says = any(values[field] for field in _template_fields(template))
    return template.format_map(values) if says else ""


def _template_fields(rule: str) -> list[str]:
    try:
        parsed = list(string.Formatter().parse(rule))
    except ValueError as error:
        raise InputError(f"header {rule!r} is no template: {error}.") from None
    # With what Python would make of it: a conversion or a format is no field of ours.
    return [
        field + (f"!{conversion}" if conversion else "") + (f":{how}" if how else "")
        for _, field, how, conversion in parsed
        if field is not None
    ]


def _ended(text: str) -> str:
    """The header with exactly one line break at its end; blank text is no header."""
    return "" if is_blank(text) else text.rstrip() + "\n"


def _fits(texts: Sequence[str], limit: int, own_tokens: OwnTokens) -> list[bool]:
    distinct = list(dict.fromkeys(texts))
    counts = dict(zip(distinct, own_tokens(distinct), strict=True)) if distinct else {}
    return [not text or counts[text] <= limit for text in texts]


def _cut_at_words(texts: Sequence[str], limit: int, own_tokens: OwnTokens) -> list[str]:
    """The most leading words of each text that stay within the limit; found by halving."""
    ends = [_word_ends(text) for text in texts]
    low, high = [0] * len(texts), [len(each) for each in ends]
    while any(a < b for a, b in zip(low, high, strict=True)):
        middle = [(a + b + 1) // 2 for a, b in zip(low, high, strict=True)]
        tried = [
            _ended(t[: e[m - 1]] if m else "") for t, e, m in zip(texts, ends, middle, strict=True)
        ]
        for row, fit in enumerate(_fits(tried, limit, own_tokens)):
            if fit:
                low[row] = middle[row]
            else:
                high[row] = middle[row] - 1
    return [_ended(t[: e[m - 1]] if m else "") for t, e, m in zip(texts, ends, low, strict=True)]


def _word_ends(text: str) -> list[int]:
    """Where a text may end: behind a word, or a character and its marks in unspaced scripts."""
    ends = (match.end() for match in _WORD.finditer(text))
    return [end for end in ends if unicodedata.category(text[end : end + 1] or " ")[0] != "M"]
