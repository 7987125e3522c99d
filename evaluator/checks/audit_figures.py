"""
Figures from somebody else's slide, read from a small TOML or JSON file.

It owns the keys, what each means and how far a printed figure can be off by rounding. It
judges nothing; `audit` does.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.files.form import Form, shown
from evaluator.files.records import parsed_json

# Key, what is expected, and what it means or, where it is asked for, the question.
KEYS: tuple[tuple[str, str, str], ...] = (
    ("name", "text", "what the slide is about"),
    ("changed", "any", "what differs between the two arms, and is it one thing?"),
    ("held_still", "any", "were chunks, model, filters, index and queries the same in both arms?"),
    ("n", "count", "over how many queries?"),
    (
        "n_gold",
        "count",
        "how many queries have a relevant chunk, and do the others count as misses?",
    ),
    ("queries_from", "any", "real searches, or written by somebody who knew the change?"),
    ("measure", "text", "which one? Success@k and R@k are both called recall"),
    ("k", "count", "which cutoff, and was it chosen before?"),
    ("before", "share", "the measure without the change, 0 to 1"),
    ("after", "share", "the measure with the change"),
    ("difference", "difference", "after less before, as printed: 0.17"),
    ("both", "count", "queries hit in both arms? Two rates do not say how many got worse"),
    ("won", "count", "queries hit only with the change"),
    ("lost", "count", "queries hit only without it"),
    ("neither", "count", "queries missed in both"),
    ("p", "any", "could the split be chance, and by which test?"),
    ("interval", "any", "how large, how small may the difference be?"),
    ("before_2k", "any", "what would twice the cutoff alone have given? Its index exists already"),
    ("labels", "any", "which label set, under which digest?"),
    ("labels_frozen_at", "any", "when were the labels last written?"),
    ("work_begun_at", "any", "when did the work on the change begin?"),
    ("split", "any", "were the documents of these queries open to tuning?"),
    ("index", "any", "exact or hnsw, and with which parameters? Its error need not cancel"),
    ("judged", "any", "how much of the first k did anybody judge, in either arm?"),
    ("truncated", "any", "does the model read the whole text, in either arm?"),
    ("chunks_before", "count", "chunks without the change: is it one chunk set?"),
    ("chunks_after", "count", "chunks with it"),
    ("input_tokens_before", "number", "mean tokens of an input without the change"),
    ("input_tokens_after", "number", "mean tokens of an input with it"),
    ("header_tokens", "number", "mean tokens of a header, counted by itself"),
    ("header_tokens_per_query", "number", "header tokens of the first k, paid by every query?"),
)
_EXAMPLES = {"count": "0", "text": '""', "any": '""'}
_ALIASES = {
    "hit_both": "both",
    "miss_both": "neither",
    "rate_without": "before",
    "rate_with": "after",
}
# Keys of earlier versions, which checked more than cells, rates and sums.
_REMOVED = re.compile(
    r"k_(before|after)|relative|after_2k|test|standard_error(_of)?|band|(judged|truncated)_\w+|"
    r"input_growth|header_tokens_per_(query_2k|year)|queries_per_year|index_growth|encode_\w+|"
    r"chunks_per_second|latency_ms_\w+|minutes_per_query|judging_hours"
)
_PERCENT = re.compile(r"([+-]?\d+(?:\.\d+)?)\s*%")
_NO_HITS = re.compile(r"(R|P|precision|M?RR|M?AP|nDCG)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number as printed, and the most that rounding can have moved it."""

    value: float
    slack: float

    def fits(self, other: float, *, slack: float = 0.0) -> bool:
        """Whether `other` could have been printed like this."""
        return abs(self.value - other) <= (self.slack + slack) * (1 + 1e-9) + 1e-12

    def __str__(self) -> str:
        return f"{self.value:g}"


@dataclass(frozen=True, slots=True)
class Figures:
    """What the file states, by key; whatever it leaves out is not there."""

    path: str
    stated: frozenset[str]
    numbers: Mapping[str, Figure]
    counts: Mapping[str, int]
    texts: Mapping[str, str]

    def has(self, *keys: str) -> bool:
        """Whether all of these are stated."""
        return self.stated.issuperset(keys)

    def rates(self) -> dict[str, Figure]:
        """Those of `before` and `after` that are stated and may be shares of queries with a hit."""
        hits = not _NO_HITS.match(self.texts.get("measure", ""))
        return {key: self.numbers[key] for key in ("before", "after") if hits and self.has(key)}


def read_figures(path: Path) -> Figures:
    """
    The figures of a file; its suffix says TOML or JSON.

    Raises InputError listing every unknown key, with the one that was likely meant, every key
    that was removed, and every value that is not what the key expects.
    """
    problems: list[str] = []
    values: dict[str, Any] = {}
    form = Form(values, path.name, problems)
    for key, value in _parse(path).items():
        name = _ALIASES.get(key, key)
        if name in values:
            form.problem(f"{key} is stated twice, once as {name}.")
        elif value is not None:
            values[name] = value
    numbers: dict[str, Figure] = {}
    counts: dict[str, int] = {}
    texts: dict[str, str] = {}
    for key, kind, _ in KEYS:
        form.know(key)
        if not form.has(key):
            continue
        if kind == "count":
            counts[key] = form.whole(key, least=0)
        elif kind == "text":
            texts[key] = form.text(key) or ""
        elif kind != "any":
            numbers[key] = _figure(form, key, kind)
    removed = {key: "Leave it out." for key in values if _REMOVED.fullmatch(key)}
    form.close(removed)
    if problems:
        raise InputError("\n".join(problems))
    return Figures(str(path), frozenset(values), numbers, counts, texts)


def template() -> str:
    """A TOML file of all keys with their meaning, every one commented out."""
    return "\n".join(
        f"# {key} = {_EXAMPLES.get(kind, '0.0')}  # {meaning}" for key, kind, meaning in KEYS
    )


def _parse(path: Path) -> dict[str, Any]:
    """The file's values; fractions as decimals, whose digits say how they were rounded."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        if path.suffix.lower() == ".json":
            value = parsed_json(text, parse_float=Decimal)
        else:
            value = tomllib.loads(text, parse_float=Decimal)
    except (FileNotFoundError, IsADirectoryError):
        raise InputError(f"There is no file of figures {path}. Name one in TOML or JSON.") from None
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read as TOML or JSON: {error}.") from None
    if not isinstance(value, dict):
        raise InputError(f"{path} holds no names of figures. Expected keys as in `n = 200`.")
    return value


def _figure(form: Form, key: str, kind: str) -> Figure:
    """A number within its kind's limits, off by at most half of its last digit."""
    value = form.values[key]
    if isinstance(value, str) and (found := _PERCENT.fullmatch(value)):
        value = Decimal(found[1]).scaleb(-2)
    number = Decimal("nan") if isinstance(value, bool | str | list | dict) else Decimal(value)
    low, high = {"share": (0, 1), "difference": (-1, 1)}.get(kind, (0, 10**15))
    if not number.is_finite() or not low <= number <= high:
        per_cent = "" if kind == "number" else ", or per cent as in '62%'"
        hint = f"Expected a number from {low} to {high:,}{per_cent}."
        form.problem(f"{key} is {shown(form.values[key])}.", hint)
        return Figure(0.0, 0.0)
    if kind == "share" and type(value) is int:  # 0 and 1 are no share that somebody rounded
        return Figure(float(number), 0.0)
    return Figure(float(number), float(Decimal((0, (5,), int(number.as_tuple().exponent) - 1))))
