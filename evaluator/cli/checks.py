"""
The commands that check a claim: is a label set sound, are its chunks in the store, does a run
still say what it printed, do somebody's figures add up.

They are registered in `main`, and import what is heavy inside, as everything there does.
"""

import re
from datetime import UTC, datetime
from pathlib import Path

import click

from evaluator.console import AS_JSON, FILE, write_result


@click.command()
@click.argument("labels", type=FILE)
@click.option("--digest", help="The SHA-256 that the label set must have.")
@click.option("--snapshot", type=FILE, help="Also compare every judged chunk with this snapshot.")
@click.option(
    "--stored", help="Also find every gold chunk in this export, snapshot or module:function."
)
@click.option("--authority", type=FILE, help="Root certificates (PEM) to check time stamps with.")
@click.option("--experiment", type=FILE, help="Look for its headers in the texts that were shown.")
@click.option("--id-field", help="Where an export keeps the chunk id, as in payload.id.")
@click.option("--text-field", help="Where an export keeps the text, as in payload.text.")
@AS_JSON
def verify(
    labels: Path,
    *,
    digest: str | None,
    snapshot: Path | None,
    stored: str | None,
    authority: Path | None,
    experiment: Path | None,
    id_field: str | None,
    text_field: str | None,
    as_json: bool,
) -> None:
    """
    Check that a label set is consistent and, with --digest, untouched.

    Without --digest it is only compared with its own manifest. Every problem is listed with
    the member, what was expected and what was found.

    With --stored, every gold chunk is looked for in what a search system holds: an export
    (JSON Lines, CSV, Parquet), a snapshot, or a live store behind a function of yours, which
    takes a list of chunk ids and returns their texts. Each query passes or fails.

    Time stamps beside the set and the commit that holds it are stated as what they are;
    --authority checks the stamps' signatures, offline.

    Example: evaluator verify labels/demo-1 --snapshot snapshot --stored export.jsonl
    """
    from evaluator.checks.labels import verified_json, verified_text, verify_labels
    from evaluator.checks.store_chunks import check_store, retrievable_json, retrievable_text

    if stored is None and (id_field or text_field):
        raise click.UsageError("--id-field and --text-field go with --stored.")
    if digest is not None and not re.fullmatch("[0-9a-fA-F]{64}", digest):
        raise click.BadParameter(
            "expected the 64 hex digits that `labeler freeze` prints.", param_hint="'--digest'"
        )
    found = verify_labels(
        labels,
        now=datetime.now(UTC),
        digest=digest.lower() if digest else None,
        snapshot=snapshot,
        experiment=experiment,
        authority=authority,
    )
    answer, text = verified_json(found), verified_text(found)
    sound = not found.problems
    if stored is not None and found.sha256 is not None:
        held = check_store(
            labels, stored, snapshot=snapshot, id_field=id_field, text_field=text_field
        )
        answer |= {"stored": retrievable_json(held)}
        text += "\n" + retrievable_text(held)
        sound = sound and not held.findings
    write_result(text, answer, as_json=as_json)
    if not sound:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("results", type=FILE)
@click.option("--experiment", type=FILE, help="Where the experiment file lies now.")
@AS_JSON
def reproduce(results: Path, experiment: Path | None, as_json: bool) -> None:
    """
    Compute everything that a run printed again, from its stored rankings.

    Record, tables and reports are compared with what comes out; the first difference is
    named with the stored and the recomputed value. No encoder is needed. What was timed is
    taken from the run's own notes of it.

    Example: evaluator reproduce experiments/headers.results
    """
    from evaluator.checks.reproduce import reproduce as compute_again
    from evaluator.checks.reproduce import reproduced_json, reproduced_text

    found = compute_again(results, experiment=experiment)
    write_result(reproduced_text(found), reproduced_json(found), as_json=as_json)
    if found.difference:
        raise click.exceptions.Exit(1)


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
