"""
What the commands have in common: the workspace they are given, and the clock.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from labeler.store import Workspace

FILE = click.Path(path_type=Path)
WORK = click.argument("work", type=FILE)


def opened(work: Path) -> "Workspace":
    from labeler.store import Workspace

    return Workspace.open(work)


def now() -> datetime:
    return datetime.now(UTC)
