"""
The commands on runs that were made elsewhere, and on pairs that nobody judged.

They are registered in `main`, and import what is heavy inside, as everything there does.
"""

from pathlib import Path

import click

from evaluator.console import FILE, say, write_json

FULL = click.option("--full", is_flag=True, help="Print everything, not the first screen alone.")


@click.command()
@click.argument("results", type=FILE)
@click.option("--all", "everything", is_flag=True, help="Every unjudged pair, of both arms alike.")
@click.option("--seed", default=13, show_default=True, help="Draws the order.")
@click.option("--labels", type=FILE, help="The label set, where it has been moved.")
@click.option("-o", "--out", type=FILE, help="File of JSON lines; it must not exist.")
def unjudged(
    results: Path, *, everything: bool, seed: int, labels: Path | None, out: Path | None
) -> None:
    """
    Write pairs that nobody judged, for the next label set and never for this one.

    The shortest list that could take a difference to 0 or beyond, or with --all every pair in
    the first k of either arm: the short list is drawn from one arm, so a label set that is to
    judge the arms alike needs --all. Query and chunk ids only, shuffled; `labeler pool
    --pairs` takes the file. RESULTS is a results directory or a record.

    Example: evaluator unjudged results --all -o unjudged.jsonl
    """
    from evaluator.files.whole import require_new
    from evaluator.record.files import read_results
    from evaluator.record.unjudged import note_look, pair_lines, unjudged_pairs, write_pairs

    if out is not None:
        require_new(out)
    record = read_results(results)
    pairs = unjudged_pairs(record, everything=everything, seed=seed)
    looks = note_look(record, pairs, labels=labels)
    if out is None:
        click.echo("".join(pair_lines(pairs)), nl=False)
    elif pairs:
        write_pairs(out, pairs)
    say(
        f"{len(pairs):,} pairs"
        if pairs
        else "No pair: nothing that could be judged takes a difference to 0."
    )
    if looks is not None:
        say(f"Looks at the held-out slice: at least {looks:,}, in this copy of the label set.")


@click.command()
@click.argument("runs", type=FILE, nargs=-1, required=True)
@click.option("--labels", type=FILE, help="A frozen label set.")
@click.option("--qrels", type=FILE, help="A TREC qrels file; stamped as not frozen.")
@click.option(
    "--measure",
    "measures",
    multiple=True,
    help="First the one that decides. Default: Success@5, and others beside it.",
)
@click.option("--min-grade", default=1, show_default=True, help="Gold of a qrels file.")
@click.option("--snapshot", type=FILE, help="Refuse chunk ids that are not in this snapshot.")
@click.option("--allow-missing", is_flag=True, help="Queries that a run leaves out score 0.")
@click.option("--answers", type=FILE, help="Verdicts on answers: query_id, arm (run), verdict.")
@click.option(
    "--open-held-out", is_flag=True, help="Name the held-out queries that changed; counted."
)
@click.option("--self-test", is_flag=True, help="Compare equal runs, or one with itself.")
@click.option("--json", "as_json", is_flag=True, help="Write the record as JSON.")
@click.option("-o", "--out", type=FILE, help="A results directory; it must not exist.")
@FULL
def compare(
    runs: tuple[Path, ...],
    *,
    labels: Path | None,
    qrels: Path | None,
    measures: tuple[str, ...],
    min_grade: int,
    snapshot: Path | None,
    allow_missing: bool,
    answers: Path | None,
    open_held_out: bool,
    self_test: bool,
    as_json: bool,
    out: Path | None,
    full: bool,
) -> None:
    """
    Compare two or more TREC runs made elsewhere, the first as the baseline.

    Nothing is known of how they were made, so no cause is named. With -o the record, the
    values by query and the reports are written as `evaluator run` writes them.

    Example: evaluator compare plain.run headed.run --labels labels/demo-1 -o results
    """
    from evaluator.outside.compare import compare_files
    from evaluator.record.model import record_json
    from evaluator.report.report import REPORTS, terminal_report, terminal_summary

    if len(runs) < 2:
        raise click.UsageError("Give two or more runs, the baseline first.")
    if (labels is None) == (qrels is None):
        raise click.UsageError("Give either --labels or --qrels.")
    record = compare_files(
        *runs,
        labels=labels,
        qrels=qrels,
        measures=measures,
        min_grade=min_grade,
        allow_missing=allow_missing,
        snapshot=snapshot,
        answers=answers,
        open_held_out=open_held_out,
        self_test=self_test,
        out=out,
        render=REPORTS,
    )
    if as_json:
        write_json(record_json(record))
    elif full:
        click.echo(terminal_report(record))
    else:
        rest = "--full, or a results directory with -o"
        click.echo(terminal_summary(record, **({} if out else {"rest": rest})))
    if out is not None:
        say(f"Results: {out}")
