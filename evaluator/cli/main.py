"""
The `evaluator` command: from a frozen label set to a report.

Commands parse, call one function and write. What is heavy is imported inside the command
that needs it, so help and `verify` answer at once.
"""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click

from evaluator import __version__
from evaluator.cli.checks import ask, audit, reproduce, store_fields, store_options, verify
from evaluator.cli.outside import FULL, compare, unjudged
from evaluator.console import (
    AS_JSON,
    FILE,
    Commands,
    printable,
    progress,
    say,
    write_json,
    write_result,
)


@click.group(cls=Commands)
@click.version_option(__version__, prog_name="evaluator")
def main() -> None:
    """
    Measure what one change to retrieval did, on frozen labels.

    Example: evaluator run experiment.toml -o results
    """


@click.command()
@click.argument("labels", type=FILE)
@click.option("--snapshot", type=FILE, required=True, help="The chunk set that was judged.")
@click.option("--model", help="Such as hub:owner/name or folder:PATH. Default: the pool's.")
@click.option("-o", "--out", type=FILE, help="File to write. Default: LABELS.toml, beside it.")
def new(labels: Path, snapshot: Path, model: str | None, out: Path | None) -> None:
    """
    Write a first experiment for a label set: the arms that its chunks allow, every key explained.

    Example: evaluator new labels/demo-1 --snapshot snapshot -o experiment.toml
    """
    from evaluator.experiment.draft import draft_for_labels
    from evaluator.files.whole import require_new
    from evaluator.snapshot.snapshot import read_snapshot

    file = out or labels.with_name(f"{labels.name}.toml")
    require_new(file)
    text = draft_for_labels(labels, read_snapshot(snapshot), path=file, model=model)
    file.write_text(text, encoding="utf-8", newline="\n")
    say(f"Written: {file}. Read it, then: evaluator run {file}")


@click.command()
@click.argument("experiment", type=FILE)
@click.option("--show", default=5, show_default=True, help="How many to read.")
@AS_JSON
def headers(experiment: Path, show: int, as_json: bool) -> None:
    """
    Show what each arm's header rule does, on tuning documents.

    How many chunks get a header and how long it is, the longest, the most repeated, headers
    with more tokens than their chunk, and some to read.

    Example: evaluator headers experiments/headers.toml
    """
    from evaluator.arms.header_report import header_json, header_text, report_headers
    from evaluator.experiment.pinned import open_experiment

    opened = open_experiment(experiment)
    found = [report_headers(opened, arm, show=show) for arm in opened.experiment.arms]
    write_result(header_text(found), [header_json(one) for one in found], as_json=as_json)


@click.command()
@click.argument("experiment", type=FILE)
@click.option("--arm", "arms", multiple=True, help="Only this arm; may be given again.")
@click.option("--query", "queries", multiple=True, help="The id of a query to show.")
@click.option("--chunk", "chunks", multiple=True, help="The id of a chunk to show.")
@click.option("--show", default=3, show_default=True, help="How many, where none is named.")
@click.option("--vectors", help="Stored vectors: which arm's strings made them?")
@click.option("--ids", type=FILE, help="The chunk ids of a .npy file, one per line.")
@store_options
@AS_JSON
def trace(
    experiment: Path,
    *,
    arms: tuple[str, ...],
    queries: tuple[str, ...],
    chunks: tuple[str, ...],
    show: int,
    vectors: str | None,
    ids: Path | None,
    as_json: bool,
    **where: str | None,
) -> None:
    """
    Show the literal strings that the encoder receives.

    Without ids, some tuning queries and their gold chunks. A held-out chunk, or a query with
    held-out gold, is shown when it is named, and the look is counted.

    With --vectors (.npy and --ids, rows of chunk_id and vector as JSON Lines or Parquet, or the
    address of a live store), a few chunks are encoded again with every header and prefix, on
    and off and reversed, and the vectors are said to agree with one of these, or with none.

    Example: evaluator trace experiments/headers.toml --arm headed
    """
    from evaluator.arms.trace import trace_experiment, trace_text

    if vectors is not None:
        from evaluator.checks.store_vectors import probe_experiment, probe_json, probe_text

        fields = store_fields(where)
        probed = probe_experiment(
            experiment, vectors, ids=ids, fields=fields, chunk_ids=chunks, show=show
        )
        _say_held_out(probed.held_out)
        write_result(probe_text(probed), probe_json(probed), as_json=as_json)
        return
    found = trace_experiment(experiment, arms=arms, query_ids=queries, chunk_ids=chunks, show=show)
    _say_held_out([one.id for one in found if one.held_out])
    write_result(trace_text(found), [asdict(one) for one in found], as_json=as_json)


def _say_held_out(ids: Iterable[str]) -> None:
    """What was shown although no rule may be tuned on it."""
    if shown := list(dict.fromkeys(ids)):
        say(f"Held out, and shown since it was named: {', '.join(shown)}. The look is counted.")


