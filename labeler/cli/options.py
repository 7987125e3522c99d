"""
What the commands have in common: the workspace or the logs they are given, and the clock.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.console import FILE

if TYPE_CHECKING:
    from labeler.workspace.workspace import Workspace

WORK = click.argument("work", type=FILE)
_NAMED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}


def opened(work: Path) -> "Workspace":
    from labeler.workspace.workspace import Workspace

    return Workspace.open(work)


def now() -> datetime:
    return datetime.now(UTC)


def log_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that say how a log is laid out, under the names that Shape has."""
    for option in reversed(_LOG_OPTIONS):
        command = option(command)
    return command


def _delimiter(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    sign = _NAMED.get(value, value) if value is not None else None
    if sign is not None and len(sign) != 1:
        raise click.BadParameter(f"{value!r} is not one character, nor one of: tab, comma.")
    return sign


_LOG_OPTIONS = (
    click.option("--query-column", help="Column that holds the queries."),
    click.option("--count-column", help='Column that says how often a query came; "" for none.'),
    click.option("--delimiter", callback=_delimiter, help="Between cells: a character, or tab."),
    click.option(
        "--encoding", help="Such as cp1252. Default: UTF-8, a mark, or a guess that is said."
    ),
    click.option("--plain", is_flag=True, help="Every line is one query, whatever it looks like."),
    click.option(
        "--query-parameter", metavar="NAME", help="Read a web server's log: holds the query."
    ),
    click.option("--status", "statuses", multiple=True, help="Only these answers: 200, 2xx, ..."),
    click.option(
        "--skip-agent",
        "skip_agents",
        multiple=True,
        metavar="REGEX",
        help="Leave out requests of these agents, such as bot|crawler.",
    ),
)


def removed(option: str, instead: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """An option that was removed, which says so to whoever still gives it."""

    def refuse(_: click.Context, __: click.Parameter, value: str | None) -> None:
        if value is not None:
            raise click.UsageError(f"{option} was removed. {instead}")

    return click.option(option, hidden=True, expose_value=False, callback=refuse)
