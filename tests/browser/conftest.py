"""One browser and one app for all tests here; what breaks an app gets an app of its own."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from labeler.workspace.workspace import Workspace
from tests.browser.app_process import App
from tests.browser.desk_page import PATIENCE_SECONDS, DeskPage
from tests.browser.materials import make_workspace, some_queries

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of Chromium. Without one the tests here are skipped, or fail where it must be."""
    found = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if found:
        return found
    if os.environ.get("REQUIRE_BROWSER") == "1":
        pytest.fail("There is no Chromium. Install it with: make chromium")
    pytest.skip("There is no Chromium. Install it with: make chromium")


@pytest.fixture(scope="session")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE_SECONDS * 1000)
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def start_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., App]]:
    """Starts the app on a workspace, in an empty home outside the clone."""
    running: list[App] = []

    def start(work: Workspace, **how: Any) -> App:
        running.append(App(work, home=tmp_path_factory.mktemp("home"), **how))
        return running[-1]

    yield start
    for app in running:
        app.kill()


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Fifty chunks and a graded scale; each test judges under a name of its own."""
    return make_workspace(tmp_path_factory.mktemp("work") / "shared", queries=some_queries())


@pytest.fixture(scope="session")
def app(workspace: Workspace, start_app: Callable[..., App]) -> App:
    return start_app(workspace)


@pytest.fixture(scope="session")
def profile(browser: Browser) -> BrowserContext:
    """The profile that tests share, so that the app's own files are fetched only once."""
    return browser.new_context(viewport={"width": 1280, "height": 800})


@pytest.fixture
def open_page(browser: Browser, profile: BrowserContext) -> Iterator[Callable[..., Page]]:
    """
    Opens pages as a browser that was never here, and fails on any error in them.

    With options a page gets a profile of its own.
    """
    own: list[BrowserContext] = []
    pages: list[Page] = []
    errors: list[str] = []
    profile.clear_cookies()

    def open_page(**options: Any) -> Page:
        context = profile
        if options:
            own.append(browser.new_context(**options))
            context = own[-1]
        pages.append(context.new_page())
        pages[-1].on("pageerror", lambda error: errors.append(str(error)))
        return pages[-1]

    yield open_page
    for page in pages:
        page.close()
    for context in own:
        context.close()
    assert errors == []


@pytest.fixture
def open_desk(app: App, open_page: Callable[..., Page]) -> Callable[..., DeskPage]:
    """Opens the desk of a query under a name that nobody has used before."""

    def open_desk(
        query_id: str = "q1", *, assessor: str, address: str = "", **options: Any
    ) -> DeskPage:
        desk = DeskPage(open_page(**options), address or app.address, query_id)
        desk.open(as_new=assessor)
        return desk

    return open_desk
