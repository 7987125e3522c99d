"""
Files and folders that appear whole or not at all, and the digest of a file on disk.

Whatever is written is made beside its place and renamed, so that an interruption leaves nothing
half made under a name that somebody reads. What is in a file is not known here.
"""

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evaluator import InputError


def require_new(place: Path) -> None:
    """Refuse, before any work is done for it, a place that is taken or cannot be written."""
    if os.path.lexists(place):
        raise InputError(f"{place} exists already and is not overwritten. Choose another name.")
    require_writable(place)


def require_writable(place: Path) -> None:
    """
    Refuse, before any work is done for it, a place that cannot be written.

    What is asked is the folder that exists nearest above it; nothing is made there yet.
    """
    above = next(folder for folder in place.absolute().parents if os.path.lexists(folder))
    if not above.is_dir():
        raise InputError(f"{place} cannot be written: {above} is no folder. Choose another place.")
    if not os.access(above, os.W_OK | os.X_OK):
        raise InputError(
            f"{place} cannot be written: {above} takes no new files. Choose another place."
        )
    try:
        _aside(place).lstat()
    except FileNotFoundError:
        pass
    except OSError as error:
        cause = os.strerror(error.errno or 0)
        raise InputError(f"{place} cannot be written: {cause}. Choose another place.") from None


@contextmanager
def made_aside(place: Path) -> Iterator[Path]:
    """
    A free path beside `place`, to make a file or folder at and rename it once it is whole.

    What is still there at the end is deleted. Errors of writing name `place`: the path beside
    it is gone when anybody reads them, and some libraries name no file at all.
    """
    aside = _aside(place)
    aside.parent.mkdir(parents=True, exist_ok=True)
    try:
        yield aside
    except OSError as error:
        inside = error.filename is None or str(error.filename).startswith(str(aside))
        if error.errno is None or not inside:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(place)) from error
    finally:
        if aside.is_dir():
            shutil.rmtree(aside, ignore_errors=True)
        else:
            aside.unlink(missing_ok=True)


def _aside(place: Path) -> Path:
    """A name beside a place that nothing has."""
    return place.absolute().with_name(f".{place.absolute().name}.{secrets.token_hex(4)}.part")


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
