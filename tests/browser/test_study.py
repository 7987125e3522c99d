"""A whole study without a terminal: from an empty folder to a report that is downloaded."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from labeler.workspace.workspace import Workspace
from tests.browser.app_process import App
from tests.browser.test_accessibility import faults_by_scheme

PATIENCE = 120_000  # ms, for what runs beside the app
TOPICS = ("leave", "travel", "laptops", "visitors", "parking", "training")


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """A zip of some short pages."""
    path = tmp_path / "handbook.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for topic in TOPICS:
            archive.writestr(
                f"handbook/{topic}.md",
                f"# About {topic}\n\nWho asks about {topic} gets an answer within a week.\n\n"
                f"## Rules for {topic}\n\nAsk your team lead about {topic} first, then the office.",
            )
    return path


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Searches with their counts, and an address that is private."""
    path = tmp_path / "searches.csv"
    rows = [f"rules for {topic},{9 - at}" for at, topic in enumerate(TOPICS)]
    path.write_text("\n".join(["query,count", *rows, "ada@example.org,2"]), encoding="utf-8")
    return path


@pytest.fixture
def study(
    tmp_path: Path, start_app: Callable[..., App], open_page: Callable[..., Page]
) -> tuple[Page, App]:
    """The app on a folder that is not there yet."""
    place: Any = SimpleNamespace(path=tmp_path / "study")
    app = start_app(place, serve=())
    page = open_page()
    page.goto(app.address)
    return page, app


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def fill(page: Page, label: str, text: str) -> None:
    box = page.get_by_role("textbox", name=label, exact=True)
    box.fill(text)
    box.press("Enter")


def done(page: Page, title: str) -> None:
    expect(page.get_by_text(f"{title}: done.")).to_be_visible(timeout=PATIENCE)


def judge_all(page: Page, app: App) -> None:
    """Every chunk of every query gets the grade 1, by its key."""
    workspace, expected = Workspace.open(app.work), 0
    queries = workspace.queries.all()
    assert len(TOPICS) == len(queries)
    for query in queries:
        page.goto(f"{app.address}/judge?q={query.query_id}")
        if query is queries[0]:
            fill(page, "Your name", "Ada")
            press(page, "Go on to the texts")
        expected += workspace.pool.sizes()[query.query_id]
        while workspace.judgements.count() < expected:
            page.keyboard.press("1")
            page.wait_for_timeout(250)


def test_from_an_empty_folder_to_a_downloaded_report(
    study: tuple[Page, App], documents: Path, log: Path
) -> None:
    """Documents, log, sample, pool, judging, freeze, experiment and report, all in the browser."""
    page, app = study
    expect(page.get_by_role("heading", name="New study")).to_be_visible()
    assert faults_by_scheme(page, ("dark", "light")) == []
    page.get_by_text("Files that I upload").click()
    page.locator("input[type=file]").set_input_files(documents)
    press(page, "Read the documents")
    done(page, "Reading the documents")
    expect(page.get_by_text("Ask your team lead about leave first").first).to_be_visible()
    press(page, "Make this study")

    page.locator("input[type=file]").set_input_files(log)
    press(page, "Read this log")
    expect(page.get_by_text("Reading searches.csv did not succeed.")).to_be_visible(
        timeout=PATIENCE
    )
    page.get_by_text("Leave these queries out").click()  # of the address, which is decided first
    press(page, "Read this log")
    done(page, "Reading searches.csv")
    press(page, "Sample")
    press(page, "Keep this sample")
    press(page, "Pool")
    press(page, "Find chunks")
    done(page, "Finding chunks")

    judge_all(page, app)
    page.goto(f"{app.address}/freeze")
    fill(page, "Name of the label set", "handbook-1")
    page.get_by_text("No work on headers has begun").click()
    fill(page, "Declared by", "Ada")
    press(page, "Freeze")
    expect(page.get_by_text("Frozen as handbook-1.")).to_be_visible()
    page.goto(f"{app.address}/sets")
    expect(page.get_by_text("Verify it")).to_be_visible()
    assert faults_by_scheme(page, ("dark", "light")) == []
    press(page, "Experiments")
    expect(page.get_by_role("button", name="Run it")).to_be_visible()
    assert faults_by_scheme(page, ("dark", "light")) == []
    press(page, "Run it")
    done(page, "Running handbook-1")
    press(page, "Read the report")
    expect(page.frame_locator("iframe").get_by_text("Success@5").first).to_be_visible()
    assert faults_by_scheme(page, ("dark", "light")) == []
    with page.expect_download() as download:
        press(page, "Download as HTML")
    report = download.value.path().read_text(encoding="utf-8")
    assert "Success@5" in report
    assert "handbook-1" in report


def test_work_that_is_stopped_leaves_nothing(study: tuple[Page, App], tmp_path: Path) -> None:
    """It goes on while the page is loaded again, and can be stopped."""
    page, app = study
    corpus = tmp_path / "many"
    corpus.mkdir()
    for number in range(4000):
        text = "\n\n".join(f"## Part {part}\n\n{'Words about it. ' * 40}" for part in range(8))
        (corpus / f"{number}.md").write_text(f"# Page {number}\n\n{text}", encoding="utf-8")
    fill(page, "Folder of documents, or file of ready chunks", str(corpus))
    press(page, "Read the documents")
    expect(page.get_by_text("Reading the documents …")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Reading the documents …")).to_be_visible()
    press(page, "Stop")
    stopped = page.get_by_text("Reading the documents: stopped. Nothing half done was kept.")
    expect(stopped).to_be_visible(timeout=PATIENCE)
    assert not (app.work.with_name(".study.new") / "workspace").exists()
    assert not app.work.exists()
