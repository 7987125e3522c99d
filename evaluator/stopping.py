"""
How a command ends when it is asked to: by Ctrl-C, by `kill`, by a terminal that is closed.

While it is loaded and once it is over, one line is said and the process ends. In between,
`Stopped` is raised, so that what is half made is tidied up; whoever asks twice does not
wait for that. Loaded before anything else, so it loads next to nothing.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

INTERRUPTED = "Interrupted. Nothing half made is left; what was stored before is kept."
_ASKED = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class Stopped(KeyboardInterrupt):
    """Somebody asked this process to end; the number is the signal's."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__(number)
        self.exit_code = 128 + number  # as shells have it


def leave_when_asked() -> None:
    """From now on the process ends at once, with one line instead of a traceback."""
    _when_asked(_leave)


def behind(error: BaseException) -> Stopped | None:
    """What an error was made of, where an import was interrupted: some of Python makes another."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, KeyboardInterrupt):
        found = found.__cause__ or found.__context__
    return Stopped() if found is not None and not isinstance(found, Stopped) else found


@contextmanager
def tidy_when_asked() -> Iterator[None]:
    """In the block, the first who asks the process to end makes it raise `Stopped`."""
    before = _when_asked(_raise)
    try:
        yield
    finally:
        for number, act in before.items():
            signal.signal(number, act)


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
