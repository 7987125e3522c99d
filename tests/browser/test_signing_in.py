"""Beyond this machine: who comes through a provider or a proxy, and who does not."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from labeler.workspace.records import Role
from tests.browser.app_process import App, Line
from tests.browser.desk_page import DeskPage, until
from tests.browser.materials import NOW, events_of, make_workspace, plain_texts, some_queries
from tests.browser.test_accessibility import faults

OWN_PROFILE = {"viewport": {"width": 1280, "height": 800}}


@pytest.fixture(scope="module")
def behind_proxy(tmp_path_factory: pytest.TempPathFactory, start_app: Callable[..., App]) -> App:
    """Ana may judge, Olga may freeze; nobody else is on the list."""
    folder = tmp_path_factory.mktemp("listed")
    made = make_workspace(folder / "w", queries=some_queries(), texts=plain_texts(6))
    made.people.set_role(Role("Ana", True, False, "ana@example.org"), now=NOW)
    made.people.set_role(Role("Olga", False, True, "olga@example.org"), now=NOW)
    return start_app(made, serve=["--trusted-header", "X-Email"])


@pytest.fixture
def proxy(behind_proxy: App) -> Iterator[Callable[[str], str]]:
    """The address of a proxy that says who somebody is."""
    lines: list[Line] = []

    def made(email: str) -> str:
        lines.append(Line(behind_proxy.port, header=f"X-Email: {email}"))
        return f"http://localhost:{lines[-1].port}"

    yield made
    for line in lines:
        line.close()


def test_a_proxy_says_who_judges(
    proxy: Callable[[str], str], open_page: Callable[..., Page], behind_proxy: App
) -> None:
    """No name is asked for; the judgement stands under the name on the list."""
    desk = DeskPage(open_page(**OWN_PROFILE), proxy("Ana@Example.org"), "q1")
    desk.open()
    desk.press("2")
    desk.expect_saved()
    work = behind_proxy.workspace
    until(desk.page, lambda: bool(events_of(work, "q1", "Ana")), what="Ana's grade")
    expect(desk.page.get_by_role("link", name="Freeze")).to_have_count(0)
    desk.page.goto(desk.url.replace("judge?q=q1", "freeze"))
    expect(desk.page.get_by_role("heading", name="Not for you")).to_be_visible()
    assert faults(desk.page) == []


def test_nobody_enters_past_the_proxy_or_the_list(
    proxy: Callable[[str], str], behind_proxy: App, open_page: Callable[..., Page]
) -> None:
    """Without the header, or with a stranger's address, there is a page in words."""
    page = open_page(**OWN_PROFILE)
    page.goto(f"{behind_proxy.address}/judge?q=q1")
    expect(page.get_by_role("heading", name="Nobody said who you are")).to_be_visible()
    assert faults(page) == []
    page.goto(proxy("<b>eve</b>@example.org"))
    expect(page.get_by_role("heading", name="You are not on the list")).to_be_visible()
    expect(page.get_by_text("signed in as <b>eve</b>@example.org")).to_be_visible()
    assert faults(page) == []


def test_signing_in_with_a_provider_leads_back_to_the_query(
    behind_proxy: App, start_app: Callable[..., App], open_page: Callable[..., Page]
) -> None:
    """Ana signs in and lands on the query she asked for; Eve is not on the list."""
    pytest.importorskip("authlib")
    from tests.browser.provider import Provider, secrets_text

    provider = Provider()
    secrets = behind_proxy.work / "secrets.toml"
    secrets.write_text(secrets_text(provider), encoding="utf-8")
    app = start_app(behind_proxy.workspace, serve=[])
    page = open_page(**OWN_PROFILE)
    page.goto(f"{app.address}/judge?q=q2")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert faults(page) == []
    provider.claims = {"email": "ana@example.org", "email_verified": True}
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("h1.query")).to_have_text("how much warning before leave 2")
    expect(page.locator(".who")).to_have_text("Ana")
    page.goto(app.address)
    provider.claims = {"email": "eve@example.org"}
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("signed in as eve@example.org")).to_be_visible()
    provider.close()
    secrets.unlink()
