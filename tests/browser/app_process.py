"""The app as a process of its own, and a line to it that can be cut."""

import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from labeler.workspace.workspace import Workspace

ROOT = Path(__file__).parents[2]
MAIN = ROOT / "labeler" / "app" / "main.py"
START_SECONDS = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def app_environment(home: Path) -> dict[str, str]:
    """An environment in which only this clone is found, with a home of its own."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("STREAMLIT_", "ONECAUSE_"))}
    return {**kept, "HOME": str(home), "PYTHONPATH": str(ROOT)}


class App:
    """
    A running app. It can be killed and started again on the same port.

    With `serve`, options of `labeler serve`, it is started by that command.
    """

    def __init__(
        self,
        workspace: Workspace,
        *,
        home: Path,
        module: str = "streamlit",
        more: Mapping[str, str] | None = None,
        serve: Sequence[str] | None = None,
    ) -> None:
        self.workspace, self.work, self.serve = workspace, workspace.path, serve
        self.home, self.module, self.port = home, module, free_port()
        self.environment = {**app_environment(home), **(more or {})}
        self.start()

    @property
    def address(self) -> str:
        return f"http://localhost:{self.port}"

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.command(),
            cwd=self.home,
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until_healthy(self.port, self.process)

    def command(self) -> list[str]:
        """As Streamlit's own command, or with options as `labeler serve`."""
        if self.serve is not None:
            served = ["serve", str(self.work), "--port", str(self.port), "--headless", *self.serve]
            return [sys.executable, "-c", "from labeler.cli.main import main; main()", *served]
        options = ["--server.port", str(self.port), "--server.headless", "true"]
        return [
            *(sys.executable, "-m", self.module, "run", str(MAIN)),
            *(*options, "--", str(self.work)),
        ]

    def kill(self) -> None:
        """End it as a power cut would: nothing is tidied up."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def cpu_seconds(self) -> float:
        """Processor time of the process so far, user and system (Linux)."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_healthy(port: int, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, f"the app ended with {process.returncode}"
        with suppress(OSError):
            address = f"http://localhost:{port}/_stcore/health"
            with urllib.request.urlopen(address, timeout=5) as answer:
                if answer.status == 200:
                    return
        time.sleep(0.1)
    raise AssertionError(f"nothing answered on port {port} in {START_SECONDS} s")


class Line:
    """
    A TCP line to a port of this machine that can be cut and mended.

    With a header, it is a proxy that states it in the first request of each connection.
    `carried` counts the bytes both ways.
    """

    def __init__(self, target_port: int, *, header: str = "") -> None:
        self.target_port, self.whole, self.header = target_port, True, header
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])
        self.ends: list[socket.socket] = []
        self.carried = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        self.whole = False
        for end in self.ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self.ends.clear()

    def mend(self) -> None:
        self.whole = True

    def close(self) -> None:
        self.cut()
        self.listener.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            if not self.whole:
                near.close()
                continue
            try:
                far = socket.create_connection(("localhost", self.target_port))
            except OSError:
                near.close()
                continue
            self.ends += [near, far]
            threading.Thread(target=self._carry, args=(near, far), daemon=True).start()

    def _carry(self, near: socket.socket, far: socket.socket) -> None:
        other, header = {near: far, far: near}, self.header
        with near, far, suppress(OSError, ValueError):
            while True:
                for end in select.select([near, far], [], [])[0]:
                    data = end.recv(65536)
                    if not data:
                        return
                    if header and end is near:
                        data, header = data.replace(b"\r\n", f"\r\n{header}\r\n".encode(), 1), ""
                    self.carried += len(data)
                    other[end].sendall(data)
