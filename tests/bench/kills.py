"""
Killing the server while a page grades: what was shown as saved must be in the store.

A page in headless Chromium grades by keys without a pause. The server is killed with SIGKILL
at a random moment, what the page shows as saved is compared with the file, and the server
is started again on the same port; at the end everything given must be there.
"""

import os
import random
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from labeler.workspace.connection import FILE
from labeler.workspace.workspace import Workspace
from tests.bench.goals import Goal, at_most
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


def goals(quick: bool) -> Iterator[Goal]:
    """Nothing that was shown as saved is lost, nothing is doubled, and the file is sound."""
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
        kills = range(5 if quick else 20)
        lost = sum(one_kill(desk, app, work, chance, number) for number in kills)
        doubled = after_all(page, work)
        app.kill()
        browser.close()
        with sqlite3.connect(work.path / FILE) as db:
            (sound,) = db.execute("PRAGMA integrity_check").fetchone()
    yield at_most("shown as saved and not in the store", 0, lost)
    yield at_most("missing or doubled at the end", 0, doubled)
    yield Goal("the file is sound", "ok", str(sound), sound == "ok")


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


def after_all(page: Page, work: Workspace) -> int:
    """Once all is saved: how many of the events that the page made are there twice or not."""
    until(page, lambda: page.locator(".saved").inner_text() == "Saved", what="the rest")
    made: list[str] = page.evaluate("() => made")
    stored = [event.event_id for event in events_of(work, "q1", NAME)]
    return len(stored) - len(set(stored)) + len(set(made) - set(stored))
