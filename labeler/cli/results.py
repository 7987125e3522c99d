"""
The command on flips: the queries that an experiment won and lost, with what was noted on them.
"""

from pathlib import Path

import click

from evaluator import InputError
from evaluator.console import printable, write_json
from labeler.cli.options import FILE, WORK, opened


@click.command()
@WORK
@click.option("--results", type=FILE, help="Results directory. Default: the newest in WORK.")
@click.option("--only", type=click.Choice(["lost", "won"]), help="Only the lost, or the won.")
@click.option("--unread", is_flag=True, help="Only what nobody has marked as read.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with ranks and all marks.")
def flips(work: Path, results: Path | None, only: str | None, unread: bool, as_json: bool) -> None:
    """
    List the queries that an experiment won and lost, and the comments on them.

    They are read and marked on the page "Flips"; held-out ones are only counted here.
    Example: labeler flips work --only lost
    """
    from labeler.results.flip_report import flip_lines, flip_report
    from labeler.results.flips import Wanted
    from labeler.results.results import find_results, read_results

    workspace = opened(work)
    found = [results] if results is not None else list(find_results(work))
    if not found:
        raise InputError(
            f"There are no results in {work}. Name a directory that evaluator run wrote: --results"
        )
    wanted = Wanted(moved=only or "", read="unread" if unread else "")
    report = flip_report(workspace, read_results(found[0]), wanted)
    if as_json:
        write_json(report)
    else:
        click.echo(printable("\n".join(flip_lines(report))))
