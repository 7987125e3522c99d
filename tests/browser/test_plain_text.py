"""Texts that are not ours are shown letter by letter, on every page."""

from collections.abc import Callable, Sequence

import pytest
from playwright.sync_api import Page, expect

from evaluator.labelset.format import Query
from tests.browser.app_process import App
from tests.browser.desk_page import DeskPage, shown
from tests.browser.materials import LONG_WORD, PAYLOADS, add_log, make_workspace

HOSTILE_NAME = "<b>Ana</b> *$x$* :smile:"


@pytest.fixture(scope="module")
def hostile_app(tmp_path_factory: pytest.TempPathFactory, start_app: Callable[..., App]) -> App:
    """Every payload as a chunk, as a query with itself as need, and in the log."""
    queries = [Query(f"h{at}", text, need=text) for at, text in enumerate(PAYLOADS)]
    queries.append(Query("long", LONG_WORD, need=LONG_WORD))
    folder = tmp_path_factory.mktemp("hostile")
    work = make_workspace(folder / "w", queries=queries, texts=[*PAYLOADS, LONG_WORD])
    add_log(work, [*PAYLOADS[:8], LONG_WORD])
    return start_app(work)


def missing(expected: Sequence[str], found: Sequence[str]) -> list[str]:
    return [text for text in expected if text not in found]


def test_chunks_are_shown_literally(open_desk: Callable[..., DeskPage], hostile_app: App) -> None:
    """All payloads as chunks: the DOM holds the very text, and nothing ran."""
    desk = open_desk("h0", assessor="Chunk Reader", address=hostile_app.address)
    assert missing([*PAYLOADS, LONG_WORD], shown(desk.page, ".card .text")) == []
    expect(desk.page).to_have_title(f"{PAYLOADS[0]} – Judge – test")
    expect(desk.page.locator(".text :is(a, img, script, b, em, strong, code)")).to_have_count(0)
    desk.press("h")
    assert missing([*PAYLOADS, LONG_WORD], shown(desk.page, ".card .text")) == []


def test_direction_overrides_stay_in_their_box(
    open_desk: Callable[..., DeskPage], hostile_app: App
) -> None:
    """After an override the letters still run from left to right, and a mark shows it."""
    desk = open_desk("h0", assessor="Bidi Reader", address=hostile_app.address)
    text = desk.page.locator(".card .text").filter(has_text="evil")
    expect(text.locator(".control")).to_have_count(2)
    lefts = text.evaluate(
        """(node) => {
          const word = [...node.childNodes].find((child) => child.data?.includes("evil"));
          return [0, 1, 2, 3].map((at) => {
            const range = document.createRange();
            range.setStart(word, at);
            range.setEnd(word, at + 1);
            return range.getBoundingClientRect().left;
          });
        }"""
    )
    assert lefts == sorted(lefts)


def test_queries_needs_and_names_are_shown_literally(
    open_page: Callable[..., Page], hostile_app: App
) -> None:
    """The query bar shows query, need and assessor as they are."""
    page = open_page()
    DeskPage(page, hostile_app.address, "h0").open(as_new=HOSTILE_NAME)
    for at in (0, 8, 25, 27):
        DeskPage(page, hostile_app.address, f"h{at}").open()
        assert shown(page, "h1.query") == [PAYLOADS[at]]
        assert shown(page, ".need bdi") == [PAYLOADS[at]]
        assert shown(page, ".who") == [HOSTILE_NAME]


def test_queue_progress_and_sample_show_texts_literally(
    open_page: Callable[..., Page], hostile_app: App
) -> None:
    """Lists and tables of queries, log files and names hold the very texts."""
    page = open_page()
    desk = DeskPage(page, hostile_app.address, "h0")
    desk.open(as_new=HOSTILE_NAME)
    desk.press("1")
    desk.expect_saved()
    page.goto(hostile_app.address)
    expect(page.locator("a.query").first).to_be_visible()
    assert missing(PAYLOADS, shown(page, "a.query")) == []
    assert shown(page, ".who bdi") == [HOSTILE_NAME]
    page.goto(f"{hostile_app.address}/progress")
    expect(page.get_by_role("region", name="Queries", exact=True)).to_be_visible()
    assert missing([*PAYLOADS, HOSTILE_NAME], shown(page, "td, th")) == []
    page.goto(f"{hostile_app.address}/sample")
    expect(page.get_by_role("region", name="Most frequent queries drawn")).to_be_visible()
    assert missing(["searches <b>*1*</b>.csv", *PAYLOADS[:8], LONG_WORD], shown(page, "td")) == []


@pytest.mark.parametrize("width", [390, 1280])
def test_a_word_without_end_pushes_nothing_away(
    open_page: Callable[..., Page], hostile_app: App, width: int
) -> None:
    """With 1,380 characters and no blank in query, need and chunk the buttons stay in sight."""
    page = open_page(viewport={"width": width, "height": 844})
    desk = DeskPage(page, hostile_app.address, "long")
    desk.open(as_new=f"Long {width}")
    page.evaluate("() => document.fonts.ready.then(() => null)")
    box = desk.active.get_by_role("radio", name="Answers", exact=True).bounding_box()
    assert box is not None
    assert 0 <= box["x"] <= box["x"] + box["width"] <= width
    assert 0 <= box["y"] <= box["y"] + box["height"] <= 844
    across = page.locator("[data-testid=stMain]").evaluate(
        "(main) => [main.scrollWidth, main.clientWidth]"
    )
    assert across[0] <= across[1]
