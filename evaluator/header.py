"""
Titles and heading paths to header strings: where a chunk came from, in words.

It owns the rules (`none`, `title`, `path`, `title+path`, `file:PATH`, or a template) and
the one line break that ends a header. It knows neither prefixes nor encoders. A chunk
with nothing to say gets the empty string, so its input is that of the plain arm, byte for
byte.
"""

import hashlib
import json
import string
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from evaluator import InputError
from evaluator.chunks import Chunk
from evaluator.form import meant

SEPARATOR = " > "
_NAMED = ("none", "title", "path", "title+path")


@dataclass(frozen=True, slots=True)
class HeaderRule:
    """
    A rule ready to use.

    `digest` identifies the treatment: SHA-256 of the header file, or of the rule's text.
    `path` is the header file if there is one.
    """

    rule: str
    digest: str
    path: Path | None
    header: Callable[[Chunk], str]
    text_by_chunk: Mapping[str, str] | None = None

    def require_known(self, chunk_ids: Collection[str]) -> None:
        """Refuse a header file that speaks of chunks the snapshot does not have."""
        strangers = sorted(set(self.text_by_chunk or ()) - set(chunk_ids))
        if strangers:
            raise InputError(
                f"{self.path} has headers for {len(strangers)} chunks that the snapshot does "
                f"not have ({', '.join(strangers[:3])}). Make it for this snapshot."
            )


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


def read_header_rule(rule: str, *, folder: Path = Path()) -> HeaderRule:
    """The rule ready to use, its file read and checked."""
    rule = check_header_rule(rule, folder=folder)
    if rule.startswith("file:"):
        path = Path(rule[5:])
        raw = _bytes(path)
        texts = _header_texts(path, raw)
        return HeaderRule(
            rule, hashlib.sha256(raw).hexdigest(), path, lambda c: texts.get(c.chunk_id, ""), texts
        )
    return HeaderRule(rule, hashlib.sha256(rule.encode()).hexdigest(), None, _writer(rule))


def heading_path(chunk: Chunk) -> str:
    """The headings above a chunk, outermost first; empty ones are no step."""
    return SEPARATOR.join(_said(chunk.headings))


def titled_path(chunk: Chunk) -> str:
    """Title and headings as one path; a first heading that repeats the title stands once."""
    steps = _said([chunk.title, *chunk.headings])
    if len(steps) > 1 and steps[0] == steps[1]:
        del steps[0]
    return SEPARATOR.join(steps)


_FIELDS: Mapping[str, Callable[[Chunk], str]] = {
    "title": lambda chunk: _line(chunk.title),
    "path": heading_path,
    "heading": lambda chunk: "".join(_said(chunk.headings)[-1:]),
    "source": lambda chunk: _line(chunk.source),
    "doc_id": lambda chunk: chunk.doc_id,
}


def _writer(rule: str) -> Callable[[Chunk], str]:
    plain: Mapping[str, Callable[[Chunk], str]] = {
        "none": lambda _: "",
        "title": lambda chunk: _line(chunk.title),
        "path": heading_path,
        "title+path": titled_path,
    }
    write = plain.get(rule) or (lambda chunk: _filled(rule, chunk))
    return lambda chunk: _ended(write(chunk))


def _filled(template: str, chunk: Chunk) -> str:
    """The template, or nothing when all that it asks for is empty."""
    values = {field: _FIELDS[field](chunk) for field in _template_fields(template)}
    return template.format_map(values) if any(values.values()) else ""


def _template_fields(rule: str) -> list[str]:
    try:
        return [field for _, field, _, _ in string.Formatter().parse(rule) if field is not None]
    except ValueError as error:
        raise InputError(f"header {rule!r} is no template: {error}.") from None


def _ended(text: str) -> str:
    """The header with exactly one line break at its end; blank text is no header."""
    return text.rstrip() + "\n" if text.strip() else ""


def _line(text: str) -> str:
    return " ".join(text.split())


def _said(steps: Collection[str]) -> list[str]:
    return [line for line in map(_line, steps) if line]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (FileNotFoundError, IsADirectoryError):
        raise InputError(f"There is no header file {path}.") from None


def _header_texts(path: Path, raw: bytes) -> dict[str, str]:
    texts: dict[str, str] = {}
    problems = []
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            chunk_id, text = row["chunk_id"], row["text"]
            if not isinstance(chunk_id, str) or not isinstance(text, str):
                raise TypeError
        except (ValueError, KeyError, TypeError):
            problems.append(f"line {number} is not an object with the texts chunk_id and text")
            continue
        if chunk_id in texts:
            problems.append(f"line {number} names chunk {chunk_id!r} a second time")
        texts[chunk_id] = _ended(text)
    if problems:
        more = f" and {len(problems) - 5} more" if len(problems) > 5 else ""
        raise InputError(f"{path}: {'; '.join(problems[:5])}{more}.")
    return texts
