"""
Files and folders that appear whole or not at all, and the digest of a file on disk.

Whatever is written is made beside its place and renamed, so that an interruption leaves nothing
half made under a name that somebody reads. What a killed process could not tidy up is deleted
by the next one that writes into that folder. What is in a file is not known here.
"""

import errno
import hashlib
import os
import re
import secrets
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from evaluator import InputError
from evaluator.labelset.format import MANIFEST, MEMBERS

_IN_THE_WAY = (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR)  # of what is renamed
_ASIDE = re.compile(r"\..+\.(?P<here>[0-9a-f]{8})-(?P<process>[0-9]+)-[0-9a-f]{8}\.part", re.DOTALL)


def require_new(place: Path) -> None:
    """Refuse, before any work is done for it, a place that is taken or cannot be written."""
    if os.path.lexists(place):
        raise _taken(place)
    require_writable(place)


def is_free(place: Path) -> bool:
    """Whether nothing is there yet, or an empty folder."""
    return not place.exists() or (place.is_dir() and not any(place.iterdir()))


def require_writable(place: Path) -> None:
    """
    Refuse, before any work is done for it, a place that cannot be written.

    What is asked is the folder that exists nearest above it; nothing is made there yet. Nor may
    it lie in a frozen label set, which is one no more with another file in it.
    """
    above = next(folder for folder in place.absolute().parents if os.path.lexists(folder))
    if not above.is_dir():
        raise InputError(f"{place} cannot be written: {above} is no folder. Choose another place.")
    if not os.access(above, os.W_OK | os.X_OK):
        raise InputError(
            f"{place} cannot be written: {above} takes no new files. Choose another place."
        )
    for folder in (above.resolve(), *above.resolve().parents):
        if all((folder / name).is_file() for name in (MANIFEST, *MEMBERS)):
            raise InputError(
                f"{place} cannot be written: it would break the frozen label set {folder}. "
                "Choose another place."
            )
    try:
        _aside(place).lstat()
    except FileNotFoundError:
        pass
    except OSError as error:
        cause = os.strerror(error.errno or 0)
        raise InputError(f"{place} cannot be written: {cause}. Choose another place.") from None


def _taken(place: Path) -> InputError:
    return InputError(f"{place} exists already and is not overwritten. Choose another name.")


@contextmanager
def made_aside(place: Path) -> Iterator[Path]:
    """
    A free path beside `place`, to make a file or folder at and rename it once it is whole.

    What is still there at the end is deleted, and so is what processes that are gone have left
    in this folder. Errors of writing name `place`: the path beside it is gone when anybody
    reads them, and some libraries name no file at all.
    """
    aside = _aside(place)
    aside.parent.mkdir(parents=True, exist_ok=True)
    for left in filter(_is_stale, half_made(aside.parent)):
        _delete(left)
    try:
        yield aside
    except OSError as error:
        if error.errno in _IN_THE_WAY and os.path.lexists(place):  # made by another meanwhile
            raise _taken(place) from None
        inside = error.filename is None or str(error.filename).startswith(str(aside))
        if error.errno is None or not inside:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(place)) from error
    finally:
        _delete(aside)


def half_made(folder: Path) -> list[Path]:
    """What is being made in a folder, or was when its process was killed, by name."""
    return sorted(path for path in folder.glob(".*.part") if _ASIDE.fullmatch(path.name))


def _aside(place: Path) -> Path:
    """A name beside a place that nothing has, and that says which process makes it."""
    place = place.absolute()
    return place.with_name(f".{place.name}.{_here()}-{os.getpid()}-{secrets.token_hex(4)}.part")


@cache
def _here() -> str:
    """This machine, and on Linux this space of process ids, of which containers have their own."""
    try:
        space = os.readlink("/proc/self/ns/pid")
    except OSError:
        space = ""
    return hashlib.sha256(f"{socket.gethostname()} {space}".encode()).hexdigest()[:8]


def _is_stale(path: Path) -> bool:
    """Whether a process of this machine was making it and is gone; else it is not ours to judge."""
    named = _ASIDE.fullmatch(path.name)
    if named is None or named["here"] != _here() or os.name != "posix":
        return False
    try:
        os.kill(int(named["process"]), 0)  # sends nothing, and fails where there is no process
    except ProcessLookupError:
        return True
    except (PermissionError, OverflowError):
        return False
    return False


def _delete(path: Path) -> None:
    """What cannot be deleted stays: that is no reason to fail, nor to tell of it."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def flush(path: Path) -> None:
    """Wait until the file, or the folder's list of names, is on disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def file_sha256(path: Path) -> str:
    """Hex SHA-256 of the bytes on disk, read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
