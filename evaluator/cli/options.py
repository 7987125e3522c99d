"""
What the commands have in common: paths, the choice of JSON, and how a result is shown.
"""

from pathlib import Path
from typing import Any

import click

from evaluator.console import printable, write_json

FILE = click.Path(path_type=Path)
AS_JSON = click.option("--json", "as_json", is_flag=True, help="Write the result as JSON.")


def write_result(text: str, value: Any, *, as_json: bool) -> None:
    """Write a result as lines for people, or the same for another program."""
    if as_json:
        write_json(value)
    else:
        click.echo(printable(text))
