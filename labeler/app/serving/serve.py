"""
The app as a process of its own: its command line, its address, and how people sign in.

On this machine anybody who reaches the port is trusted; any other host needs a sign-in, by a
provider or a proxy. What an administrator configured for it is checked before the app starts,
since afterwards it would show as a page that nobody can enter, or worse as one that everybody
can. Who may do what stands on the workspace's own list.

Streamlit is never imported here. What it must not do (ask for an e-mail address, listen
on every interface, send usage statistics) is set on the command line as well as in the
configuration beside the app, so that no other configuration can undo it.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from evaluator import InputError
from evaluator.console import say
from evaluator.files.whole import is_free

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


APP = Path(__file__).parents[1] / "main.py"
PORT = 8501
NEW_STUDY = "ONECAUSE_NEW_STUDY"  # tells the app that it makes the workspace
SIGN_IN = "ONECAUSE_SIGN_IN"  # tells the app which way its people sign in


def check_address(host: str, port: int | None, *, sign_in: SignIn | None = None) -> int:
    """
    The port at which the app may listen: this one, or where none was named the next free one.

    With a sign-in it is never another than was meant: a provider sends people back to it.

    Raises InputError for a port that is taken, and for a host where it may not listen. Without
    a way to sign in, other hosts are refused: whoever reaches the port could judge under any
    name.
    """
    if host not in THIS_MACHINE and sign_in is None:
        tunnel = port or PORT
        raise InputError(
            f"The app does not listen on {host!r} without a sign-in: anybody who reaches it "
            "could judge under any name. Either\n"
            "  name a file with the [auth] of an OpenID Connect provider: --secrets PATH, or "
            "WORK/secrets.toml;\n"
            "  or name the header in which a proxy in front of the app states who is there: "
            "--trusted-header X-Forwarded-Email. The proxy must take that header away from "
            "whoever sends it, and nobody may reach the port but through the proxy;\n"
            f"  or leave out --host, and use an SSH tunnel (ssh -L {tunnel}:localhost:{tunnel})."
        )
    if port is None:
        tried = range(PORT, PORT + (1 if sign_in else 100))
        port = next((each for each in tried if _refusal(host, each) is None), PORT)
        if port != PORT:
            say(f"Port {PORT} is taken, so the next free one is used.")
    if reason := _refusal(host, port):
        raise InputError(
            f"Port {port} of {host} cannot be used: {reason}. "
            f"Stop what listens there, or choose another: --port {(port + 1) % 65536}"
        )
    return port


def _refusal(host: str, port: int) -> str | None:
    """Why nothing can listen there; None where it can."""
    family = socket.AF_INET6 if host == "::1" else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        if os.name == "posix":  # as servers do: a port in its closing wait counts as free
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            return str(getattr(error, "strerror", None) or error)
    return None


def app_command(
    work: Path, *, host: str, port: int, open_browser: bool, sign_in: SignIn | None = None
) -> list[str]:
    """The command line that runs the app on one workspace."""
    options = {
        "server.address": host,
        "server.port": str(port),
        "server.headless": "false" if open_browser else "true",
        "server.showEmailPrompt": "false",
        "server.fileWatcherType": "none",
        "browser.gatherUsageStats": "false",
        "browser.serverAddress": host,
        **(_sign_in_options(sign_in, port) if sign_in else {}),
    }
    flags = [part for option, value in options.items() for part in (f"--{option}", value)]
    streamlit = [sys.executable, "-P", "-m", "labeler.app"]
    return [*streamlit, "run", str(APP), *flags, "--", str(work.resolve())]


def _sign_in_options(sign_in: SignIn, port: int) -> dict[str, str]:
    """Browsers may reach a provider's app under its public name only, whatever it listens on."""
    if sign_in.header:
        return {"server.trustedUserHeaders": json.dumps({sign_in.header: "email"})}
    origin = (sign_in.origin or "").replace("{port}", str(port))
    return {
        "secrets.files": str(sign_in.secrets),
        "server.corsAllowedOrigins": origin,
        "browser.serverAddress": urlsplit(origin).hostname or "",
    }


def app_environment(
    environment: Mapping[str, str], *, work: Path, sign_in: SignIn | None = None
) -> dict[str, str]:
    """The environment of the app: a user's own Streamlit settings do not reach it."""
    kept = {
        name: text
        for name, text in environment.items()
        if not name.startswith("STREAMLIT_") and name not in (SIGN_IN, NEW_STUDY)
    }
    added: dict[str, str] = {SIGN_IN: sign_in.way} if sign_in else {}
    if is_free(work) and not sign_in:
        added[NEW_STUDY] = "1"
    return {**kept, "ONECAUSE_WORK": str(work.resolve()), **added}


def run_app(
    work: Path, *, host: str, port: int, open_browser: bool, sign_in: SignIn | None = None
) -> int:
    """
    Run the app until it is stopped; returns its exit code.

    On POSIX the app takes this process's place, so that stopping or killing the command
    stops or kills the app and nothing keeps the port.
    """
    command = app_command(work, host=host, port=port, open_browser=open_browser, sign_in=sign_in)
    environment = app_environment(os.environ, work=work, sign_in=sign_in)
    if os.name == "posix":
        sys.stdout.flush()
        sys.stderr.flush()
        os.execve(command[0], command, environment)
    return subprocess.run(command, env=environment, check=False).returncode
