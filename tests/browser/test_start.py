"""Starting the app as a newcomer does: an empty home, any folder, a terminal."""

import os
import pty
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from labeler.workspace.workspace import Workspace
from tests.browser.app_process import MAIN, App, app_environment, free_port, wait_until_healthy


class Terminal:
    """The app at a terminal, with what it has printed there so far."""

    def __init__(self, home: Path, work: Path) -> None:
        self.port, self.printed = free_port(), b""
        self.master, slave = pty.openpty()
        # A desktop: with a browser to open, Streamlit would ask for an e-mail address.
        desktop = {"STREAMLIT_SERVER_HEADLESS": "false", "BROWSER": "true", "DISPLAY": ":99"}
        command = [sys.executable, "-m", "streamlit", "run", str(MAIN)]
        self.process = subprocess.Popen(
            [*command, "--server.port", str(self.port), "--", str(work)],
            cwd=home,
            env={**app_environment(home), **desktop},
            stdin=slave,
            stdout=slave,
            stderr=slave,
        )
        os.close(slave)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        while True:
            try:
                self.printed += os.read(self.master, 4096)
            except OSError:
                return

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.fixture
def terminal(tmp_path: Path, workspace: Workspace) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path, workspace.path)
    wait_until_healthy(terminal.port, terminal.process)
    yield terminal
    terminal.close()


def test_nothing_is_asked_and_the_page_answers(
    terminal: Terminal, open_page: Callable[..., Page]
) -> None:
    """At a terminal with an empty home no prompt appears, and the queue comes up."""
    page = open_page()
    page.goto(f"http://localhost:{terminal.port}")
    expect(page.get_by_role("heading", name="Who is judging?")).to_be_visible()
    assert b"mail" not in terminal.printed
    assert b"statistics" not in terminal.printed
    assert listening_addresses(terminal.port) <= {"0100007F", "00000000000000000000000001000000"}


def test_each_tab_says_what_is_in_it(app: App, open_page: Callable[..., Page]) -> None:
    """The query first, or the page with what is left, and then the workspace."""
    page = open_page()
    page.goto(f"{app.address}/freeze")
    expect(page).to_have_title("Freeze – test")
    page.goto(f"{app.address}/judge?q=q2")
    expect(page).to_have_title("Judge – test")
    page.get_by_role("textbox").fill("Tabs")
    page.get_by_role("textbox").press("Enter")
    expect(page).to_have_title("how much warning before leave 2 – Judge – test")
    page.get_by_role("button", name="Go on to the texts").click()
    page.get_by_role("link", name="Queue").click()
    expect(page).to_have_title("Queue (3) – test")
    page.get_by_role("button", name="Study").click()
    page.get_by_role("menuitem", name="Flips").click()
    expect(page).to_have_title("Flips – test")
    page.goto(f"{app.address}/queue")
    expect(page).to_have_title("Queue (3) – test")
    expect(page.get_by_text("Page not found")).to_have_count(0)


def listening_addresses(port: int) -> set[str]:
    """The addresses a port listens on, as Linux writes them; nothing where there is no /proc."""
    rows = [
        line.split()
        for table in ("tcp", "tcp6")
        if (path := Path("/proc/net") / table).exists()
        for line in path.read_text().splitlines()[1:]
    ]
    local = [row[1].split(":") for row in rows if row[3] == "0A"]
    return {address for address, hexadecimal in local if int(hexadecimal, 16) == port}
