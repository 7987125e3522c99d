"""axe-core finds nothing on any page, in light and dark, wide and narrow."""

from collections.abc import Callable, Sequence

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser.app_process import App
from tests.browser.desk_page import DeskPage
from tests.browser.materials import NOW, add_log, judge, make_workspace, plain_texts, some_queries

READY = {
    "": ".agenda .others",
    "logs": ".sheet table",
    "sample": ".sheet table",
    "queries": ".sheet table",
    "pool": ".sheet table",
    "people": ".sheet table",
    "write": ".prose",
    "progress": ".sheet table",
    "agreement": ".sheet table",
    "mine": ".sheet table",
    "guidelines": ".sheet table",
    "freeze": ".sheet .checks",
}
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
PAPER = {"light": "rgb(252, 251, 249)", "dark": "rgb(21, 23, 27)"}


@pytest.fixture(scope="module")
def small_app(tmp_path_factory: pytest.TempPathFactory, start_app: Callable[..., App]) -> App:
    """Few chunks, since axe-core takes its time with each; a log; two who disagree."""
    folder = tmp_path_factory.mktemp("small")
    work = make_workspace(folder / "w", queries=some_queries(), texts=plain_texts(6))
    add_log(work, ["first search", "second search"])
    for name, grade in (("Ana", 3), ("Bo", 1)):
        judge(work, name, "q3", [grade], note="see 4.3")
    work.people.save_assignment({"q1": ["Ana"], "q2": ["Bo"]}, record={}, now=NOW)
    return start_app(work)


def faults(page: Page) -> list[str]:
    """
    What axe-core objects to, with the place.

    Left out are two parts of Streamlit's own: the menu on a phone, which nests its lists, and
    the place for files, whose empty part says that it has no role and takes the focus.
    """
    parts = ("stSidebarNavItems", "stFileUploader")
    context = {"exclude": [[f'[data-testid="{part}"]'] for part in parts]}
    found = Axe().run(page, context, {"resultTypes": ["violations"]}).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['target']}" for each in found]


def faults_by_scheme(page: Page, schemes: Sequence[str]) -> list[str]:
    """The same in light and dark; the page follows the system, so it need not be loaded anew."""
    found = []
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        paper = page.get_by_test_id("stApp")
        expect(paper).to_have_css("background-color", PAPER[scheme])
        found += [f"{scheme}: {fault}" for fault in faults(page)]
    return found


@pytest.mark.parametrize(
    ("size", "schemes"), [(WIDE, ("light", "dark")), (PHONE, ("dark",))], ids=["wide", "phone"]
)
def test_axe_finds_nothing(
    open_page: Callable[..., Page],
    small_app: App,
    size: dict[str, int],
    schemes: tuple[str, ...],
) -> None:
    """WCAG rules and best practice, with a judged card and an open note on the desk."""
    page = open_page(color_scheme=schemes[0], viewport=size)
    page.goto(small_app.address)
    expect(page.get_by_role("heading", name="Who is judging?")).to_be_visible()
    assert faults_by_scheme(page, schemes) == []
    desk = DeskPage(page, small_app.address, "q1")
    desk.open(as_new=f"Axe {size['width']}")
    desk.press("31tw")
    desk.expect_saved()
    assert faults_by_scheme(page, schemes) == []
    page.keyboard.press("Escape")
    desk.press("f")
    page.get_by_role("searchbox").fill("manager")
    expect(page.locator(".hit")).to_have_count(6)
    assert faults_by_scheme(page, schemes) == []
    for path, ready in READY.items():
        page.goto(f"{small_app.address}/{path}")
        expect(page.locator(ready).first).to_be_visible()
        if not path:
            page.get_by_text("Not assigned to you").click()
        assert faults_by_scheme(page, schemes) == [], path


def test_the_focus_goes_where_the_eyes_go(open_desk: Callable[..., DeskPage]) -> None:
    """After a grade the next card has the focus; Tab leads to its grades, then its note."""
    desk = open_desk(assessor="Focus")
    desk.press("1")
    expect(desk.card(1)).to_be_focused()
    desk.page.keyboard.press("Tab")
    expect(desk.card(1).get_by_role("radio").first).to_be_focused()
    desk.page.keyboard.press("Tab")
    expect(desk.card(1).get_by_role("button")).to_be_focused()
    expect(desk.card(1)).to_have_accessible_name("Text 2 of 50")
    expect(desk.page.locator("[aria-live]")).to_have_text("Text 1: On topic.")
