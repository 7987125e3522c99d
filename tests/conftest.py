"""What every test shares: which are slow, and that the browser's stay in one process."""

import os
import signal
import sys

import pytest

_MAIN = sys.modules["__main__"]
_LEFT_OUT = pytest.StashKey[set[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_LEFT_OUT] = set()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts background jobs
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is slow unless SLOW=1; keep the browser's tests together."""
    left_out = []
    for item in items:
        if "tests/browser/" in item.nodeid:
            item.add_marker(pytest.mark.xdist_group("browser"))
        if os.environ.get("SLOW") != "1" and item.get_closest_marker("slow"):
            left_out.append(item)
    # The longest begins first, so that no process waits for it at the end.
    items[:] = sorted(
        (item for item in items if item not in left_out),
        key=lambda item: "test_the_chain_of_the_pages" not in item.nodeid,
    )
    config.stash[_LEFT_OUT] = {item.nodeid.split("[")[0] for item in left_out}


def pytest_runtest_setup() -> None:
    """Put back `__main__`, which a page without a browser replaces and a new process loads."""
    sys.modules["__main__"] = _MAIN


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that prints the summary what this one has left out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = sorted(session.config.stash[_LEFT_OUT])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    config: pytest.Config = node.config  # type: ignore[attr-defined]
    config.stash[_LEFT_OUT] |= set(getattr(node, "workeroutput", {}).get("left_out", ()))


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Name what was left out."""
    if config.stash[_LEFT_OUT]:
        terminalreporter.section("left out as slow; SLOW=1 runs them")
        for name in sorted(config.stash[_LEFT_OUT]):
            terminalreporter.write_line(name)
