"""Judging by keys and by hand: what is pressed is what is stored."""

from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from labeler.workspace.workspace import Workspace
from tests.browser.app_process import App
from tests.browser.desk_page import DeskPage, until
from tests.browser.materials import BINARY, NOW, events_of, judge, make_workspace, some_queries

OpenDesk = Callable[..., DeskPage]


def stored(desk: DeskPage, workspace: Workspace, assessor: str, count: int) -> list[object]:
    """(position, grade or verdict) of what is stored, once there are `count` of it."""

    def events() -> list[object]:
        found = events_of(workspace, desk.query_id, assessor)
        return [(e.position, e.grade if e.verdict == "grade" else e.verdict) for e in found]

    until(desk.page, lambda: len(events()) >= count, what=f"{count} events")
    return events()


def test_forty_quick_keys_are_all_stored_in_order(
    open_desk: OpenDesk, workspace: Workspace
) -> None:
    """Forty keys 30 ms apart, faster than the server answers, lose nothing."""
    desk = open_desk(assessor="Quick Fingers")
    onward = desk.page.get_by_label("Go on after judging")
    onward.uncheck()
    grades = [at % 4 for at in range(40)]
    desk.press("".join(f"{grade}j" for grade in grades), pause_ms=15)
    expected = list(enumerate(grades))
    assert stored(desk, workspace, "Quick Fingers", 40) == expected
    onward.check()
    desk.expect_saved()


def test_two_quick_presses_grade_one_card(open_desk: OpenDesk, workspace: Workspace) -> None:
    """The next card takes a key once it was in sight for a moment, or where a key led to it."""
    desk = open_desk(assessor="Double Press")
    desk.press("33", pause_ms=20)
    assert stored(desk, workspace, "Double Press", 1) == [(0, 3)]
    desk.press("j1", pause_ms=20)
    assert stored(desk, workspace, "Double Press", 2) == [(0, 3), (2, 1)]


def test_after_the_last_chunk_keys_rest_and_undo_reaches_back_over_queries(
    tmp_path: Path, start_app: Callable[..., App], open_desk: OpenDesk
) -> None:
    """An extra digit overwrites nothing; U on the next query leads back to the last act."""
    work = make_workspace(tmp_path / "w", queries=some_queries(2), texts=["One.", "Two."])
    desk = open_desk(assessor="Rester", address=start_app(work).address)
    desk.press("3210")
    assert stored(desk, work, "Rester", 2) == [(0, 3), (1, 2)]
    expect(desk.page.locator(".review li")).to_have_count(2)
    desk.page.locator(".finish .primary").click()
    expect(desk.query).to_have_text("how much warning before leave 2")
    desk.press("u")
    expect(desk.query).to_have_text("how much warning before leave 1")
    assert stored(desk, work, "Rester", 3)[2:] == [(1, "undone")]
    expect(desk.card(1)).to_have_class("card active")


def test_a_long_text_is_folded_and_opened_before_it_is_graded(
    tmp_path: Path, start_app: Callable[..., App], open_desk: OpenDesk
) -> None:
    """Three megabytes are on the page in seconds, and the grades stay in sight on them."""
    long = "Tell your manager in writing.\n" * 100_000
    work = make_workspace(tmp_path / "w", queries=some_queries(1), texts=[long])
    desk = open_desk(assessor="Reader", address=start_app(work).address)
    desk.press("3")
    expect(desk.active.locator(".refused")).to_have_text("Show the whole text before you grade it.")
    desk.press("s")
    assert desk.active.locator(".text").evaluate("(node) => node.textContent") == long
    desk.page.mouse.wheel(0, 4000)
    expect(desk.active.get_by_role("radio", name="Partly")).to_be_in_viewport()
    desk.press("3")
    assert stored(desk, work, "Reader", 1) == [(0, 3)]


def test_undo_cannot_tell_and_next_open_do_what_they_say(
    open_desk: OpenDesk, workspace: Workspace
) -> None:
    """U takes the last grade back, T is no grade, N goes to what is open."""
    desk = open_desk(assessor="Undoer")
    desk.press("1t3u")
    assert desk.position == 2
    desk.press("kk")
    assert desk.position == 0
    desk.press("n")
    assert desk.position == 2
    expected = [(0, 1), (1, "unsure"), (2, 3), (2, "undone")]
    assert stored(desk, workspace, "Undoer", 4) == expected
    desk.expect_count("2 of 50 judged")


