"""
Front matter of a page -> its title and the pages above it.

YAML between `---` and TOML between `+++`. It owns which fields are looked at and what is
wrong with front matter that cannot be read; where it stands in a page is the parser's affair.
"""

import html
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

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
