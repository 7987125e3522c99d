"""
A time-stamp token for a frozen label set, from an authority or from a file.

The token is kept beside the set, never in it. An authority gets the digest of the manifest
and nothing else. What was got is compared with the manifest before it is kept; whether the
authority is to be believed is for whoever has its root certificates.
"""

import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from evaluator import InputError
from evaluator.files.whole import flush, made_aside
from evaluator.labelset.format import MANIFEST, LabelSetError, utc_text, verify
from evaluator.order.timestamps import (
    MOST_BYTES,
    Token,
    read_token,
    request_for,
    token_bytes,
    token_number,
    token_path,
    token_paths,
)

_SECONDS = 30
_SKEW_SECONDS = 60
_HINT = "Ask again, ask another authority, or get a token by other means and give it with --token."


@dataclass(frozen=True, slots=True)
class Kept:
    """A token that lies beside the label set now, and what to know of it."""

    path: Path
    token: Token
    notes: tuple[str, ...]


def ask_authority(labels: Path, url: str, *, clock: Callable[[], datetime]) -> Kept:
    """
    Have an authority stamp the manifest, and keep its answer.

    Raises InputError where the address, the authority or its answer cannot be used.
    """
    manifest = _sound_manifest(labels)
    request, nonce = request_for(manifest)
    answer = _post(url, request)
    token = _token_over(manifest, answer, f"The answer of {url}")
    if token.nonce != nonce:
        raise InputError(
            f"The answer of {url} belongs to another request (its nonce differs). {_HINT}"
        )
    return _kept(labels, answer, token, _skew(token.at, clock()))


def keep_token(labels: Path, file: Path) -> Kept:
    """Keep a token that was got by other means; InputError where it is not over this set."""
    manifest = _sound_manifest(labels)
    try:
        data = token_bytes(file)
    except (FileNotFoundError, ValueError):
        raise InputError(f"There is no token file {file}.") from None
    token = _token_over(manifest, data, str(file))
    return _kept(labels, data, token, ())


def _sound_manifest(labels: Path) -> bytes:
    if problems := verify(labels):
        listed = "\n".join(f"- {problem}" for problem in problems[:5])
        raise LabelSetError(f"{labels} is no sound label set, so nothing was stamped:\n{listed}")
    return (labels / MANIFEST).read_bytes()


def _token_over(manifest: bytes, data: bytes, source: str) -> Token:
    try:
        token = read_token(data)
    except ValueError as error:
        raise InputError(f"{source} holds no time stamp: {error}. Nothing was kept.") from None
    if (other := token.why_not_of(manifest)) is not None:
        raise InputError(
            f"{source} is no stamp of this label set: {other}. Nothing was kept. "
            f"Stamp {MANIFEST} itself, byte for byte."
        )
    return token


def _post(url: str, request: bytes) -> bytes:
    if not url.startswith(("http://", "https://")):
        raise InputError(
            f"{url!r} is no address of an authority. Give one with http:// or https://."
        )
    try:
        query = urllib.request.Request(
            url,
            data=request,
            headers={
                "Content-Type": "application/timestamp-query",
                "Accept": "application/timestamp-reply",
            },
        )
        with urllib.request.urlopen(query, timeout=_SECONDS) as answer:
            found = answer.read(MOST_BYTES + 1)
    except urllib.error.HTTPError as error:
        with error:
            raise InputError(f"{url} answered {error.code} {error.reason}. {_HINT}") from None
    except urllib.error.URLError as error:
        raise InputError(f"{url} cannot be reached: {error.reason}. {_HINT}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise InputError(f"{url} gave no usable answer: {error}. {_HINT}") from None
    if len(found) > MOST_BYTES:
        raise InputError(f"{url} answered with more than {MOST_BYTES:,} bytes. {_HINT}")
    return bytes(found)


def _kept(labels: Path, data: bytes, token: Token, notes: tuple[str, ...]) -> Kept:
    """Write the token under the next free number; one that is there already is not repeated."""
    present = token_paths(labels)
    for path in present:
        if path.is_file() and path.read_bytes() == data:
            return Kept(path, token, (*notes, "This token was kept here before."))
    number = 1 + (token_number(present[-1].name) if present else 0)
    with made_aside(token_path(labels, number)) as aside:
        aside.write_bytes(data)
        flush(aside)
        aside.chmod(0o444)
        while True:  # a link never replaces a file, so two commands at once get two numbers
            path = token_path(labels, number)
            try:
                os.link(aside, path)
                return Kept(path, token, notes)
            except FileExistsError:
                number += 1


def _skew(stamped: datetime, now: datetime) -> tuple[str, ...]:
    seconds = (now - stamped).total_seconds()
    if abs(seconds) <= _SKEW_SECONDS:
        return ()
    side = "ahead of" if seconds > 0 else "behind"
    return (
        f"This machine's clock is {abs(seconds):,.0f} s {side} the authority's "
        f"({utc_text(now)} here, {utc_text(stamped)} there).",
    )