def test_arrow_keys_store_only_where_they_rest(open_desk: OpenDesk, workspace: Workspace) -> None:
    """Passing over grades with the arrow keys stores one grade and does not go on."""
    desk = open_desk(assessor="Arrows")
    desk.press("1k")  # a group in which a grade is chosen: Tab goes to that one
    desk.page.keyboard.press("Tab")
    desk.page.keyboard.press("ArrowDown")
    desk.page.keyboard.press("ArrowDown")
    assert stored(desk, workspace, "Arrows", 2) == [(0, 1), (0, 3)]
    assert events_of(workspace, "q1", "Arrows")[-1].method == "arrow"
    assert desk.position == 0


def test_a_click_and_a_tap_judge_and_go_on(open_desk: OpenDesk, workspace: Workspace) -> None:
    """Mouse and finger work as keys do, and say in the record which they were."""
    desk = open_desk(assessor="Mouse")
    desk.active.get_by_role("radio", name="On topic").click()
    expect(desk.card(1)).to_have_class("card active")
    touch = open_desk("q2", assessor="Finger", has_touch=True)
    touch.active.get_by_role("radio", name="Can’t tell").tap()
    assert stored(desk, workspace, "Mouse", 1) == [(0, 1)]
    assert stored(touch, workspace, "Finger", 1) == [(0, "unsure")]
    assert events_of(workspace, "q1", "Mouse")[0].method == "click"
    assert events_of(workspace, "q2", "Finger")[0].method == "touch"


def test_a_second_click_under_the_pointer_is_ignored(
    open_desk: OpenDesk, workspace: Workspace
) -> None:
    """The next card arrives under the pointer, so a double click must not grade both."""
    desk = open_desk(assessor="Double Click")
    desk.active.get_by_role("radio", name="Not relevant").dblclick()
    desk.page.wait_for_timeout(200)
    desk.press("3")
    assert stored(desk, workspace, "Double Click", 2) == [(0, 0), (1, 3)]


def test_single_letter_keys_can_be_switched_off(open_desk: OpenDesk, workspace: Workspace) -> None:
    """With the switch off a letter does nothing; the buttons still work (WCAG 2.1.4)."""
    desk = open_desk(assessor="No Keys")
    switch = desk.page.get_by_label("Single-letter keys")
    switch.uncheck()
    desk.press("3j")
    assert desk.position == 0
    switch.check()
    desk.press("2")
    assert stored(desk, workspace, "No Keys", 1) == [(0, 2)]


def test_marking_is_off_at_first_and_stored_when_on(
    open_desk: OpenDesk, workspace: Workspace
) -> None:
    """H marks the words of the query without changing the text, and the record says so."""
    desk = open_desk(assessor="Marker")
    expect(desk.page.locator("mark")).to_have_count(0)
    before = desk.active.locator(".text").inner_text()
    desk.press("h")
    expect(desk.active.locator("mark").first).to_have_text("leave")
    assert before == desk.active.locator(".text").inner_text()
    desk.press("0")
    assert stored(desk, workspace, "Marker", 1) == [(0, 0)]
    assert events_of(workspace, "q1", "Marker")[0].method == "key+marked"


def test_a_note_is_stored_with_the_grade(open_desk: OpenDesk, workspace: Workspace) -> None:
    """A note written before the grade travels with it; one written later is stored at once."""
    desk = open_desk(assessor="Noter")
    desk.press("w")
    desk.page.keyboard.type("3 **stars**")
    desk.page.keyboard.press("Control+Enter")
    desk.press("2k")
    expect(desk.active.locator(".note")).to_have_text("3 **stars**")
    desk.press("w")
    desk.page.keyboard.type(", or 4")
    desk.page.keyboard.press("Control+Enter")
    assert stored(desk, workspace, "Noter", 2) == [(0, 2), (0, 2)]
    notes = [e.note for e in events_of(workspace, "q1", "Noter")]
    assert notes == ["3 **stars**", "3 **stars**, or 4"]


