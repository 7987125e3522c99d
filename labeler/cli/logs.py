"""
The command that reads query logs into a workspace, or shows how it would read them.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evaluator.console import FILE, printable, say
from evaluator.text.messages import counted
from labeler.cli.options import WORK, log_options, opened

if TYPE_CHECKING:
    from labeler.logs.file import ByteProgress
    from labeler.logs.read import LogReading

_SHOW_FROM = 5_000_000  # bytes; a smaller log is read before a bar could be looked at


@click.command()
@WORK
@click.argument("files", type=FILE, nargs=-1)
@click.option("--preview", is_flag=True, help="Show first rows and guessed columns; keep nothing.")
@log_options
@click.option(
    "--no-normalise",
    "normalise",
    flag_value=False,
    default=True,
    help="Count texts as they stand, case and blanks included.",
)
@click.option(
    "--private",
    multiple=True,
    metavar="drop|mask|keep",
    help="What to do with queries that hold private data; for a kind alone: card=drop. No default.",
)
@click.option(
    "--identifier",
    "identifiers",
    multiple=True,
    metavar="REGEX",
    help="What else is private, such as customer numbers.",
)
@click.option(
    "--region",
    "regions",
    multiple=True,
    metavar="CC",
    help="Look for phone numbers as they are written in NO, GB, ...",
)
@click.option("--forget", metavar="FILE|all", help="Take a log out that was read by mistake.")
@click.option("--problems", type=FILE, help="Write every line in doubt to this CSV file.")
@click.option("--accept-broken", is_flag=True, help="Leave out broken lines, however many.")
def logs(
    work: Path,
    files: tuple[Path, ...],
    *,
    preview: bool,
    accept_broken: bool,
    problems: Path | None,
    forget: str | None,
    private: tuple[str, ...],
    **options: Any,
) -> None:
    """
    Read query logs; counts of equal queries add up.

    CSV, TSV, workbooks, JSON, UBI, plain lines, Parquet and logs of web servers, also packed.
    Where queries hold e-mail addresses, phone or card numbers and the like, nothing is stored
    until --private says what to do. Example: labeler logs work searches.csv --private mask
    """
    from labeler.logs.columns import Shape

    if forget is not None:
        opened(work).queries.forget_log(Path(forget).name)
        say(f"Forgotten: {forget}.")
        return
    if not files:
        raise click.UsageError("Name one or more logs.")
    shape = Shape(**{name: options.pop(name) for name in Shape.__dataclass_fields__})
    if preview:
        from labeler.logs.preview import guess_columns, preview_text

        for path in files:
            click.echo(printable(preview_text(guess_columns(path, shape))))
        return
    from evaluator.files.whole import require_new
    from labeler.logs.preview import Spellings, spellings_text
    from labeler.logs.private import check_decided
    from labeler.logs.read import read_log, require_few_broken

    workspace = opened(work)
    if problems is not None:
        require_new(problems)
    readings = []
    options["private"] = ";".join(private) or None
    for path in files:
        with _bar(path) as progress:
            readings.append(read_log(path, shape, **options, progress=progress))
        _say_reading(readings[-1])
    if problems is not None:
        _write_problems(problems, readings)
    for reading in readings:
        check_decided(reading.record)
        if not accept_broken:
            require_few_broken(reading)
    found = [Spellings() for _ in readings]
    workspace.queries.add_logs(
        [
            (reading.record, each.watch(reading.queries))
            for reading, each in zip(readings, found, strict=True)
        ]
    )
    if options["normalise"]:
        for reading, each in zip(readings, found, strict=True):
            say(spellings_text(each, reading.record["file"]))


def _say_reading(reading: "LogReading") -> None:
    """What was read, and the first lines in doubt; private ones while nobody has decided."""
    from evaluator.files.records import shown

    say(reading_text(reading.record))
    listed = [f"line {each.line}: {each.reason}" for each in reading.problems]
    if reading.record["private"]["undecided"]:
        found = reading.private()
        listed += [f"line {each.line}: {each.reason}: {each.text}" for each in found]
    for line in shown(listed):
        say(line)


def reading_text(record: Mapping[str, Any]) -> str:
    """What was read of one log, how queries were grouped, and what is private in it."""
    from labeler.logs.private import found_text

    others = {
        "blank": record["blank"],
        "broken": record["broken"],
        "of totals": record["totals"],
        "of events": record["events"],
        "of actions": record["action_lines"],
        "of other requests": record.get("other_requests", 0),
    }
    rest = record["lines"] - record["kept_lines"] - sum(others.values())
    said = [f"{n:,} {what}" for what, n in others.items() if n or what in ("blank", "broken")]
    summary = (
        f"{record['file']}: {counted(record['searches'], 'search', many='searches')}, "
        f"{counted(record['distinct'], 'distinct query', many='distinct queries')}"
    )
    # A line may hold several entries, as an answer in JSON does; then there is no sum of lines.
    whole = f"{counted(record['lines'], 'line')}: " if rest >= 0 else ""
    account = f"  {whole}{record['kept_lines']:,} read, {', '.join(said)}"
    if rest > 0:
        account += f", {rest:,} of the header, left out, or cells over several lines"
    private = record["private"]
    done = {"drop": "; left out", "mask": "; masked", "keep": "; kept", None: ""}
    choice = done.get(private["choice"], f"; {private['choice']}") if private["queries"] else ""
    if left := private["dropped_searches"]:
        asked = record["searches"] + left
        choice += f", {record['searches'] / asked:.0%} of {asked:,} searches kept"
    grouped = record["normalising"] if record["normalising"] != "none" else "nothing: as they stand"
    read = [f"{name} from {of!r}" for name, of in (record["columns"] or {}).items() if of]
    lines = ["Columns: " + ", ".join(read)] if read else []
    lines += [*record["notes"], f"Queries are equal after: {grouped}."]
    lines.append(found_text(private) + choice)
    return "\n".join([summary, account, *(f"  {line.removesuffix('.')}." for line in lines)])


def _write_problems(file: Path, readings: "Sequence[LogReading]") -> None:
    """Every line that was left out or holds private data, masked, as a table."""
    import csv

    with file.open("x", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["file", "line", "reason", "text"])
        for reading in readings:
            for each in sorted((*reading.problems, *reading.private()), key=lambda e: e.line):
                writer.writerow([reading.record["file"], each.line, each.reason, each.text])


@contextmanager
def _bar(path: Path) -> Iterator["ByteProgress | None"]:
    """A function that moves a bar on standard error, or None for what is read at once."""
    if not path.is_file() or path.stat().st_size < _SHOW_FROM:
        yield None
        return
    with click.progressbar(length=1, label=f"Reading {path.name}", file=sys.stderr) as bar:

        def move(done: int, total: int) -> None:
            bar.length = total
            bar.update(done - bar.pos)

        yield move
