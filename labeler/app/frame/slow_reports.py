"""
Reports that take long, kept between visits and sessions.

With 50,000 judgements a comparison takes a second in which the server has less time for those
who judge. So one that was quick is made anew after every change of the workspace; a slow one
is shown as it was a while ago, and says so.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import streamlit as st

from labeler.workspace.connection import FILE
from labeler.workspace.workspace import Workspace

QUICK_SECONDS = 0.3
T = TypeVar("T")
_Stamp = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Lately(Generic[T]):
    """A report, when it was made on the clock of `time.monotonic`, and what that took."""

    report: T
    stamp: _Stamp
    made_at: float
    seconds: float

    @property
    def minutes_ago(self) -> int:
        return int((time.monotonic() - self.made_at) // 60)


class _Kept:
    """One report of one workspace; whoever asks while it is being made waits for it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.last: Lately[Any] | None = None


@st.cache_resource(show_spinner=False)
def _kept(name: str, path: Path) -> _Kept:
    del name, path
    return _Kept()


def lately(
    name: str,
    workspace: Workspace,
    make: Callable[[], T],
    *,
    most_seconds: float,
    anew: bool = False,
) -> Lately[T]:
    """
    The report of that name, made now if it must be.

    It must when the workspace changed and the last one was quick or is older than
    `most_seconds`, or when it is asked for `anew`.
    """
    kept = _kept(name, workspace.path)
    with kept.lock:
        last, stamp = kept.last, changed_at(workspace)
        if last is not None and not anew:
            age = time.monotonic() - last.made_at
            if last.stamp == stamp or (last.seconds > QUICK_SECONDS and age < most_seconds):
                return last
        started = time.monotonic()
        report = make()
        made = Lately(report, stamp, started, time.monotonic() - started)
        kept.last = made
        return made


def changed_at(workspace: Workspace) -> _Stamp:
    """Times and sizes of the workspace's file and its log of writes: any commit changes them."""
    files = (workspace.path / f"{FILE}{ending}" for ending in ("", "-wal"))
    return tuple(
        (s.st_mtime_ns, s.st_size) for file in files if file.exists() and (s := file.stat())
    )
