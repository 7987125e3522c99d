"""
What a grade costs: `python -m tests.browser.measure`.

Drives the desk in headless Chromium, fifty grades a round, one after the other: from the
trusted key event to after COMMIT and to the next painted frame, processor time of the server,
bytes of the messages, and from the navigation to the first card. A round of its own goes
through a line that counts what is really on it, compressed and framed. Quiet machine or not,
processor time and bytes hardly depend on it; milliseconds do.
"""

import os
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.browser.app_process import App, Line
from tests.browser.conftest import FLAGS
from tests.browser.desk_page import DeskPage
from tests.browser.materials import make_workspace, some_queries

ROUNDS, GRADES = 3, 50
WATCH = """
window.keyTimes = [];
const note = (event) => keyTimes.push(performance.timeOrigin + event.timeStamp);
document.addEventListener("keydown", note, true);
window.paints = [];
new PerformanceObserver((list) => {
  for (const each of list.getEntries()) if (each.name === "keydown") paints.push(each.duration);
}).observe({ type: "event", durationThreshold: 16 });
const look = () => {
  const hosts = document.querySelectorAll("[data-testid=stBidiComponentIsolated]");
  const there = [...hosts].some((host) => host.shadowRoot?.querySelector(".card.active"));
  if (there) window.readyAt = performance.now();
  else requestAnimationFrame(look);
};
look();
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home, log = Path(folder), Path(folder) / "stored.txt"
        texts = [(f"Text {at}. " + "words and more words " * 80)[:1500] for at in range(50)]
        work = make_workspace(home / "w", queries=some_queries(ROUNDS + 1), texts=texts)
        app = App(
            work.path,
            home=home,
            module="tests.browser.measured",
            more={"ONECAUSE_MEASURE": str(log)},
        )
        path = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        page = browser.new_page()
        page.add_init_script(WATCH)
        results = [one_round(page, app, f"q{at + 1}", log) for at in range(ROUNDS)]
        for name in results[0]:
            print(f"{name:32} {statistics.median(r[name] for r in results):10.1f}")
        print(f"{'bytes on the line, a grade':32} {bytes_on_a_line(page, app):10.1f}")
        app.kill()
        browser.close()


def one_round(page: Page, app: App, query_id: str, log: Path) -> dict[str, float]:
    """Fifty paced grades on one query."""
    frames: list[tuple[str, int]] = []
    page.on("websocket", lambda socket: _count(socket, frames))
    desk = DeskPage(page, app.address, query_id)
    desk.open(as_new="Measurer" if query_id == "q1" else None)
    ready = page.evaluate("() => readyAt")
    page.wait_for_timeout(500)
    before, cpu = len(_lines(log)), app.cpu_seconds()
    frames.clear()
    page.evaluate("() => [keyTimes.splice(0), paints.splice(0)]")
    grade(desk)
    stored = [int(line.split()[0]) / 1e6 for line in _lines(log)[before:]]
    pressed = page.evaluate("() => keyTimes")
    waits = sorted(done - key for done, key in zip(stored, pressed, strict=True))
    paints = sorted(page.evaluate("() => paints"))
    return {
        "key to committed, p50 ms": waits[len(waits) // 2],
        "key to committed, p95 ms": waits[int(len(waits) * 0.95)],
        "key to next paint, p50 ms": paints[len(paints) // 2] if paints else 0,
        "server CPU, ms a grade": (app.cpu_seconds() - cpu) * 1000 / GRADES,
        "bytes in, a grade": sum(n for way, n in frames if way == "in") / GRADES,
        "bytes out, a grade": sum(n for way, n in frames if way == "out") / GRADES,
        "page ready, ms": ready,
    }


def grade(desk: DeskPage) -> None:
    for at in range(GRADES):
        desk.press(str(at % 4))
        desk.expect_saved()
        desk.page.wait_for_timeout(100)


def bytes_on_a_line(page: Page, app: App) -> float:
    """All that a grade sends over TCP, both ways."""
    line = Line(app.port)
    desk = DeskPage(page, f"http://localhost:{line.port}", f"q{ROUNDS + 1}")
    desk.open()
    page.wait_for_timeout(2000)
    before = line.carried
    grade(desk)
    carried = line.carried - before
    line.close()
    return carried / GRADES


def _count(socket: Any, frames: list[tuple[str, int]]) -> None:
    socket.on("framereceived", lambda frame: frames.append(("in", len(frame))))
    socket.on("framesent", lambda frame: frames.append(("out", len(frame))))


def _lines(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


if __name__ == "__main__":
    started = time.monotonic()
    main()
    print(f"{'took, s':32} {time.monotonic() - started:10.1f}")