def test_the_text_that_is_read_does_not_move_when_it_is_saved(open_desk: OpenDesk) -> None:
    """Between the arrival of a card and the answer of the server nothing shifts."""
    desk = open_desk(assessor="Steady")
    tops = []
    for _ in range(4):
        desk.press("1")
        arrived = desk.active.bounding_box()
        desk.expect_saved()
        assert arrived == desk.active.bounding_box()
        tops.append(round((arrived or {})["y"]))
    assert max(tops) - min(tops) <= 1


def test_finishing_without_anything_relevant_asks_why(
    open_desk: OpenDesk, workspace: Workspace
) -> None:
    """Fifty zeros cannot be finished without a reason; then the next query comes."""
    desk = open_desk("q2", assessor="Finisher")
    desk.press("0" * 50)
    finish = desk.page.locator(".finish")
    expect(finish.get_by_role("heading")).to_have_text("All 50 judged")
    button = finish.locator(".primary")
    expect(button).to_be_disabled()
    finish.get_by_role("combobox").select_option("The documents do not cover it")
    button.click()
    expect(desk.query).not_to_have_text("how much warning before leave 2")
    (end,) = [e for e in workspace.judgements.query_ends() if e["assessor"] == "Finisher"]
    assert ("finished", "The documents do not cover it") == (end["outcome"], end["reason"])
    assert len(events_of(workspace, "q2", "Finisher")) == 50


def test_a_finished_query_that_grew_is_open_again(
    open_desk: OpenDesk, workspace: Workspace
) -> None:
    """The desk leads to the chunk that was added, and once that is judged to the next query."""
    judge(workspace, "Grower", "q2", [3] * 49)
    workspace.judgements.end_query("Grower", "q2", outcome="finished", reason=None, now=NOW)
    desk = open_desk("q2", assessor="Grower")
    finish = desk.page.locator(".finish")
    expect(finish.get_by_role("heading")).to_have_text("1 text still to judge")
    desk.press("1")
    expect(finish.get_by_role("heading")).to_have_text("This query is finished")
    finish.get_by_role("button", name="Next query").click()
    expect(desk.query).not_to_have_text("how much warning before leave 2")


def test_skipping_a_query_is_kept_apart_from_judging(
    open_desk: OpenDesk, workspace: Workspace
) -> None:
    """Skipped with a reason, without a grade, and the next query comes."""
    desk = open_desk("q3", assessor="Skipper")
    desk.page.get_by_text("Skip this query, because").click()
    desk.page.get_by_label("Why skip it?").select_option("It holds personal data")
    desk.page.get_by_role("button", name="Skip this query").click()
    expect(desk.query).not_to_have_text("how much warning before leave 3")
    (end,) = [e for e in workspace.judgements.query_ends() if e["assessor"] == "Skipper"]
    assert ("skipped", "It holds personal data") == (end["outcome"], end["reason"])
    assert events_of(workspace, "q3", "Skipper") == []


def test_a_binary_scale_has_two_keys(
    tmp_path: Path, start_app: Callable[..., App], open_desk: OpenDesk
) -> None:
    """On a scale of two, 0 and 1 grade and 2 does nothing."""
    work = make_workspace(tmp_path / "w", queries=some_queries(1), grades=BINARY, min_grade=1)
    desk = open_desk(assessor="Binary", address=start_app(work).address)
    expect(desk.active.get_by_role("radio")).to_have_count(3)
    desk.press("210")
    assert stored(desk, work, "Binary", 2) == [(0, 1), (1, 0)]


def test_the_queue_leads_back_to_where_one_was(
    open_desk: OpenDesk, app: App, workspace: Workspace
) -> None:
    """The browser remembers the name, the queue the query, the desk the chunk."""
    desk = open_desk("q3", assessor="Returner")
    desk.press("12")
    desk.expect_saved()
    page: Page = desk.page
    page.goto(app.address)
    expect(page.locator(".who bdi")).to_have_text("Returner")
    page.get_by_text("Continue where you were").click()
    desk.wait()
    expect(desk.query).to_have_text("how much warning before leave 3")
    desk.expect_count("2 of 50 judged")
    assert desk.position == 2
    assert len(events_of(workspace, "q3", "Returner")) == 2
