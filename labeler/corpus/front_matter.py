"""
Front matter of a page -> its title and the pages above it, and where the text begins.

YAML between `---` (or up to `--- abstract`, or never closed), TOML between `+++`, a JSON object,
and the lines `Title: ...` of Pelican and MultiMarkdown. None of it is text of the page, so that
no address of an author gets into a chunk.
"""

import html
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import yaml

_TOML = re.compile(r"\A\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.S | re.M)
_YAML = re.compile(r"\A-{3,}[ \t]*\n(.*?)^(?:-{3,}|\.{3})[ \t]*(?:\n|\Z)", re.S | re.M)
_PARTS = re.compile(r"^--- [a-z]+[ \t]*$", re.M)  # of documents that kramdown-rfc makes
_OPEN = re.compile(r"\A---[ \t]*\n(?=[\w-]+:)")
_YAML_LINE = re.compile(r"[\w-]+[ \t]*:.*|[ \t]+\S.*|-[ \t].*")
_LINES = re.compile(r"\A(?:[A-Za-z][\w -]*:.*\n(?:[ \t]+\S.*\n)*){2,}[ \t]*(?:\n|\Z)")
_KEY_NAMES = (
    "title subtitle date modified updated category categories tags slug author authors summary "
    "status lang language template layout keywords description version copyright affiliation "
    "email"
)
_KEYS = frozenset(_KEY_NAMES.split())
_PAIRED_TAGS = re.compile(r"<([a-z]+)>(.*?)</\1>", re.I)


@dataclass(frozen=True, slots=True)
class Fields:
    """
    The fields that hold a page's title, first that is not empty, and its parents in order.

    `a.b` is the field `b` of the field `a`.
    """

    titles: tuple[str, ...] = ("title",)
    parents: tuple[str, ...] = ()


TITLE_ONLY = Fields()
# Under these names most site generators let a page choose its own address.
_ADDRESSES = ("permalink", "slug")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """
    What was read, and what could not be.

    `names` are the values of all title fields, `addresses` what the page says of its own.
    """

    title: str = ""
    parents: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()


def split_front_matter(text: str, fields: Fields) -> tuple[FrontMatter, str]:
    """What stands above the text of a page, and that text."""
    if found := _TOML.match(text):
        return read_toml(found[1], fields), text[found.end() :]
    if text.startswith("---"):
        found = _YAML.match(text)
        read = read_yaml(found[1], fields) if found else None
        return (read, text[found.end() :]) if found and read else _open_yaml(text, fields)
    values, end = _object_or_lines(text)
    return (_read(values, fields), text[end:]) if values else (FrontMatter(), text)


def _object_or_lines(text: str) -> tuple[Mapping[str, Any], int]:
    """The fields of a JSON object or of lines at the top, and where they end."""
    if text.startswith("{"):
        with suppress(ValueError, RecursionError):
            values, end = json.JSONDecoder(parse_int=str, parse_float=str).raw_decode(text)
            return values, end
    if (found := _LINES.match(text)) and _KEYS.issuperset(name for name, _ in _fields_of(found[0])):
        return dict(_fields_of(found[0])), found.end()
    return {}, 0


def _open_yaml(text: str, fields: Fields) -> tuple[FrontMatter, str]:
    """Front matter that another mark ends, or nothing; no front matter where it is none."""
    if not _OPEN.match(text):
        return FrontMatter(), text
    if found := _PARTS.search(text):
        read = read_yaml(text[4 : found.start()], fields) or FrontMatter()
        return read, _PARTS.sub("", text[found.start() :])
    lines = text.split("\n")
    fields_end = (at for at, line in enumerate(lines) if at and not _YAML_LINE.fullmatch(line))
    end = next(fields_end, len(lines))
    title = _title_line("\n".join(lines[1:end]), fields)
    notice = f"front matter is never closed; its {end} lines are left out"
    return FrontMatter(title, notices=(notice,), names=(title,) if title else ()), "\n".join(
        lines[end:]
    )


def _fields_of(lines: str) -> Iterator[tuple[str, str]]:
    for line in lines.splitlines():
        name, colon, value = line.partition(":")
        if colon and not line[:1].isspace():
            yield name.strip().lower(), value.strip()


def read_yaml(source: str, fields: Fields) -> FrontMatter | None:
    """
    Title and parents; None when it is no front matter at all.

    Every scalar is read as text, so that a page called `No` or `007` keeps its name.
    Text between two thematic breaks at the top of a page is not front matter: it must be a
    mapping. Front matter that YAML refuses, mostly for a second colon in the title, still
    is front matter, and its title line can be read.
    """
    try:
        values = yaml.load(source, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except yaml.YAMLError as error:
        reason = str(error).split("\n", maxsplit=1)[0]
        notice = f"front matter is not valid YAML ({reason}); only its title line was read"
        title = _title_line(source, fields)
        return FrontMatter(title, notices=(notice,), names=(title,) if title else ())
    if values is None or values == "":
        return FrontMatter()
    return _read(values, fields) if isinstance(values, dict) else None


def read_toml(source: str, fields: Fields) -> FrontMatter:
    """Title and parents; a number or date is its text."""
    try:
        return _read(tomllib.loads(source), fields)
    except tomllib.TOMLDecodeError as error:
        notice = f"front matter is not valid TOML ({error}); no title was read from it"
        return FrontMatter(notices=(notice,))


def _read(values: Mapping[str, Any], fields: Fields) -> FrontMatter:
    titles = _texts(values, fields.titles)
    parents: list[str] = []
    notices = []
    for name in fields.parents:
        found = _value(values, name)
        steps = found if isinstance(found, list) else [found]
        if all(step is None or _is_text(step) for step in steps):
            parents += [_plain(step) for step in steps if step is not None]
        else:
            notices.append(f"{name} in the front matter is neither a text nor a list of texts")
    return FrontMatter(
        title=titles[0] if titles else "",
        parents=tuple(filter(None, parents)),
        notices=tuple(notices),
        names=titles,
        addresses=_texts(values, _ADDRESSES),
    )


def _texts(values: Mapping[str, Any], names: Iterable[str]) -> tuple[str, ...]:
    found = [_value(values, name) for name in names]
    return tuple(filter(None, (_plain(value) for value in found if _is_text(value))))


def _value(values: Mapping[str, Any], name: str) -> Any:
    """The field of that name, else the field of a field that it names."""
    if name in values:
        return values[name]
    outer, _, inner = name.partition(".")
    return _value(values[outer], inner) if inner and isinstance(values.get(outer), dict) else None


def _title_line(source: str, fields: Fields) -> str:
    for name in fields.titles:
        line = re.search(rf"^{re.escape(name)}:[ \t]*(.+?)[ \t]*$", source, re.M)
        if line and (title := _plain(line.group(1).strip("\"'"))):
            return title
    return ""


def _is_text(value: Any) -> bool:
    return value is not None and not isinstance(value, dict | list | bool)


def _plain(value: Any) -> str:
    """The text as a site prints it: without paired tags and entities, on one line."""
    return " ".join(html.unescape(_PAIRED_TAGS.sub(r"\2", str(value))).split())
