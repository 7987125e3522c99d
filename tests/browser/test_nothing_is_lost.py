"""What is acknowledged is on disk, and what is not yet waits in the browser."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from labeler.workspace.workspace import Workspace
from tests.browser.app_process import App, Line
from tests.browser.desk_page import DeskPage, until
from tests.browser.materials import events_of, make_workspace, some_queries

OpenDesk = Callable[..., DeskPage]


def grades(workspace: Workspace, assessor: str) -> list[int | None]:
    return [event.grade for event in events_of(workspace, "q1", assessor)]


@pytest.fixture
def line(app: App) -> Iterator[Line]:
    line = Line(app.port)
    yield line
    line.close()


def test_a_cut_line_loses_nothing(open_desk: OpenDesk, line: Line, workspace: Workspace) -> None:
    """Three grades before the cut, three during it; all six are there after it is mended."""
    desk = open_desk(assessor="Cut Off", address=f"http://localhost:{line.port}")
    desk.press("012")
    desk.expect_saved()
    line.cut()
    desk.press("321")
    expect(desk.page.locator(".saved")).to_have_text("3 not saved yet. Keep this tab open")
    assert grades(workspace, "Cut Off") == [0, 1, 2]
    line.mend()
    desk.expect_saved()
    assert grades(workspace, "Cut Off") == [0, 1, 2, 3, 2, 1]


def test_a_killed_server_loses_nothing(
    open_desk: OpenDesk, tmp_path: Path, start_app: Callable[..., App]
) -> None:
    """Killed after three grades and started again after six, the server has all six."""
    work = make_workspace(tmp_path / "w", queries=some_queries(1))
    app = start_app(work)
    desk = open_desk(assessor="Survivor", address=app.address)
    desk.press("012")
    desk.expect_saved()
    app.kill()
    desk.press("321")
    assert grades(work, "Survivor") == [0, 1, 2]
    app.start()
    until(
        desk.page,
        lambda: grades(work, "Survivor") == [0, 1, 2, 3, 2, 1],
        what="the grades given while the server was down",
    )
    desk.expect_saved()
    desk.expect_count("6 of 50 judged")
    assert desk.position == 6


@pytest.mark.xfail(reason="on a busy machine it does not always come back", strict=False)
def test_a_page_whose_server_forgot_it_comes_back_by_itself(
    open_desk: OpenDesk, tmp_path: Path, start_app: Callable[..., App]
) -> None:
    """Its line was cut twice, and the server was started again before it was mended."""
    work = make_workspace(tmp_path / "w", queries=some_queries(1))
    app = start_app(work)
    line = Line(app.port)
    desk = open_desk(assessor="Forgotten", address=f"http://localhost:{line.port}")
    for key in "12":
        desk.press(key)
        desk.expect_saved()
        line.cut()
        desk.page.wait_for_timeout(3000)
        if key == "2":
            app.kill()
            app.start()
        line.mend()

    def works_again() -> bool:
        if len(grades(work, "Forgotten")) < 3:
            desk.press("3")  # nothing happens until the page is back
            desk.page.wait_for_timeout(2000)
        return grades(work, "Forgotten")[:3] == [1, 2, 3]

    until(desk.page, works_again, what="a desk that works again", seconds=45)
    desk.expect_saved()
    line.close()


def test_leaving_at_once_and_coming_back_loses_nothing(
    open_desk: OpenDesk, workspace: Workspace
) -> None:
    """Five quick grades, the page left in the same moment: on return all are stored and shown."""
    desk = open_desk(assessor="Leaver")
    desk.press("30201")
    desk.page.goto("about:blank")
    desk.open()
    desk.expect_saved()
    desk.expect_count("5 of 50 judged")
    until(desk.page, lambda: len(grades(workspace, "Leaver")) == 5, what="five grades")
    assert grades(workspace, "Leaver") == [3, 0, 2, 0, 1]
    assert desk.position == 5
    assert {event.method for event in events_of(workspace, "q1", "Leaver")} == {"key"}


def test_two_tabs_of_one_assessor_follow_each_other(
    open_desk: OpenDesk, workspace: Workspace
) -> None:
    """What is judged in one tab shows in the other at once, and both are stored once."""
    first = open_desk(assessor="Two Tabs")
    second = DeskPage(first.page.context.new_page(), first.url.rpartition("/judge")[0], "q1")
    second.open()
    first.press("12")
    second.expect_count("2 of 50 judged")
    second.press("nn3")
    first.expect_count("3 of 50 judged")
    first.expect_saved()
    second.expect_saved()
    until(first.page, lambda: len(grades(workspace, "Two Tabs")) == 3, what="three grades")
    assert grades(workspace, "Two Tabs") == [1, 2, 3]
    second.page.close()


def test_what_another_tab_left_behind_is_sent_and_a_refusal_shown(
    open_desk: OpenDesk, workspace: Workspace
) -> None:
    """An open tab takes over what lies in the browser's store, and says what was refused."""
    desk = open_desk(assessor="Heir")
    desk.press("1")
    desk.expect_saved()
    desk.page.evaluate(
        """() => {
          const at = Object.keys(sessionStorage).find((key) => key.endsWith("/at"));
          const event = { id: "left-behind", k: "no such key", v: "2", p: 7, s: 1, m: "key" };
          const key = at.replace(/at$/, "event/left-behind");
          localStorage.setItem(key, JSON.stringify({ at: 0, event }));
        }"""
    )
    until(
        desk.page,
        lambda: desk.page.evaluate(
            "() => !Object.keys(localStorage).some((key) => key.endsWith('left-behind'))"
        ),
        what="the answer to the event that was left behind",
    )
    expect(desk.page.locator(".alert")).to_have_text(
        "1 act refused: this chunk is not in the query's pool"
    )
    assert grades(workspace, "Heir") == [1]


@pytest.mark.skipif(sys.platform != "linux", reason="reads the processor time from /proc")
def test_a_grade_costs_little_processor_time(
    open_desk: OpenDesk, app: App, line: Line, workspace: Workspace
) -> None:
    """
    Without gc.freeze a grade costs some 66 ms of the server's time, with it about 8.

    What travels for it is compressed.
    """
    desk = open_desk(assessor="Accountant", address=f"http://localhost:{line.port}")
    desk.press("0" * 5)
    desk.expect_saved()
    before, carried = app.cpu_seconds(), line.carried
    for _ in range(30):
        desk.press("1")
        desk.expect_saved()
    until(desk.page, lambda: len(grades(workspace, "Accountant")) == 35, what="35 grades")
    assert (app.cpu_seconds() - before) / 30 < 0.030
    assert (line.carried - carried) / 30 < 1500
