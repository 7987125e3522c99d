"""
How people sign in to the app when it listens beyond this machine: a provider or a proxy.

It checks what an administrator configured before the app starts, since afterwards it would
show as a page that nobody can enter, or worse as one that everybody can. Who may do what
stands on the workspace's own list.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from evaluator import InputError

SECRETS = "secrets.toml"
THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
KEYS = ("cookie_secret", "client_id", "client_secret", "server_metadata_url", "redirect_uri")
CALLBACK = "/oauth2callback"  # Streamlit answers the provider there and nowhere else
_SHORTEST_SECRET = 32
_HEADER = re.compile(r"[A-Za-z0-9-]+")


@dataclass(frozen=True, slots=True)
class SignIn:
    """
    One way to sign in: `provider` by OpenID Connect, or `proxy` by a header it sets.

    `secrets` and the `origin` that browsers see, in which `{port}` stands for the app's
    port, belong to the one, `header` to the other.
    """

    way: Literal["provider", "proxy"]
    secrets: Path | None = None
    origin: str | None = None
    header: str | None = None


def find_sign_in(work: Path, *, secrets: Path | None, trusted_header: str | None) -> SignIn | None:
    """
    How people are to sign in, or None where nothing says so.

    A secrets file that lies in the workspace counts as if it had been named. Raises
    InputError for two ways at once, and for one that cannot work.
    """
    if trusted_header is not None:
        if secrets is not None:
            raise InputError(
                "--secrets and --trusted-header are two ways to sign in. Give one of them."
            )
        if not _HEADER.fullmatch(trusted_header):
            raise InputError(
                f"{trusted_header!r} is no name of a header. Expected something like "
                "X-Forwarded-Email: letters, digits and hyphens."
            )
        return SignIn("proxy", header=trusted_header)
    path = secrets if secrets is not None else work / SECRETS
    if secrets is None and not path.exists():
        return None
    return SignIn("provider", secrets=path.resolve(), origin=_checked_origin(path))


def _checked_origin(path: Path) -> str:
    """The origin of the redirect address in a secrets file that has all that is needed."""
    auth = _read(path).get("auth")
    if not isinstance(auth, Mapping):
        raise InputError(f"{path} has no table [auth]. {_example()}")
    missing = [key for key in KEYS if not isinstance(auth.get(key), str) or not auth[key].strip()]
    if missing:
        raise InputError(f"{path}: [auth] lacks {', '.join(missing)}. {_example()}")
    if len(auth["cookie_secret"]) < _SHORTEST_SECRET:
        raise InputError(
            f"{path}: cookie_secret has {len(auth['cookie_secret'])} characters. Whoever guesses "
            f"it can judge under any name; give at least {_SHORTEST_SECRET} random ones, made "
            'with: python -c "import secrets; print(secrets.token_hex(32))"'
        )
    _check_metadata(path, auth["server_metadata_url"])
    address = urlsplit(auth["redirect_uri"])
    if address.scheme not in ("http", "https") or not address.netloc or address.path != CALLBACK:
        raise InputError(
            f"{path}: redirect_uri is {auth['redirect_uri']!r}. Expected the address that browsers "
            f"use for this app, with {CALLBACK} after it: https://labels.example.com{CALLBACK}"
        )
    if find_spec("authlib") is None:
        raise InputError(
            "Signing in with a provider needs the package Authlib. "
            "Install it with: pip install 'streamlit[auth]'"
        )
    return f"{address.scheme}://{address.netloc}"


def _check_metadata(path: Path, given: str) -> None:
    """Keys that come over plain http could be anybody's, except on this machine."""
    address = urlsplit(given)
    local = address.scheme == "http" and address.hostname in THIS_MACHINE
    if not address.netloc or (address.scheme != "https" and not local):
        raise InputError(
            f"{path}: server_metadata_url is {given!r}. Expected the provider's https address "
            "that ends in /.well-known/openid-configuration"
        )


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is no TOML: {error}.") from None


def _example() -> str:
    lines = "\n".join(f'  {key} = "..."' for key in KEYS)
    return f"Expected:\n\n  [auth]\n{lines}"
