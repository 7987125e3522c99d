"""
Front matter of a page -> its title and the pages above it.

YAML between `---` and TOML between `+++`. It owns which fields are looked at and what is
wrong with front matter that cannot be read; where it stands in a page is the parser's affair.
"""

import html
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

_PAIRED_TAGS = re.compile(r"<([a-z]+)>(.*?)</\1>", re.I)


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields that hold a page's title, first that is not empty, and its parents in order."""

    titles: tuple[str, ...] = ("title",)
    parents: tuple[str, ...] = ()


TITLE_ONLY = Fields()


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What was read, and what could not be."""

    title: str = ""
    parents: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


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
        return FrontMatter(_title_line(source, fields), (), (notice,))
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
    titles = (_plain(values[name]) for name in fields.titles if _is_text(values.get(name)))
    parents: list[str] = []
    notices = []
    for name in fields.parents:
        found = values.get(name)
        steps = found if isinstance(found, list) else [found]
        if all(step is None or _is_text(step) for step in steps):
            parents += [_plain(step) for step in steps if step is not None]
        else:
            notices.append(f"{name} in the front matter is neither a text nor a list of texts")
    return FrontMatter(next(filter(None, titles), ""), tuple(filter(None, parents)), tuple(notices))


def _title_line(source: str, fields: Fields) -> str:
    return next(filter(None, _title_lines(source, fields)), "")


def _title_lines(source: str, fields: Fields) -> Iterator[str]:
    for name in fields.titles:
        line = re.search(rf"^{re.escape(name)}:[ \t]*(.+?)[ \t]*$", source, re.M)
        yield _plain(line.group(1).strip("\"'")) if line else ""


def _is_text(value: Any) -> bool:
    return value is not None and not isinstance(value, dict | list | bool)


def _plain(value: Any) -> str:
    """The text as a site prints it: without paired tags and entities, on one line."""
    return " ".join(html.unescape(_PAIRED_TAGS.sub(r"\2", str(value))).split())
