"""
Figures from somebody else's slide, read from a small TOML or JSON file.

It owns the keys, what each means and how far a printed figure can be off by rounding. It
judges nothing; `audit` does.
"""

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.files.form import meant, shown
from evaluator.files.strict_json import parsed_json

# Key, what is expected, and what it means. The order is that of the template.
KEYS: tuple[tuple[str, str, str], ...] = (
    ("name", "text", "what the slide is about"),
    ("changed", "texts", 'everything that differs between the arms, as in ["header"]'),
    ("held_still", "texts", 'of "chunks", "model", "filters", "index", "queries"'),
    ("n", "count", "queries"),
    ("n_gold", "count", "queries with at least one relevant chunk"),
    ("queries_from", "text", '"log", "authored" or where else they come from'),
    ("measure", "text", '"Success@5": any gold in the first 5; "R@5": share of the gold found'),
    ("k", "count", "the cutoff, where it is one and the same"),
    ("k_before", "count", "the cutoff without the change"),
    ("k_after", "count", "the cutoff with the change"),
    ("before", "number", "the measure without the change, 0 to 1"),
    ("after", "number", "the measure with the change"),
    ("before_2k", "number", "the measure without the change at twice the cutoff"),
    ("after_2k", "number", "the measure with the change at twice the cutoff"),
    ("difference", "number", "after less before, as printed: 0.17"),
    ("relative", "number", "growth, as printed: 0.274 or '27.4%'"),
    ("both", "count", "queries hit in both arms"),
    ("won", "count", "queries hit only with the change"),
    ("lost", "count", "queries hit only without it"),
    ("neither", "count", "queries missed in both"),
    ("p", "p", "0.012, or '< 0.001'"),
    ("test", "text", "the test that gave p"),
    ("interval", "numbers", "both ends for the difference, at 95%"),
    ("standard_error", "number", "as printed"),
    ("standard_error_of", "number", "the rate that it is stated for, where it is another"),
    ("band", "number", "the difference below which nothing is to be argued"),
    ("labels", "text", "which label set"),
    ("labels_frozen_at", "moment", "when the labels were last written"),
    ("work_begun_at", "moment", "when the work on the change began"),
    ("split", "text", '"held-out", "tuning" or "all"'),
    ("index", "text", '"exact", or "hnsw" with its parameters'),
    ("judged_before", "number", "share of the first k that was judged, without the change"),
    ("judged_after", "number", "the same with the change"),
    ("chunks_before", "count", "chunks without the change"),
    ("chunks_after", "count", "chunks with it"),
    ("input_tokens_before", "number", "mean tokens of an input without the change"),
    ("input_tokens_after", "number", "mean tokens of an input with it"),
    ("input_growth", "number", "growth of the two, as printed"),
    ("header_tokens", "number", "mean tokens of a header, counted by itself"),
    ("header_tokens_per_query", "number", "header tokens of the first k chunks"),
    ("header_tokens_per_query_2k", "number", "header tokens of the first 2k chunks"),
    ("queries_per_year", "count", "traffic"),
    ("header_tokens_per_year", "number", "header tokens of that traffic"),
    ("truncated_before", "count", "inputs that the model cut, without the change"),
    ("truncated_after", "count", "inputs that it cut with the change"),
    ("index_growth", "number", "growth of the index on disk: 0.38 or '38%'"),
    ("encode_factor", "number", "encoding or ingestion time with the change over that without"),
    ("chunks_per_second", "number", "speed of the encoder"),
    ("encode_hours", "number", "encoding all chunks once"),
    ("latency_ms_before", "number", "median latency of a query without the change"),
    ("latency_ms_after", "number", "the same with it"),
    ("minutes_per_query", "number", "what judging one query takes"),
    ("judging_hours", "number", "what judging all of them takes"),
)
_ALIASES = {
    "hit_both": "both",
    "miss_both": "neither",
    "rate_without": "before",
    "rate_with": "after",
}
_SHARES = (
    *("before", "after", "before_2k", "after_2k", "p", "standard_error_of"),
    *("judged_before", "judged_after"),
)
_MAY_FALL = ("difference", "relative", "input_growth", "index_growth")
_LARGEST_COUNT = 10**15  # beyond it a float skips whole numbers
_PERCENT = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*%")
_BELOW = re.compile(r"<\s*(\d*\.?\d+(?:[eE]-?\d+)?)")


@dataclass(frozen=True, slots=True)
class Figure:
    """
    A number as printed, and the most that rounding can have moved it.

    `below` is True for a p that is only said to be smaller than it.
    """

    value: float
    slack: float
    below: bool = False

    def fits(self, other: float, *, slack: float = 0.0) -> bool:
        """Whether `other` could have been printed like this."""
        if self.below:
            return other < self.value
        return abs(self.value - other) <= (self.slack + slack) * (1 + 1e-9) + 1e-12

    def __str__(self) -> str:
        return f"{'below ' if self.below else ''}{self.value:g}"


