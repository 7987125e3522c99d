"""Finding what the pool missed: the search box on the desk."""

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.app_process import App
from tests.browser.desk_page import DeskPage, frames_received, shown, until
from tests.browser.materials import PAYLOADS, events_of, make_workspace, plain_texts, some_queries

OpenDesk = Callable[..., DeskPage]
MISSED = "Zebra crossings are painted *white* in <b>May</b>."


@pytest.fixture(scope="module")
def large_app(tmp_path_factory: pytest.TempPathFactory, start_app: Callable[..., App]) -> App:
    """Six chunks in every pool, and texts that no system found."""
    return start_app(
        make_workspace(
            tmp_path_factory.mktemp("large") / "w",
            queries=some_queries(4),
            texts=plain_texts(6),
            unpooled=[MISSED, *(f"zebra {text}" for text in PAYLOADS[:12])],
        )
    )


def look_for(desk: DeskPage, text: str) -> Locator:
    """Open the search by its key and type; gives the texts found."""
    desk.press("f")
    dialog = desk.page.get_by_role("dialog", name="Search all texts")
    field = dialog.get_by_role("searchbox", name="Words to look for")
    expect(field).to_be_focused()
    field.fill(text)
    return dialog.get_by_role("listitem")


def test_a_missed_chunk_is_found_added_and_judged(open_desk: OpenDesk, large_app: App) -> None:
    """It comes last in the list, nothing else moves, and the pool says who found it."""
    desk = open_desk(assessor="Finder", address=large_app.address)
    desk.press("1")
    desk.expect_saved()
    before = desk.active.bounding_box()
    desk.active.evaluate("(card) => { window.sameCard = card; }")
    hit = look_for(desk, "crossings painted").first
    expect(hit.locator(".text")).to_have_text(MISSED)
    hit.get_by_role("button", name="Add to this query").click()
    expect(hit.get_by_text("Text 7 of this query")).to_be_visible()
    desk.page.keyboard.press("Escape")
    expect(desk.active).to_be_focused()
    assert before == desk.active.bounding_box()
    assert desk.active.evaluate("(card) => window.sameCard === card")
    desk.expect_count("1 of 7 judged")
    desk.press("11111")
    assert desk.position == 6
    desk.press("3")
    desk.expect_saved()
    work = large_app.workspace
    (added,) = [e for e in work.pool.entries("q1") if e.chunk_id == "payroll-secret.md#6"]
    assert ("assessor:Finder",) == added.found_by
    until(desk.page, lambda: len(events_of(work, "q1", "Finder")) == 7, what="seven grades")
    last = events_of(work, "q1", "Finder")[-1]
    assert ("payroll-secret.md#6", 3, 6) == (last.chunk_id, last.grade, last.position)
    desk.page.reload()
    desk.wait()
    expect(desk.card(6).locator(".text")).to_have_text(MISSED)


def test_what_is_there_already_says_where(open_desk: OpenDesk, large_app: App) -> None:
    """A chunk of the pool is marked as such, and one press leads to it."""
    desk = open_desk("q2", assessor="Looker", address=large_app.address)
    wanted = desk.card(4).locator(".text").text_content() or ""
    hits = look_for(desk, f'"{wanted.split(".")[0]}"')
    expect(hits).to_have_count(1)
    expect(hits.get_by_text("Text 5 of this query")).to_be_visible()
    hits.get_by_role("button", name="Go to it").click()
    expect(desk.card(4)).to_be_focused()
    assert desk.position == 4


def test_desk_and_results_are_plain_and_blind(
    open_page: Callable[..., Page], large_app: App
) -> None:
    """Every letter of a text is shown; ids, titles and systems never reach the browser."""
    page = open_page()
    frames = frames_received(page)
    desk = DeskPage(page, large_app.address, "q3")
    desk.open(as_new="Plain Finder")
    desk.press("1")
    desk.expect_saved()
    hits = look_for(desk, "zebra")
    expect(hits).to_have_count(13)
    texts = [MISSED, *(f"zebra {text}" for text in PAYLOADS[:12])]
    assert sorted(texts) == sorted(shown(page, ".hit .text"))
    expect(hits.locator(":is(b, em, img, script, a, code)")).to_have_count(0)
    sent = b"".join(frames)
    assert json.dumps(MISSED).encode() in sent
    forbidden = (b"payroll-secret", b"A title nobody", b"A heading nobody", b"system-x")
    assert [secret for secret in forbidden if secret in sent] == []


def test_keys_typed_into_the_search_grade_nothing(open_desk: OpenDesk, large_app: App) -> None:
    """Digits and letters go into the field; on its buttons they do nothing. Escape leads back."""
    desk = open_desk("q3", assessor="Typist", address=large_app.address)
    look_for(desk, "zebra").first.wait_for()
    desk.page.keyboard.type(" 1 2 3")
    desk.page.keyboard.press("Escape")
    expect(desk.active).to_be_focused()
    desk.press("f")
    expect(desk.page.get_by_role("searchbox")).to_have_value("zebra 1 2 3")
    desk.page.keyboard.press("Tab")
    desk.press("123")
    desk.page.keyboard.press("Escape")
    desk.press("2")
    desk.expect_saved()
    assert [2] == [event.grade for event in events_of(large_app.workspace, "q3", "Typist")]


def test_a_second_tab_gets_what_was_added(open_desk: OpenDesk, large_app: App) -> None:
    """And can judge it, though its own session was laid out before."""
    first = open_desk("q4", assessor="Twice", address=large_app.address)
    second = DeskPage(first.page.context.new_page(), large_app.address, "q4")
    second.open()
    look_for(first, "crossings").first.get_by_role("button").click()
    second.expect_count("0 of 7 judged")
    second.press("kjjjjjj3")
    second.expect_saved()
    work = large_app.workspace
    until(first.page, lambda: bool(events_of(work, "q4", "Twice")), what="the grade")
    assert "payroll-secret.md#6" == events_of(work, "q4", "Twice")[0].chunk_id
    second.page.close()
