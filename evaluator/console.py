"""
What both console scripts share: errors without tracebacks, text that cannot drive a terminal.

Data goes to standard output, everything said to people to standard error. Texts from
corpora and logs may hold escape sequences or direction overrides; `printable` makes
them visible before a terminal sees them.
"""

import errno
import json
import os
import sqlite3
import sys
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from evaluator import InputError
from evaluator.labelset.format import LabelSetError
from evaluator.stopping import INTERRUPTED, behind, tidy_when_asked

T = TypeVar("T")
_KEPT = frozenset("\n\t\u200c\u200d")  # joiners belong to Persian words and to emoji

_WHERE_TO_LOOK = " See whether its disk is there, is not full and may be written to."


def printable(text: str) -> str:
    """The text with every control and format character but line break and tab spelled out."""
    return "".join(
        character
        if character in _KEPT or unicodedata.category(character) not in ("Cc", "Cf", "Cs")
        else f"\\u{ord(character):04x}"
        for character in text
    )


def say(text: str) -> None:
    """Tell the person at the terminal something that is not data."""
    click.echo(printable(text), err=True)


def write_json(value: Any) -> None:
    """Write one JSON document to standard output, for another program to read."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True))


def progress(items: Iterable[T], *, label: str, total: int | None = None) -> Iterator[T]:
    """The same items, with a bar on standard error while they are taken."""
    with click.progressbar(items, label=label, length=total, file=sys.stderr) as bar:
        yield from bar


class Commands(click.Group):
    """
    A group whose commands answer bad input with one message and exit code 1.

    Help lists them in the order in which they were added, which is that of the work.
    """

    def list_commands(self, _: click.Context) -> list[str]:
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        with _readable_errors(), _stopped_by_one_line(), tidy_when_asked():
            return super().invoke(ctx)


@contextmanager
def _readable_errors() -> Iterator[None]:
    try:
        yield
    except (InputError, LabelSetError) as error:
        raise click.ClickException(printable(str(error))) from None
    except PermissionError as error:
        raise click.ClickException(printable(f"No permission to use {error.filename}.")) from None
    except UnicodeEncodeError as error:
        raise click.ClickException(printable(_unwritable(error))) from None
    except sqlite3.DatabaseError as error:
        raise click.ClickException(printable(_unstorable(error))) from None
    except OSError as error:
        if error.errno == errno.EPIPE:  # whoever reads the output has gone; click knows what to do
            raise
        raise click.ClickException(printable(_unusable(error))) from None


@contextmanager
def _stopped_by_one_line() -> Iterator[None]:
    try:
        yield
    except BaseException as error:
        asked = behind(error)
        if asked is None:
            raise
        say(INTERRUPTED)
        raise click.exceptions.Exit(asked.exit_code) from None


def _unwritable(error: UnicodeEncodeError) -> str:
    shown = repr(error.object[max(0, error.start - 40) : error.end + 40])
    return (
        f"{shown} holds characters that {error.encoding} has no room for ({error.reason}). "
        "Choose a path or a text without them, or a terminal in UTF-8."
    )


def _unstorable(error: sqlite3.DatabaseError) -> str:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF
    if code == sqlite3.SQLITE_BUSY:
        return (
            "The workspace file is locked by another program, and nothing was stored. "
            "Try again when that is done."
        )
    hint = _WHERE_TO_LOOK if code == sqlite3.SQLITE_IOERR else ""
    return f"A database could not be read or written: {error}. Nothing half written is kept.{hint}"


def _unusable(error: OSError) -> str:
    named = error.filename2 or error.filename
    cause = os.strerror(error.errno) if error.errno else str(error)
    hint = _WHERE_TO_LOOK if error.errno == errno.EIO else ""
    return f"{named or 'The output, or a file,'} could not be read or written: {cause}.{hint}"
