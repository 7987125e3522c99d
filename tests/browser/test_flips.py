"""Reading flips in the browser: letter by letter, by keyboard, wide and narrow, and kept."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from evaluator.labelset.format import Query
from evaluator.snapshot.chunk import Chunk
from tests.browser.app_process import App
from tests.browser.desk_page import shown
from tests.browser.materials import LONG_WORD, PAYLOADS
from tests.browser.test_accessibility import faults
from tests.labeler.flipped import flipped_workspace, results_of

PLAIN, HEADED = "plain <b>1</b> $x$", "headed *2* :smile:"
HOSTILE = (PAYLOADS[0], LONG_WORD, *PAYLOADS[1:8], *PAYLOADS[10:16], "a\u202eevil\u202c b")
COMMENT = "<b>see</b> *4.3* :smile:"


@pytest.fixture(scope="module")
def flipped_app(tmp_path_factory: pytest.TempPathFactory, start_app: Callable[..., App]) -> App:
    """Every query is the title of a chunk that says something else, and arms have odd names."""
    after = (*HOSTILE[1:], HOSTILE[0])
    chunks = [
        Chunk(f"pay#{at:02}", "pay", text, title, (title,), "handbook", {})
        for at, (title, text) in enumerate(zip(HOSTILE, after, strict=True))
    ]
    queries = [Query(f"h{at:02}", text, need=text) for at, text in enumerate(HOSTILE)]
    workspace = flipped_workspace(
        tmp_path_factory.mktemp("flipped") / "w",
        chunks=chunks,
        queries=queries,
        qrels={query.query_id: {f"pay#{query.query_id[1:]}": 1} for query in queries},
    )
    record = results_of(workspace).path / "record.json"
    record.chmod(0o644)
    text = record.read_text().replace('"plain"', f'"{PLAIN}"').replace('"headed"', f'"{HEADED}"')
    record.write_text(text)
    return start_app(workspace)


def enter(page: Page, app: App, name: str) -> None:
    page.goto(f"{app.address}/flips")
    page.get_by_role("textbox").fill(name)
    page.get_by_role("textbox").press("Enter")
    expect(page.locator(".flips .flip").first).to_be_attached()


def read(page: Page, at: int) -> str:
    """Open a flip of the list, and give its query once it is there."""
    query = shown(page, ".flip .words")[at]
    page.locator(".flip").nth(at).click()
    expect(page.locator("h2.query")).to_have_text(query)
    expect(page.locator("h2.query")).to_be_focused()
    return query


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_axe_finds_nothing_and_nothing_is_pushed_away(
    open_page: Callable[..., Page], flipped_app: App, scheme: str, width: int
) -> None:
    """The list, each flip, and the narrow page on which only one of the two is there."""
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 844})
    enter(page, flipped_app, f"Axe {scheme} {width}")
    assert faults(page) == []
    expect(page.locator("article")).to_be_visible(visible=width > 860)
    for at in range(2):
        read(page, at)
        expect(page.locator(".list")).to_be_visible(visible=width > 860)
        assert faults(page) == []
        across = page.locator("[data-testid=stMain]").evaluate(
            "(main) => [main.scrollWidth, main.clientWidth]"
        )
        assert across[0] <= across[1]
        if width <= 860:
            page.get_by_role("button", name="All flips").click()
            expect(page.locator(".flip").first).to_be_focused()


def test_flips_are_shown_letter_by_letter(open_page: Callable[..., Page], flipped_app: App) -> None:
    """Queries, texts, titles, headers and arms: the DOM holds the very text, and nothing ran."""
    page = open_page()
    enter(page, flipped_app, "Reader")
    queries = shown(page, ".flip .words")
    assert len(queries) > 3
    assert [each for each in queries if each not in HOSTILE] == []
    for at, query in enumerate(queries):
        read(page, at)
        assert [query] == shown(page, "h2.query") == shown(page, ".need bdi")
        gold = HOSTILE.index(query)
        assert [HOSTILE[(gold + 1) % len(HOSTILE)]] == shown(page, ".text")
        assert query == shown(page, "article .title")[0]
        assert [PLAIN, HEADED] == shown(page, "thead th")
    expect(page.locator("article :is(a, img, script, b, em, strong)")).to_have_count(0)
    contrast = page.get_by_role("combobox", name="Contrast")
    expect(contrast).to_have_value(f"{HEADED} against {PLAIN}")
    expect(page).to_have_title("Flips – small")


def test_a_flip_is_marked_as_read_by_keyboard_and_stays_so(
    open_page: Callable[..., Page], flipped_app: App
) -> None:
    """The next one follows with the focus on it; after a reload the comment is there."""
    page = open_page()
    enter(page, flipped_app, "Mo <i>")
    page.locator(".flip").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("h2.query")).to_be_focused()
    first = shown(page, "h2.query")
    page.get_by_label("Comment").focus()
    page.keyboard.type(COMMENT)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text(f"Saved: {first[0]} is marked as read.")
    expect(page.locator("h2.query")).to_be_focused()
    assert first != shown(page, "h2.query")
    page.reload()
    page.locator(".flip").first.click()
    expect(page.locator(".marks .note")).to_have_text(COMMENT)
    assert ["Mo <i>"] == shown(page, ".marks bdi")
    work = flipped_app.workspace
    (kept,) = work.flip_marks.of(results_of(work).sha256)
    assert (COMMENT, "Mo <i>") == (kept.comment, kept.person)


def test_a_draft_stays_while_one_reads_another_flip(
    open_page: Callable[..., Page], flipped_app: App
) -> None:
    """Filters keep the focus, and a comment that was not sent is not lost."""
    page = open_page()
    enter(page, flipped_app, "Draft")
    read(page, 2)
    page.get_by_label("Comment").fill("half a thought")
    read(page, 3)
    expect(page.get_by_label("Comment")).to_have_value("")
    read(page, 2)
    expect(page.get_by_label("Comment")).to_have_value("half a thought")
    page.get_by_label("Moved").select_option("lost")
    expect(page.get_by_text("No flip is like that")).to_be_visible()
    expect(page.get_by_label("Moved")).to_be_focused()
