"""The reference of the experiment file names what the file may say, and nothing else."""

import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

import evaluator
from evaluator.experiment.experiment import read_experiment
from evaluator.experiment.protocol import IndexSettings, Usage
from evaluator.files.form import Form

REFERENCE = (
    Path(evaluator.__file__)
    .with_name("experiment")
    .joinpath("experiment.md")
    .read_text(encoding="utf-8")
)
ALONE = ("", "[protocol]", "[protocol.index]", "[costs]", "[answers]", "[[arm]]", "[[contrast]]")
TOGETHER = (("[labels]", "[snapshot]"), ("[model]", "[arm.model]"))
TABLES_INSIDE = {"labels", "snapshot", "model", "protocol", "index", "costs", "answers"}
TABLES_INSIDE |= {"arm", "contrast"}


def documented() -> dict[str, set[str]]:
    """The keys of each table that the reference has rows for; the top of the file is ""."""
    found: dict[str, set[str]] = defaultdict(set)
    for section in REFERENCE.split("\n## ")[1:]:
        title, body = section.split("\n", 1)
        rows = body.partition("| key |")[2].partition("\n\n")[0].splitlines()[2:]
        keys = {key for row in rows for key in re.findall(r"`(\w+)`", row.split("|")[1])}
        for table in re.findall(r"`(\[.*?\]+)`", title) or [""]:
            found[table] |= keys
    return found


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, set[str]]:
    """The keys that reading the example asks for, by table."""
    found: dict[str, set[str]] = defaultdict(set)
    closing = Form.close

    def close(form: Form, *removed: Mapping[str, str]) -> None:
        where = re.sub(r" of .*", "", form.where)
        where = "[[arm]]" if where.startswith("arm ") else where
        where = re.sub(r"\]\] \d+$", "]]", where)
        found["" if where.startswith("the top") else where] |= set(form._known)
        closing(form, *removed)

    monkeypatch.setattr(Form, "close", close)
    path = tmp_path / "experiment.toml"
    path.write_text(REFERENCE.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    read_experiment(path)
    return found


def test_every_key_of_the_file_is_explained(asked: dict[str, set[str]]) -> None:
    """What the reader asks for in a table has a row there, and no row is for nothing."""
    explained = documented()
    assert {table for together in (ALONE, *TOGETHER) for table in together} == asked.keys()
    for tables in (*((table,) for table in ALONE), *TOGETHER):
        keys = set().union(*(asked[table] for table in tables)) - TABLES_INSIDE
        assert (tables, keys) == (tables, explained[tables[0]])


def test_the_defaults_are_those_of_the_code() -> None:
    """The stated defaults of graph and costs are what the values have by themselves."""
    for settings in (IndexSettings(), Usage()):
        for key in settings.__dataclass_fields__:
            value = getattr(settings, key)
            if value is not None:
                stated = f"`{value:g}`" if isinstance(value, float) else f"`{value}`".lower()
                (row,) = re.findall(rf"^\| `{key}` \|.*$", REFERENCE, re.MULTILINE)
                assert (key, row.split("|")[3].strip()) == (key, stated)
