"""
Makes the pictures of README from the demo: `python -m tests.browser.pictures`.

They show the desk, the page that freezes, and a report, as the app has them now.
"""

import shutil
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from labeler.demo.demo import make_demo
from labeler.workspace.workspace import Workspace
from tests.browser.app_process import ROOT, App
from tests.browser.conftest import FLAGS

FOLDER = ROOT / "data" / "guide" / "pictures"


def take(page: Page, app: App, workspace: Workspace) -> None:
    """The three pages, each once it is whole."""
    open_queries = [row.query_id for row in workspace.progress() if not row.ended_by]
    page.goto(f"{app.address}/judge?q={open_queries[0]}")
    page.get_by_role("textbox", name="Your name").fill("Ada")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Skip the practice").click()
    page.get_by_role("button", name="Go on to the texts").click()
    expect(page.get_by_role("radio").first).to_be_visible()
    page.keyboard.press("0")
    page.wait_for_timeout(1000)
    page.screenshot(path=FOLDER / "desk.png")
    page.goto(f"{app.address}/freeze")
    expect(page.get_by_role("heading", name="Freeze a label set")).to_be_visible()
    page.wait_for_timeout(1000)
    page.screenshot(path=FOLDER / "freeze.png")
    page.goto(f"{app.address}/report")
    expect(page.frame_locator("iframe").get_by_text("Success@5").first).to_be_visible()
    page.wait_for_timeout(1000)
    page.screenshot(path=FOLDER / "report.png")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        work = Path(home) / "onecause-demo"
        for _ in make_demo(work, clock=lambda: datetime.now(UTC)):
            pass
        workspace = Workspace.open(work)
        app = App(workspace, home=Path(home))
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=list(FLAGS)
        )
        try:
            take(browser.new_page(viewport={"width": 1280, "height": 760}), app, workspace)
        finally:
            browser.close()
            app.kill()


if __name__ == "__main__":
    main()
