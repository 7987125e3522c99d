"""
The commands on frozen label sets: compare two, carry one over, hand one to other tools.
"""

from pathlib import Path

import click

from evaluator.console import printable, write_json
from labeler.arguments import FILE


@click.command()
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def diff(old: Path, new: Path, as_json: bool) -> None:
    """
    Compare two label sets: queries, pairs, grades and by whom, gold and classes.

    Example: labeler diff labels/first labels/second
    """
    from evaluator.labelset import read_label_set
    from labeler.differences import differences
    from labeler.differences_text import differences_text

    found = differences(read_label_set(old), read_label_set(new))
    if as_json:
        write_json(found.as_record())
    else:
        click.echo(printable(differences_text(found)))