@click.command()
@click.argument("experiment", type=FILE)
@click.option("-o", "--out", type=FILE, help="The results directory; it must not exist.")
@click.option(
    "--open-held-out", is_flag=True, help="Name the held-out queries that changed; counted."
)
@click.option("--samples", type=FILE, help="Run on the samples in this folder instead.")
@click.option("--answers", type=FILE, help="Verdicts on answers: query_id, arm, verdict.")
@FULL
def run(
    experiment: Path,
    *,
    out: Path | None,
    open_held_out: bool,
    samples: Path | None,
    answers: Path | None,
    full: bool,
) -> None:
    """
    Run every arm of an experiment and write its results.

    They go to a new directory under EXPERIMENT's name, with `.results` for `.toml`: the
    record, the runs, a table by query and arm, and a report, of which the first screen is
    printed. Vectors are kept, so a second run encodes nothing, and an interrupted one goes on
    where it stopped.

    With --samples, one directory for each sample of `evaluator sample`, the spread, and
    beside it the latest run over the whole chunk set. No level of a sample is quotable.

    With --answers, or a table [answers] in the experiment, verdicts on what a generator made
    of the chunks (1 or 0, correct or incorrect) are compared beside the retrieval.

    Example: evaluator run experiments/headers.toml
    """
    from evaluator.report.report import terminal_report, terminal_summary
    from evaluator.run import run_experiment
    from evaluator.small_sets.run import run_samples, summary_text

    if samples is not None and answers is not None:
        raise click.UsageError("--answers goes with one run and not with --samples.")
    if samples is not None:
        done = run_samples(
            experiment, samples, out=out, progress=progress, open_held_out=open_held_out
        )
        click.echo(printable(summary_text(done.summary)))
        say(f"Results: {done.path}")
        return
    results = run_experiment(
        experiment, out=out, progress=progress, open_held_out=open_held_out, answers=answers
    )
    click.echo((terminal_report if full else terminal_summary)(results.record))
    say(f"Results: {results.path}")


@click.command()
@click.argument("experiment", type=FILE)
@click.option("--distractors", type=click.IntRange(0), required=True, help="How many at random.")
@click.option("--seeds", default="1,2,3", show_default=True, help="One sample for each.")
@click.option("--hard", type=FILE, help="Also the first chunks of a TREC run that is no arm's.")
@click.option("--hard-depth", default=10, show_default=True, help="How many of each query.")
@click.option("-o", "--out", type=FILE, help="Folder for them. Default: beside EXPERIMENT.")
def sample(
    experiment: Path,
    *,
    distractors: int,
    seeds: str,
    hard: Path | None,
    hard_depth: int,
    out: Path | None,
) -> None:
    """
    Make smaller chunk sets: the whole pool of the labels among some distractors.

    For quick looks while a header is worked on: fewer distractors flatter every arm, so a
    run on a sample is marked. Prints the path and digest of each.

    Example: evaluator sample experiments/headers.toml --distractors 20000
    """
    from evaluator.files.whole import require_writable
    from evaluator.small_sets.make import read_seeds, sample_experiment

    if out is not None:
        require_writable(out / "seed")
    made = sample_experiment(
        experiment,
        out,
        distractors=distractors,
        seeds=read_seeds(seeds),
        hard=hard,
        hard_depth=hard_depth,
        now=datetime.now(UTC),
    )
    for snapshot in made:
        click.echo(f"{snapshot.path}\t{snapshot.digest}\t{len(snapshot)}")
    say(f"Run them: evaluator run {experiment} --samples {made[0].path.parent}")


@click.command()
@click.argument("results", type=FILE)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "html", "markdown", "latex", "csv"]),
    default="text",
    show_default=True,
    help="What to print; latex and csv print one table.",
)
@click.option(
    "--table",
    type=click.Choice(["measures", "per-query"]),
    default="measures",
    show_default=True,
    help="Which, in latex or csv.",
)
@FULL
def report(results: Path, *, form: str, table: str, full: bool) -> None:
    """
    Print the report of a run again, from its record.

    RESULTS is a results directory, or the `.results` folder of an experiment, which stands
    for its latest run. Text is the first screen, or everything with --full. Where it names
    held-out queries, the look is counted. A record that was edited is refused: it is not what
    its own digest says.

    Example: evaluator report experiments/headers.results --format csv --table per-query
    """
    from evaluator.record.files import note_reprint, read_results, record_file, require_own_digest
    from evaluator.record.frames import table_text
    from evaluator.record.model import record_json
    from evaluator.report import report as reports

    record = read_results(results)
    folder = record_file(results).parent
    require_own_digest(record, folder)
    if form in ("latex", "csv"):
        click.echo(table_text(record, folder, table=table, form=form), nl=False)
        return
    if said := note_reprint(record, at=datetime.now(UTC)):
        say(said)
    if form == "json":
        write_json(record_json(record))
        return
    text = reports.terminal_report if full else reports.terminal_summary
    forms = {"text": text, "markdown": reports.markdown_report, "html": reports.html_report}
    click.echo(forms[form](record))


@click.command()
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@AS_JSON
def changeover(old: Path, new: Path, as_json: bool) -> None:
    """
    Set two runs of the same arms side by side: on two label sets, or at two dates.

    OLD and NEW are results directories. For the one release at which frozen queries are
    replaced by a successor, it says whether the conclusions agree and how far levels moved. On
    one label set, with a corpus that lives on, it says for each arm what moved and what is within
    the noise of the set. Either way it lists what else differs.

    Example: evaluator changeover results/2026-h1 results/2026-h2
    """
    from evaluator.checks.changeover import compare_label_sets
    from evaluator.checks.changeover_text import changeover_text

    found = compare_label_sets(old, new)
    write_result(changeover_text(found), asdict(found), as_json=as_json)


main.add("Experiment", verify, new, headers, trace)
main.add("Run", sample, run)
main.add("Reading", report, unjudged)
main.add("Checks", ask, reproduce, changeover)
main.add("Other people's runs and figures", compare, audit)
