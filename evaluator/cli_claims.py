"""
The commands that check a claim: whether a run still says what it printed.

They are registered in `cli`, and import what is heavy inside, as everything there does.
"""

from pathlib import Path

import click

from evaluator.console import printable, write_json

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("results", type=_FILE)
@click.option("--experiment", type=_FILE, help="Where the experiment file lies now.")
@click.option("--json", "as_json", is_flag=True, help="Write the result as JSON.")
def reproduce(results: Path, experiment: Path | None, as_json: bool) -> None:
    """
    Compute everything that a run printed again, from its stored rankings.

    Record, tables and reports are compared with what comes out; the first difference is
    named with the stored and the recomputed value. No encoder is needed. What was timed is
    taken from the run's own notes of it.

    Example: evaluator reproduce experiments/headers.results
    """
    from evaluator.reproduce import reproduce as compute_again
    from evaluator.reproduce import reproduced_json, reproduced_text

    found = compute_again(results, experiment=experiment)
    if as_json:
        write_json(reproduced_json(found))
    else:
        click.echo(printable(reproduced_text(found)))
    if found.difference:
        raise click.exceptions.Exit(1)
