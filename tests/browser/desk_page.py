"""The judging page as a test handles it: by what a person sees and presses."""

import time
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

PATIENCE_SECONDS = 30


class DeskPage:
    def __init__(self, page: Page, address: str, query_id: str) -> None:
        self.page, self.query_id = page, query_id
        self.url = f"{address}/judge?q={query_id}"

    def open(self, *, as_new: str | None = None) -> None:
        """Go to the desk; the first time a name has to be given."""
        self.page.goto(self.url)
        if as_new is not None:
            field = self.page.get_by_role("textbox")
            field.fill(as_new)
            field.press("Enter")
        self.wait()

    def wait(self) -> None:
        expect(self.page.locator(".card").first).to_be_visible()
        rules = self.page.locator("dialog.rules .primary").first
        if rules.is_visible():
            rules.click()

    @property
    def active(self) -> Locator:
        return self.page.locator(".card.active")

    @property
    def query(self) -> Locator:
        """On the way to the next query both are there for a moment, the new one first."""
        return self.page.locator("h1.query").first

    @property
    def position(self) -> int:
        """Which card is active, from 0."""
        return int(self.active.get_attribute("data-index") or -1)

    def card(self, index: int) -> Locator:
        return self.page.locator(f'.card[data-index="{index}"]')

    def press(self, keys: str, *, pause_ms: int = 160) -> None:
        """Press keys, each once the desk has shown for a while what the last one did."""
        shown = "(ms) => new Promise((done) => setTimeout(() => setTimeout(done, ms)))"
        for key in keys:
            self.page.keyboard.press(key)
            self.page.evaluate(shown, pause_ms)

    def expect_saved(self) -> None:
        expect(self.page.locator(".saved")).to_have_text("Saved")

    def expect_count(self, text: str) -> None:
        expect(self.page.locator(".count").first).to_have_text(text)


def shown(page: Page, selector: str) -> list[str]:
    """The DOM's own text of every element, controls and all."""
    texts: list[str] = page.locator(selector).evaluate_all(
        "(nodes) => nodes.map((node) => node.textContent)"
    )
    return texts


def until(
    page: Page, condition: Callable[[], bool], *, what: str, seconds: float = PATIENCE_SECONDS
) -> None:
    """Wait for something outside the page, while the page goes on living."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        page.wait_for_timeout(40)


def frames_received(page: Page) -> list[bytes]:
    """A list that fills with all that the server sends to a page from now on."""
    frames: list[bytes] = []

    def note(frame: str | bytes) -> None:
        frames.append(frame.encode() if isinstance(frame, str) else frame)

    page.on("websocket", lambda socket: socket.on("framereceived", note))
    return frames
