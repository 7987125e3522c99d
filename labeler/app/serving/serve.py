"""
The app as a process of its own: the command line that starts it, and its address.

On this machine anybody who reaches the port is trusted; any other host needs a sign-in.

Streamlit is never imported here. What it must not do (ask for an e-mail address, listen
on every interface, send usage statistics) is set on the command line as well as in the
configuration beside the app, so that no other configuration can undo it.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from evaluator import InputError
from evaluator.console import say
from labeler.app.serving.sign_in import THIS_MACHINE, SignIn

APP = Path(__file__).parents[1] / "main.py"
PORT = 8501
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
        if not name.startswith("STREAMLIT_") and name != SIGN_IN
    }
    added = {SIGN_IN: sign_in.way} if sign_in else {}
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
