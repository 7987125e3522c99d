"""How the app is started, and on what it may listen."""

import socket
import sys
from pathlib import Path

import pytest

from evaluator import InputError
from labeler.serve import app_command, app_environment, check_address


def test_the_command_line_forbids_what_the_app_must_not_do() -> None:
    """This machine only, no e-mail prompt, no usage statistics, no browser unless asked."""
    command = app_command(Path("w"), host="localhost", port=8600, open_browser=False)
    options = dict(zip(command[5:-2:2], command[6:-2:2], strict=True))
    assert [sys.executable, "-m", "streamlit", "run"] == command[:4]
    assert {
        "--server.address": "localhost",
        "--server.port": "8600",
        "--server.headless": "true",
        "--server.showEmailPrompt": "false",
        "--browser.gatherUsageStats": "false",
    }.items() <= options.items()
    assert ["--", str(Path("w").resolve())] == command[-2:]


def test_settings_of_the_user_do_not_reach_the_app() -> None:
    """An address in the environment would win over ours."""
    environment = app_environment(
        {"STREAMLIT_SERVER_ADDRESS": "0.0.0.0", "PATH": "/bin"}, work=Path("w")
    )
    assert {"PATH": "/bin", "ONECAUSE_WORK": str(Path("w").resolve())} == environment


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.7", "example.com", ""])
def test_another_host_is_refused(host: str) -> None:
    """Without sign-in anybody could judge under any name."""
    with pytest.raises(InputError, match="no sign-in yet"):
        check_address(host, 8600)


def test_a_taken_port_is_said() -> None:
    """With the next one to try."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"Port {port} .* --port {(port + 1) % 65536}"):
            check_address("127.0.0.1", port)
    check_address("127.0.0.1", port)


def test_a_port_that_is_none_is_refused() -> None:
    """Ports end at 65535."""
    with pytest.raises(InputError, match="Port 70000"):
        check_address("localhost", 70000)
