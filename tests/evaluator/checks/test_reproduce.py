"""A run computed again: nothing that was changed behind its back goes unseen."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from evaluator import InputError
from evaluator.checks.reproduce import Difference, reproduce
from evaluator.cli.main import main
from evaluator.labelset.format import LabelSetError
from evaluator.record.files import read_record
from evaluator.run import run_experiment
from tests.small_world import RUN_AT, World, arm, load_stand_in

pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture
def results(world: World) -> Path:
    return run(world)


def run(world: World, **how: Any) -> Path:
    how = {"load_model": load_stand_in, "clock": lambda: RUN_AT, **how}
    return run_experiment(world.experiment, **how).path


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def difference(results: Path) -> Difference:
    found = reproduce(results).difference
    assert found is not None
    return found


def test_an_untouched_run_is_reproduced(results: Path) -> None:
    """Every value, and in exactly the digits that are stored."""
    found = reproduce(results)
    assert (None, True) == (found.difference, found.exact)
    assert found.values > 500


@pytest.mark.parametrize(
    "protocol",
    [
        'split = "all"',
        'split = "all"\nranking = "hnsw"',
        'split = "all"\nbody = "matched"',
        'split = "tuning"',
        'split = "all"\nestimand = "traffic"',
    ],
)
def test_any_protocol_is_reproduced(world: World, protocol: str) -> None:
    """Whichever ranking is primary, whole bodies or cut ones; held-out flips as they were shown."""
    world.write_experiment(
        protocol=protocol,
        arms=arm("plain") + arm("headed", header="title+path") + arm("asked", doc_prefix="p: "),
    )
    assert reproduce(run(world, open_held_out=protocol.endswith('"all"'))).difference is None


def test_no_changed_digit_goes_unseen(results: Path) -> None:
    """The last digit of every thirty-seventh number of the record, one after the other."""
    path = results / "record.json"
    whole = path.read_text(encoding="utf-8")
    figures = list(re.finditer(r"(?<=[:\[ ])-?\d+(\.\d+)?(e-?\d+)?(?=[,\n])", whole))
    assert len(figures) > 300
    for figure in figures[::37]:
        place = figure.end() - 1
        changed = str((int(whole[place]) + 1) % 10)
        path.write_text(whole[:place] + changed + whole[place + 1 :], encoding="utf-8")
        found = difference(results)
        assert "record.json" == found.file, figure[0]


@pytest.mark.parametrize(
    ("name", "path", "old", "new"),
    [
        ("record.json", r"contrasts\[0\]\..*\.won", '"won": 6', '"won": 7'),
        (
            "record.json",
            r"arms\[0\]\.costs\.build_seconds",
            '"build_seconds": ',
            '"build_seconds": 1',
        ),
        ("report.md", r"line \d+", "Success@1", "Success@2"),
        ("report.html", r"line \d+", "<main>", "<main >"),
        ("plain.tsv", "line 2", "held-out\tlog\t9", "held-out\tlog\t8"),
    ],
)
def test_an_edit_is_named_with_its_place(
    results: Path, name: str, path: str, old: str, new: str
) -> None:
    """Also a time, which cannot be measured again: the run kept a note of it."""
    edit(results / name, old, new)
    found = difference(results)
    assert (name, True) == (found.file, bool(re.fullmatch(path, found.path))), found


def test_a_report_that_is_not_there_is_missing(results: Path) -> None:
    """Which is a difference, too."""
    (results / "report.md").unlink()
    assert "missing" == difference(results).stored


@pytest.mark.parametrize("name", ["plain.run", "headed.hnsw.run"])
def test_a_changed_line_of_a_run_is_seen(results: Path, name: str) -> None:
    """Also where it changes no figure: the record holds the digest of the file."""
    path = results / name
    lines = path.read_text().splitlines()
    lines[11] = lines[11].replace(lines[11].split()[2], "plain#0x")
    path.write_text("\n".join(lines) + "\n")
    assert difference(results).file in ("record.json", f"{name.split('.', maxsplit=1)[0]}.tsv")


def test_a_swap_of_gold_in_a_run_changes_the_figures(results: Path) -> None:
    """The table by query is the first to show it, with the line."""
    path = results / "headed.run"
    first, second, *rest = path.read_text().splitlines()
    a, b = first.split(), second.split()
    a[2], b[2] = b[2], a[2]
    path.write_text("\n".join([" ".join(a), " ".join(b), *rest]) + "\n")
    found = difference(results)
    assert ("headed.tsv", "line 2") == (found.file, found.path)


def test_the_report_says_how_to_reproduce_it(results: Path) -> None:
    """And every setting has a row, the nested ones that of the graph."""
    text = (results / "report.md").read_text(encoding="utf-8")
    assert "- `evaluator reproduce .` in this directory" in text
    assert "| protocol: filter | yes |" in text
    assert "| protocol: index | ef construction 200, ef search 128, m 16, seed 13 |" in text


def test_another_label_set_or_experiment_is_refused(world: World, results: Path) -> None:
    """Edited, exchanged together with the pin in the experiment file, or with a note more."""
    qrels = world.labels / "qrels.txt"
    qrels.chmod(0o644)
    whole = qrels.read_text()
    edit(qrels, "leave#0 1", "leave#0 0")
    with pytest.raises(LabelSetError, match=r"qrels\.txt"):
        reproduce(results)
    qrels.write_text(whole)
    edit(world.experiment, world.labels_sha256, "0" * 64)
    with pytest.raises(InputError, match="not the one that"):
        reproduce(results)
    edit(world.experiment, "0" * 64, world.labels_sha256)
    edit(world.experiment, 'name = "small"', 'name = "small"\nnote = "x"')
    with pytest.raises(InputError, match="not the experiment of this run"):
        reproduce(results)


def test_a_moved_folder_is_reproduced(
    world: World, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The experiment is looked for beside its results, or where it is said to be."""
    moved = world.folder.with_name("moved")
    shutil.move(world.folder, moved)
    place = moved / results.relative_to(world.folder)
    assert reproduce(place).difference is None
    assert reproduce(place, experiment=moved / "experiment.toml").difference is None
    monkeypatch.chdir(place.parent)  # beside the results no folder is in their name
    assert reproduce(Path(place.name)).difference is None
    alone = moved / "alone"
    shutil.copytree(place, alone)
    with pytest.raises(InputError, match="Name it with --experiment"):
        reproduce(alone)


