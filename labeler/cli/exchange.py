"""
The commands that bring in what was made elsewhere.
"""

from pathlib import Path
from typing import Any

import click

from evaluator.console import say
from evaluator.text.messages import counted
from labeler.cli.options import FILE, WORK, now, opened


@click.command(name="import")
@WORK
@click.option(
    "--queries",
    type=FILE,
    help="JSON lines, CSV, lines of id, tab and text, or an export of Quepid or OpenSearch.",
)
@click.option(
    "--judgements",
    type=FILE,
    help="TREC qrels, BEIR, three columns, CSV, JSON lines, ranx, Quepid, OpenSearch, "
    "Label Studio or HiCAL.",
)
@click.option(
    "--origin",
    type=click.Choice(["authored", "log", "known-item"]),
    default="authored",
    show_default=True,
    help="Where the queries come from, for lines that do not say.",
)
@click.option("--skip-unknown", is_flag=True, help="Leave out judgements of unknown ids.")
@click.option(
    "--replace",
    "replace_own",
    is_flag=True,
    help="Where an assessor judged a pair here and in the file, let the later one stand.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be imported, and store nothing.")
def import_judgements(work: Path, dry_run: bool, **options: Any) -> None:
    """
    Read queries and judgements that were made elsewhere; their pairs become the pool.

    Example: labeler import work --queries queries.jsonl --judgements qrels.tsv
    """
    from labeler.exchange.imports.plan import plan_import, store_plan

    workspace = opened(work)
    plan = plan_import(workspace, now=now(), **options)
    for note in plan.notes:
        say(note)
    if dry_run and not plan.obstacles:
        known = {pair[:2] for pair in workspace.pool.entries()}
        pairs = sum(pair[:2] not in known for pair in plan.pool)
        new = _counts(len(plan.queries), pairs, len(plan.judgements))
        say(f"Would import {new}. Nothing was stored.")
        return
    imported = store_plan(workspace, plan)
    say(f"Imported {_counts(imported.queries, imported.pairs, imported.judgements)}.")


def _counts(queries: int, pairs: int, judgements: int) -> str:
    return (
        f"{counted(judgements, 'judgement')} "
        f"(new here: {counted(queries, 'query', many='queries')}, {counted(pairs, 'pair')})"
    )
