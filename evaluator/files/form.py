"""
A TOML table filled in by hand, checked like a form: every mistake found, none guessed away.

It knows types, choices and spellings, and nothing of what the answers mean. Problems are
collected in a list, so that a person mends a file once and not once per mistake.
"""

import datetime
import difflib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any


class Form:
    """
    One table of the file; asking for a key checks it and marks it as known.

    `where` names the table in messages. A key that is missing or wrong adds a problem and
    yields a value of the right type that the caller must not use: callers look at the
    list of problems before they use anything.
    """

    def __init__(self, values: Mapping[str, Any], where: str, problems: list[str]) -> None:
        self.values = values
        self.where = where
        self.problems = problems
        self._known: list[str] = []

    def text(
        self, key: str, *, default: str | None = None, pattern: str = "", hint: str = ""
    ) -> str:
        """A string, byte for byte; without a default the key is required."""
        value = self._value(key, default, hint)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.problem(f"{key} must be text in quotes, found {shown(value)}.", hint)
            return ""
        if pattern and not re.fullmatch(pattern, value):
            self.problem(f"{key} is {shown(value)}.", hint)
        return value

    def hex_digits(self, key: str, count: int, *, hint: str) -> str:
        """So many hex digits, in small letters; some tools print capitals."""
        return self.text(key, pattern=f"[0-9a-fA-F]{{{count}}}", hint=hint).lower()

    def texts(
        self, key: str, *, default: Sequence[str] | None = None, hint: str = ""
    ) -> tuple[str, ...]:
        """A list of strings."""
        value = self._value(key, default, hint)
        if value is None:
            return ()
        if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
            self.problem(f"{key} must be a list of texts, found {shown(value)}.", hint)
            return ()
        return tuple(value)

    def choice(self, key: str, choices: Sequence[str], *, default: str | None = None) -> str:
        """One of a few words."""
        listed = "Choose one of " + ", ".join(f'"{one}"' for one in choices) + "."
        value = self._value(key, default, listed)
        if value is not None and value not in choices:
            likely = meant(value, choices) if isinstance(value, str) else ""
            self.problem(f"{key} is {shown(value)}.", listed + likely)
        return value if isinstance(value, str) else ""

    def whole(
        self, key: str, *, default: int | None = None, least: int = 1, most: int = 10**15
    ) -> int:
        """A whole number; true and 2.0 are none, and what no library can count is none either."""
        hint = f"Expected a whole number of {least} or more."
        value = self._value(key, default, hint)
        if type(value) is int and least <= value <= most:
            return value
        if type(value) is int and value > most:
            self.problem(f"{key} is {value}.", f"Expected at most {most:,}.")
        elif value is not None:
            self.problem(f"{key} is {shown(value)}.", hint)
        return least if default is None else default

    def number(self, key: str, *, default: float | None = None) -> float:
        """A number above 0, whole or not; true is none."""
        hint = "Expected a number above 0."
        value = self._value(key, default, hint)
        if value is None:
            return 1.0
        if type(value) not in (int, float) or not 0 < value < math.inf:
            self.problem(f"{key} is {shown(value)}.", hint)
            return 1.0
        return float(value)

    def flag(self, key: str, *, default: bool | None = None) -> bool:
        """true or false."""
        value = self._value(key, default, "Write true or false.")
        if value is not None and not isinstance(value, bool):
            self.problem(f"{key} is {shown(value)}.", "Write true or false.")
        return value is True

    def day(self, key: str) -> str | None:
        """A date or moment, as exactly as it is written; None when it is not given."""
        value = self._value(key, "", "")
        if isinstance(value, datetime.date):
            return value.isoformat()
        try:
            return value if value and datetime.datetime.fromisoformat(value) else None
        except (TypeError, ValueError):
            self.problem(f"{key} is {shown(value)}.", 'Write a date, as in "2026-12-01".')
            return None

    def table(self, key: str, where: str, *, required: bool = True) -> "Form":
        """A table inside this one; an empty one when it is missing."""
        value = self._value(key, None if required else {}, f"Add a table {where}.")
        if value is not None and not isinstance(value, Mapping):
            self.problem(f"{key} must be a table {where}, found {shown(value)}.")
        return Form(value if isinstance(value, Mapping) else {}, where, self.problems)

    def tables(self, key: str, *, hint: str = "") -> list["Form"]:
        """The tables of an array, each named by its number until it says its name."""
        value = self._value(key, None, hint)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(one, Mapping) for one in value):
            self.problem(f"{key} must be written as [[{key}]] tables.")
            return []
        return [Form(one, f"[[{key}]] {n}", self.problems) for n, one in enumerate(value, start=1)]

    def has(self, key: str) -> bool:
        return key in self.values

    def know(self, key: str) -> None:
        """Mark a key as known whose value the caller has read itself."""
        self._known.append(key)

    def problem(self, what: str, hint: str = "") -> None:
        """Note one mistake in this table."""
        self.problems.append(f"{self.where}: {what}{' ' + hint if hint else ''}")

    def close(self, removed: Mapping[str, str] = MappingProxyType({})) -> None:
        """
        Note every key that nobody asked for, with the one that was likely meant.

        `removed` says of keys of earlier versions what became of them.
        """
        for key in self.values:
            if key in removed:
                self.problem(f"{key} is no longer read.", removed[key])
            elif key not in self._known:
                self.problems.append(
                    f"Unknown key {key!r} in {self.where}.{meant(key, self._known, quote=chr(39))}"
                )

    def _value(self, key: str, default: Any, hint: str) -> Any:
        self._known.append(key)
        if key not in self.values and default is None:
            self.problem(f"{key} is missing.", hint)
        return self.values.get(key, default)


def shown(value: Any) -> str:
    """A value as it stands in a TOML file."""
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def meant(found: str, known: Iterable[str], *, quote: str = '"') -> str:
    """A question that offers the likely spelling, or nothing."""
    close = difflib.get_close_matches(found, list(known), n=1)
    return f" Did you mean {quote}{close[0]}{quote}?" if close else ""