@dataclass(frozen=True, slots=True)
class Figures:
    """What the file states, by key; whatever it leaves out is not there."""

    path: str
    numbers: Mapping[str, Figure]
    counts: Mapping[str, int]
    texts: Mapping[str, str]
    lists: Mapping[str, tuple[str, ...]]
    interval: tuple[Figure, Figure] | None = None

    def has(self, *keys: str) -> bool:
        """Whether all of these are stated."""
        stated = {*self.numbers, *self.counts, *self.texts, *self.lists}
        if self.interval is not None:
            stated.add("interval")
        return stated.issuperset(keys)

    def number(self, key: str) -> Figure:
        """A stated figure; a count is exact."""
        return self.numbers[key] if key in self.numbers else Figure(float(self.counts[key]), 0.0)


def read_figures(path: Path) -> Figures:
    """
    The figures of a file; its suffix says TOML or JSON.

    Raises InputError listing every unknown key, with the one that was likely meant, and every
    value that is not what the key expects.
    """
    problems: list[str] = []
    kinds = {key: kind for key, kind, _ in KEYS}
    values: dict[str, Any] = {}
    for key, value in _parse(path).items():
        name = _ALIASES.get(key, key)
        if name not in kinds:
            problems.append(f"Unknown key {key!r}.{meant(key, kinds)}")
            continue
        if value is None:
            continue
        if name in values:
            problems.append(f"{key} is stated twice, once as {name}.")
            continue
        try:
            values[name] = _read(kinds[name], value)
        except ValueError as error:
            problems.append(f"{key} is {_shown(value)}, expected {error}.")
            continue
        if name in _SHARES and type(value) is int:  # 0 and 1 are no share that somebody rounded
            values[name] = replace(values[name], slack=0.0)
    numbers = {key: value.value for key, value in values.items() if kinds[key] in ("number", "p")}
    problems += [
        f"{key} is {number:g}, expected {expected}."
        for key, number in numbers.items()
        if (expected := _out_of_range(key, number))
    ]
    if problems:
        raise InputError("\n".join([f"{path}:", *(f"- {problem}" for problem in problems)]))

    def those(*wanted: str) -> dict[str, Any]:
        return {key: value for key, value in values.items() if kinds[key] in wanted}

    return Figures(
        path=str(path),
        numbers=those("number", "p"),
        counts=those("count"),
        texts=those("text", "moment"),
        lists=those("texts"),
        interval=values.get("interval"),
    )


def template() -> str:
    """A TOML file of all keys with their meaning, every one commented out."""
    examples = {
        "text": '""',
        "texts": "[]",
        "count": "0",
        "number": "0.0",
        "p": "0.0",
        "numbers": "[0.0, 0.0]",
        "moment": "2026-12-01",
    }
    return "\n".join(f"# {key} = {examples[kind]}  # {meaning}" for key, kind, meaning in KEYS)


def _parse(path: Path) -> dict[str, Any]:
    """The file's values; fractions as decimals, whose digits say how they were rounded."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        if path.suffix.lower() == ".json":
            value = parsed_json(text, parse_float=Decimal)
        else:
            value = tomllib.loads(text, parse_float=Decimal)
    except FileNotFoundError:
        raise InputError(f"There is no file of figures {path}.") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder. Name a TOML or JSON file of figures.") from None
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read as TOML or JSON: {error}.") from None
    if not isinstance(value, dict):
        raise InputError(f"{path} holds no names of figures. Expected keys as in `n = 200`.")
    return value


def _read(kind: str, value: Any) -> Any:
    if kind == "count":
        if type(value) is not int or not 0 <= value <= _LARGEST_COUNT:
            raise ValueError(f"a whole number of 0 or more, at most {_LARGEST_COUNT:,}")
        return value
    if kind in ("number", "p"):
        return _figure(value, may_be_below=kind == "p")
    if kind == "numbers":
        if not isinstance(value, list) or len(value) != 2:
            raise ValueError("a list of two numbers")
        return tuple(_figure(one) for one in value)
    if kind == "texts":
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise ValueError("a list of texts")
        return tuple(value)
    if kind == "moment":
        return _moment(value)
    if not isinstance(value, str):
        raise ValueError("text in quotes")
    return value


def _figure(value: Any, *, may_be_below: bool = False) -> Figure:
    if isinstance(value, str) and may_be_below and (found := _BELOW.fullmatch(value)):
        return Figure(float(found[1]), 0.0, below=True)
    if isinstance(value, str) and (found := _PERCENT.fullmatch(value)):
        value = Decimal(found[1]).scaleb(-2)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise ValueError("a number")
    number = Decimal(value)
    if not math.isfinite(number) or not math.isfinite(float(number)):
        raise ValueError("a number")
    return Figure(float(number), float(Decimal((0, (5,), int(number.as_tuple().exponent) - 1))))


def _out_of_range(key: str, number: float) -> str | None:
    """What was expected of a number that cannot be, or None."""
    if key in _SHARES:
        return None if 0 <= number <= 1 else "a share from 0 to 1, or per cent as in '62%'"
    if key == "difference":
        return None if -1 <= number <= 1 else "a number from -1 to 1, or per cent as in '17%'"
    return None if number >= 0 or key in _MAY_FALL else "a number of 0 or more"


def _shown(value: Any) -> str:
    """A value as it stands in the file."""
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    return shown(value)


def _moment(value: Any) -> str:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value).isoformat()
        except ValueError:
            pass
    raise ValueError("a date, as in 2026-12-01")
