"""How the app is started, and on what it may listen."""

import socket
import sys
from pathlib import Path

import pytest

from evaluator import InputError
from labeler.app.serving.serve import (
    NEW_STUDY,
    SIGN_IN,
    SignIn,
    app_command,
    app_environment,
    check_address,
)


def test_the_command_line_forbids_what_the_app_must_not_do() -> None:
    """This machine only, no e-mail prompt, no usage statistics, no browser unless asked."""
    command = app_command(Path("w"), host="localhost", port=8600, open_browser=False)
    options = dict(zip(command[6:-2:2], command[7:-2:2], strict=True))
    assert [sys.executable, "-P", "-m", "labeler.app", "run"] == command[:5]
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
    work = str(Path("w").resolve())
    assert {"PATH": "/bin", "ONECAUSE_WORK": work, NEW_STUDY: "1"} == environment


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.0.7", "example.com", ""])
def test_another_host_is_refused_without_a_sign_in(host: str) -> None:
    """Anybody could judge under any name; the message has the ways out."""
    with pytest.raises(InputError, match="without a sign-in") as refused:
        check_address(host, 8600)
    for way in ("--secrets PATH", "WORK/secrets.toml", "--trusted-header", "ssh -L 8600"):
        assert way in str(refused.value)


def test_a_sign_in_is_handed_to_the_app() -> None:
    """The secrets go by their file, the header by its name; both say which way people come."""
    provider = SignIn("provider", secrets=Path("/s.toml"), origin="https://labels.example.com:444")
    proxy = SignIn("proxy", header="X-Email")
    options = options_of(provider)
    assert "/s.toml" == options["--secrets.files"]
    assert "https://labels.example.com:444" == options["--server.corsAllowedOrigins"]
    assert "labels.example.com" == options["--browser.serverAddress"]
    assert '{"X-Email": "email"}' == options_of(proxy)["--server.trustedUserHeaders"]
    ways = [
        app_environment({SIGN_IN: "forged"}, work=Path("w"), sign_in=each).get(SIGN_IN)
        for each in (provider, proxy, None)
    ]
    assert ["provider", "proxy", None] == ways


def options_of(sign_in: SignIn) -> dict[str, str]:
    command = app_command(Path("w"), host="0.0.0.0", port=8600, open_browser=False, sign_in=sign_in)
    return dict(zip(command[6:-2:2], command[7:-2:2], strict=True))


def test_a_taken_port_is_said() -> None:
    """With the next one to try; ports end at 65535."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"Port {port} .* --port {(port + 1) % 65536}"):
            check_address("127.0.0.1", port)
    with pytest.raises(InputError, match="Port 70000"):
        check_address("localhost", 70000)
    check_address("127.0.0.1", port)


def test_where_no_port_was_named_the_next_free_one_is_used(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And said; with a sign-in, whose provider knows one address, it is refused as before."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        monkeypatch.setattr("labeler.app.serving.serve.PORT", port)
        assert port < check_address("127.0.0.1", None)
        assert f"Port {port} is taken" in capsys.readouterr().err
        with pytest.raises(InputError, match=f"Port {port}"):
            check_address("127.0.0.1", None, sign_in=SignIn("proxy", header="X"))
