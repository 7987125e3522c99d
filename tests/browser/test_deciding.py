"""Deciding disagreements in the browser: read first, look then, record."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_process import App
from tests.browser.desk_page import frames_received
from tests.browser.materials import PAYLOADS, judge, make_workspace, some_queries
from tests.browser.test_accessibility import faults

HOSTILE_NOTE = "<b>see</b> *4.3* :smile:"


@pytest.fixture(scope="module")
def disputed_app(tmp_path_factory: pytest.TempPathFactory, start_app: Callable[..., App]) -> App:
    """Two assessors differ on six chunks of one query, three steps on one of them."""
    folder = tmp_path_factory.mktemp("disputed")
    made = make_workspace(folder / "w", queries=some_queries(1), texts=PAYLOADS[:6])
    for name, grades in (("Ana Lima", [0] * 6), ("Bo <i>", [1, 1, 1, 1, 3, 1])):
        judge(made, name, "q1", grades, note=HOSTILE_NOTE)
    return start_app(made)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_a_disagreement_is_read_blind_then_decided(
    open_page: Callable[..., Page], disputed_app: App, scheme: str, width: int
) -> None:
    """By keys: a grade, then what they gave, a note, the record; undo brings the pair back."""
    page = open_page(color_scheme=scheme, viewport={"width": width, "height": 844})
    frames = frames_received(page)
    page.goto(f"{disputed_app.address}/decide")
    page.get_by_role("textbox").fill("Olga")
    page.get_by_role("textbox").press("Enter")
    text = page.locator(".card .text")
    expect(text).to_have_text(PAYLOADS[4])
    page.wait_for_timeout(300)
    shut = b"".join(frames)
    assert [each for each in (b"4.3", b"payroll-secret", b"system-x") if each in shut] == []
    expect(page.get_by_text("Ana Lima")).to_have_count(0)
    assert faults(page) == []
    page.keyboard.press("2")
    given = page.locator(".theirs dd")
    expect(given).to_have_count(2)
    assert [f"0: Not relevant{HOSTILE_NOTE}", f"3: Answers{HOSTILE_NOTE}"] == [
        each.replace("\n", "") for each in given.evaluate_all("(n) => n.map((d) => d.textContent)")
    ]
    assert faults(page) == []
    page.get_by_label("Note").fill("both *miss* it 3")
    page.get_by_role("button", name="Record the decision").click()
    expect(page.get_by_text("5 pairs to decide")).to_be_visible()
    expect(text).not_to_have_text(PAYLOADS[4])
    expect(page.get_by_role("region", name="Decisions")).to_be_visible()
    assert faults(page) == []
    (made,) = disputed_app.workspace.decisions.standing().values()
    assert ("Olga", 2, "both *miss* it 3") == (made.assessor, made.grade, made.note)
    expect(
        page.get_by_role("region", name="Decisions").get_by_text("both *miss* it")
    ).to_be_visible()
    page.get_by_role("button", name="Undo the last decision").click()
    expect(page.get_by_text("6 pairs to decide")).to_be_visible()
    assert {} == disputed_app.workspace.decisions.standing()
