"""
The command that checks figures of others, for which there is neither run nor label set.

It is registered in `cli`, and imports what is heavy inside, as everything there does.
"""

from pathlib import Path

import click

from evaluator.cli.options import AS_JSON, FILE, write_result


@click.command()
@click.argument("figures", type=FILE, required=False)
@click.option("--template", is_flag=True, help="Print every key with its meaning, to fill in.")
@AS_JSON
def audit(figures: Path | None, *, template: bool, as_json: bool) -> None:
    """
    Check somebody else's figures: what does not add up, and what is missing.

    FIGURES is a TOML or JSON file with what a slide states: queries, rates, paired counts,
    cutoff, tokens, dates. Whatever it leaves out is asked for. Exit code 1 when something
    does not add up.

    Example: evaluator audit slide.toml
    """
    from evaluator.checks import audit as checking
    from evaluator.checks import audit_figures as stated

    if template:
        click.echo(stated.template())
        return
    if figures is None:
        raise click.UsageError("Name a file of figures, or ask for --template.")
    found = checking.audit(stated.read_figures(figures))
    write_result(checking.audit_text(found), checking.audit_json(found), as_json=as_json)
    if not found.adds_up:
        raise click.exceptions.Exit(1)
