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
from collections.abc import Callable, Collection, Iterable, Sequence
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

    `digest` is that of the rule: SHA-256 of the header file, or of the rule's text, and with
    options that of both together. Two rules that render the same strings are one treatment.
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
        return _fitted(drafts, self.options.max_tokens, own_tokens)

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


def strings_sha256(strings: Iterable[str]) -> str:
    """One digest of strings in their order, which also says where each of them ends."""
    digest = hashlib.sha256()
    for text in strings:
        encoded = text.encode()
        digest.update(len(encoded).to_bytes(8, "big") + encoded)
    return digest.hexdigest()


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


def _fitted(drafts: Sequence[Sequence[str]], limit: int, own_tokens: OwnTokens) -> list[str]:
    """Of each list of drafts the first within the limit; else the last one, cut at a word."""
    distinct = list(dict.fromkeys(text for written in drafts for text in written if text))
    counts = dict(zip(distinct, own_tokens(distinct), strict=True)) if distinct else {}

    def fits(text: str) -> bool:
        return not text or (counts.get(text) or own_tokens([text])[0]) <= limit

    return [next(filter(fits, written), None) or _cut(written[-1], fits) for written in drafts]


def _cut(text: str, fits: Callable[[str], bool]) -> str:
    """The most leading words of a text that fit; found by halving."""
    ends = _word_ends(text)
    low, high = 0, len(ends)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(_ended(text[: ends[middle - 1]])) else (low, middle - 1)
    return _ended(text[: ends[low - 1]]) if low else ""


def _word_ends(text: str) -> list[int]:
    """Where a text may end: behind a word, or a character and its marks in unspaced scripts."""
    ends = (match.end() for match in _WORD.finditer(text))
    return [end for end in ends if unicodedata.category(text[end : end + 1] or " ")[0] != "M"]