def test_a_run_without_its_notes_is_refused(results: Path) -> None:
    """As one of an earlier version, or one that somebody tidied."""
    (results / "observed.json").unlink()
    with pytest.raises(InputError, match=r"observed\.json is missing"):
        reproduce(results)


def test_a_record_that_does_not_say_what_it_is_of_is_refused(results: Path) -> None:
    """One of another tool, and one that lost its arms' files."""
    path = results / "record.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {"format": "other/1"}))
    with pytest.raises(InputError, match="not a record that can be reported"):
        reproduce(results)
    path.write_text(json.dumps(record | {"experiment": {"name": "small"}}))
    with pytest.raises(InputError, match="does not say what it was made from"):
        reproduce(results)


def test_the_command_says_what_it_found(results: Path) -> None:
    """Exit code 0 and a sentence, or 1 and the difference; the same as JSON."""
    asked = CliRunner()
    done = asked.invoke(main, ["reproduce", str(results)])
    assert (0, True) == (done.exit_code, "is reproduced" in done.output)
    edit(results / "record.json", '"won": 6', '"won": 7')
    done = asked.invoke(main, ["reproduce", str(results)])
    assert (1, True) == (done.exit_code, "stored      7\n  recomputed  6" in done.output)
    found = json.loads(asked.invoke(main, ["reproduce", str(results), "--json"]).output)
    assert (False, "7") == (found["reproduced"], found["difference"]["stored"])


@pytest.mark.parametrize("content", ["[" * 100_000, '{"p": NaN}', '{"p": Infinity}', "{"])
def test_a_record_that_no_run_wrote_is_refused(tmp_path: Path, content: str) -> None:
    """Brackets without end, and what JSON has no word for."""
    (tmp_path / "record.json").write_text(content)
    with pytest.raises(InputError, match="is not JSON"):
        read_record(tmp_path)


def test_an_older_record_gives_no_pairs(tmp_path: Path) -> None:
    """What it holds may mean something else now."""
    (tmp_path / "record.json").write_text('{"format": "onecause-record/1", "contrasts": [{}]}')
    found = CliRunner().invoke(main, ["unjudged", str(tmp_path)])
    assert 1 == found.exit_code
    assert "expected format" in found.output
