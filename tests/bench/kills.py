"""
Killing the server while a page grades: what was shown as saved must be in the store.

A page in headless Chromium grades by keys without a pause. The server is killed with SIGKILL
at a random moment, what the page shows as saved is compared with the file, and the server
is started again on the same port; at the end everything given must be there. Run from the
repository root:

    python -m tests.bench.kills [--kills 20] [--quick]

Exits with 1 when anything that was shown as saved is not in the store.
"""

import argparse
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from labeler.workspace.connection import FILE
from labeler.workspace.workspace import Workspace
from tests.bench.goals import Goal, report
from tests.browser.app_process import App
from tests.browser.conftest import FLAGS
from tests.browser.desk_page import DeskPage, until
from tests.browser.materials import events_of, make_workspace, some_queries

NAME, CHUNKS, SEED = "Survivor", 50, 7
KEYS_BEFORE, KEYS_AFTER = (3, 14), 2
# Every event that the page makes, and those that it takes for saved, are noted as they happen.
WATCH = """
window.made = []; window.kept = [];
const set = Storage.prototype.setItem, drop = Storage.prototype.removeItem;
Storage.prototype.setItem = function (key, value) {
  if (key.includes("/event/")) made.push(JSON.parse(value).event.id);
  return set.call(this, key, value);
};
Storage.prototype.removeItem = function (key) {
  if (key.includes("/event/")) kept.push(key.split("/event/")[1]);
  return drop.call(this, key);
};
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[1])
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--quick", action="store_true", help="Five kills.")
    options = parser.parse_args()
    kills = 5 if options.quick else options.kills
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder)
        work = make_workspace(home / "w", queries=some_queries(1))
        app = App(work.path, home=home)
        path = os.environ.get("CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        page = browser.new_page()
        page.add_init_script(WATCH)
        desk = DeskPage(page, app.address, "q1")
        desk.open(as_new=NAME)
        chance = random.Random(SEED)
        lost = [one_kill(desk, app, work, chance, number) for number in range(kills)]
        made, doubled = after_all(page, work)
        app.kill()
        browser.close()
        return told(work, lost, made, doubled)


def one_kill(desk: DeskPage, app: App, work: Workspace, chance: random.Random, number: int) -> int:
    """Grade, kill in the middle, grade on, start again; how many saved ones are not stored."""
    page = desk.page
    until(page, lambda: desk.page.locator(".saved").inner_text() == "Saved", what="the server")
    before = len(page.evaluate("() => kept"))
    for _ in range(chance.randint(*KEYS_BEFORE)):
        press(desk, number)
        page.wait_for_timeout(chance.randint(5, 60))
    app.kill()
    kept = set(page.evaluate("() => kept"))
    for _ in range(KEYS_AFTER):
        press(desk, number)
    stored = {event.event_id for event in events_of(work, "q1", NAME)}
    open_now = len(page.evaluate("() => made")) - len(kept)
    print(
        f"kill {number + 1:2}: {len(kept) - before:2} more shown as saved, "
        f"{open_now:2} not yet, {len(kept - stored)} of the saved not in the store",
        flush=True,
    )
    app.start()
    return len(kept - stored)


def press(desk: DeskPage, number: int) -> None:
    """One grade on whatever chunk is active; at the end of the list back to its top."""
    if desk.position == CHUNKS - 1:
        desk.press("k" * (CHUNKS - 1))
    desk.press(str(number % 4))
    if desk.page.locator(".card.judged").count() == CHUNKS:
        desk.press("j")


def after_all(page: Page, work: Workspace) -> tuple[int, int]:
    """Once all is saved: how many events the page made, and how many are there twice or not."""
    until(page, lambda: page.locator(".saved").inner_text() == "Saved", what="the rest")
    made: list[str] = page.evaluate("() => made")
    stored = [event.event_id for event in events_of(work, "q1", NAME)]
    missing = set(made) - set(stored)
    return len(made), len(stored) - len(set(stored)) + len(missing)


def told(work: Workspace, lost: list[int], made: int, doubled: int) -> int:
    with sqlite3.connect(work.path / FILE) as db:
        (sound,) = db.execute("PRAGMA integrity_check").fetchone()
    print(f"{len(lost)} kills, {made} grades, file: {sound}")
    return report(
        [
            Goal("shown as saved and not in the store", "0", str(sum(lost)), not sum(lost)),
            Goal("missing or doubled at the end", "0", str(doubled), not doubled),
            Goal("the file is sound", "ok", str(sound), sound == "ok"),
        ]
    )


if __name__ == "__main__":
    started = time.monotonic()
    code = main()
    print(f"took {time.monotonic() - started:.0f} s")
    sys.exit(code)
