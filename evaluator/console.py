"""
What both console scripts share: text that cannot drive a terminal, errors without tracebacks, and
an end by one line when somebody asks for it, by Ctrl-C, by `kill`, or by closing the terminal.

Data goes to standard output, everything said to people to standard error. Texts from
corpora and logs may hold escape sequences or direction overrides; `printable` makes
them visible before a terminal sees them. While a command is loaded and once it is over, an
interruption ends the process. In between, `Stopped` is raised, so that what is half made is
tidied up; whoever asks twice does not wait for that.
"""

import errno
import json
import os
import signal
import sqlite3
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, Protocol, TypeVar

import click

from evaluator import InputError
from evaluator.labelset.format import LabelSetError

T = TypeVar("T")
FILE = click.Path(path_type=Path)
EVERY = "ONECAUSE_PROGRESS_SECONDS"  # between two lines of progress without a terminal
_A_MINUTE = 60.0
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Write the result as JSON.")
_KEPT = frozenset("\n\t\u200c\u200d")  # joiners belong to Persian words and to emoji
_WHERE_TO_LOOK = " See whether its disk is there, is not full and may be written to."
INTERRUPTED = "Interrupted. Nothing half made is left; what was stored before is kept."
_ASKED = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class Progress(Protocol):
    """Passes items through and shows how many are left."""

    def __call__(
        self, items: Iterable[T], /, *, label: str, total: int | None = None
    ) -> Iterator[T]: ...


class Stopped(KeyboardInterrupt):
    """Somebody asked this process to end; the number is the signal's."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__(number)
        self.exit_code = 128 + number  # as shells have it


def leave_when_asked() -> None:
    """From now on the process ends at once, with one line instead of a traceback."""
    _when_asked(_leave)


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


def write_result(text: str, value: Any, *, as_json: bool) -> None:
    """Write a result as lines for people, or the same for another program."""
    if as_json:
        write_json(value)
    else:
        click.echo(printable(text))


def progress(items: Iterable[T], *, label: str, total: int | None = None) -> Iterator[T]:
    """
    The same items, with a bar on standard error while they are taken.

    Where nobody watches a terminal, a line a minute says how far it is, or as often as `EVERY`
    in the environment says in seconds.
    """
    if sys.stderr.isatty():
        with click.progressbar(items, label=label, length=total, file=sys.stderr) as bar:
            yield from bar
        return
    every = float(os.environ.get(EVERY, _A_MINUTE))
    whole = len(items) if total is None and isinstance(items, Sized) else total
    begun = last = time.monotonic()
    for number, item in enumerate(items):
        now = time.monotonic()
        if number and now - last >= every:
            last = now
            say(_how_far(label, number, whole, max(now - begun, 0.001)))
        yield item


def _how_far(label: str, done: int, whole: int | None, seconds: float) -> str:
    """Such as `Encoding: 120 of 480 (25 %), 2.0 a second, about 3 min left`."""
    rate = f"{done / seconds:,.1f} a second"
    if not whole:
        return f"{label}: {done:,}, {rate}"
    left = seconds / done * max(0, whole - done)
    said = f"{left / 60:.0f} min" if left >= 90 else f"{left:.0f} s"
    return f"{label}: {done:,} of {whole:,} ({done * 100 // whole} %), {rate}, about {said} left"


class Commands(click.Group):
    """
    A group whose commands answer bad input with one message and exit code 1.

    Help lists them in the order of the work, below the headings that they were added under.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._by_heading: dict[str, tuple[click.Command, ...]] = {}

    def add(self, heading: str, *commands: click.Command) -> None:
        """Take commands in, to be listed below a heading."""
        self._by_heading[heading] = commands
        for command in commands:
            self.add_command(command)

    def list_commands(self, _: click.Context) -> list[str]:
        return list(self.commands)

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        longest = max(map(len, self.commands))
        room = formatter.width - 6 - longest
        for heading, commands in self._by_heading.items():
            with formatter.section(heading):
                formatter.write_dl(
                    [(str(c.name).ljust(longest), c.get_short_help_str(room)) for c in commands]
                )

    def invoke(self, ctx: click.Context) -> Any:
        with _readable_errors(), _stopped_by_one_line(), _tidy_when_asked():
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
        asked = _interruption(error)
        if asked is None:
            raise
        say(INTERRUPTED)
        raise click.exceptions.Exit(asked.exit_code) from None


@contextmanager
def _tidy_when_asked() -> Iterator[None]:
    """In the block, the first who asks the process to end makes it raise `Stopped`."""
    before = _when_asked(_raise)
    try:
        yield
    finally:
        for number, act in before.items():
            signal.signal(number, act)


def _interruption(error: BaseException) -> Stopped | None:
    """What an error was made of, where an import was interrupted: some of Python makes another."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, KeyboardInterrupt):
        found = found.__cause__ or found.__context__
    return Stopped() if found is not None and not isinstance(found, Stopped) else found


def _when_asked(act: Callable[[int, FrameType | None], None]) -> dict[int, Any]:
    """Let this be done from now on; what was done before, by signal."""
    before = {number: signal.getsignal(number) for number in _ASKED}
    heard = {n: was for n, was in before.items() if was not in (None, signal.SIG_IGN)}  # `nohup`
    for number in heard:
        signal.signal(number, act)
    return heard


def _leave(number: int, _: FrameType | None) -> None:
    with suppress(OSError):
        os.write(2, b"Interrupted.\n")
    os._exit(128 + number)


def _raise(number: int, _: FrameType | None) -> None:
    leave_when_asked()
    raise Stopped(number)


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
