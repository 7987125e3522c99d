"""Somebody else's figures: a table with one fault, and what else a slide can get wrong."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from evaluator import InputError
from evaluator.checks.audit import Audit, audit, audit_text
from evaluator.checks.audit_figures import KEYS, read_figures, template
from evaluator.cli.main import main

TABLE = "n = 200\nboth = 118\nneither = 28\nwon = 40\nlost = 6\nbefore = 0.62\nafter = 0.79\n"
CLOSURES = """measure = "recall@5"
k = 5
input_tokens_before = 812
input_tokens_after = 874
header_tokens = 62
header_tokens_per_query = 310
chunks_before = 2000000
chunks_after = 2000000
"""


def check(folder: Path, text: str, *, name: str = "slide.toml") -> Audit:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return audit(read_figures(path))


def those(found: Audit, kind: str) -> list[str]:
    return [one.text for one in found.findings if one.kind == kind]


def said(found: Audit, kind: str, part: str) -> bool:
    return any(part in text for text in those(found, kind))


def test_a_table_with_one_fault(tmp_path: Path) -> None:
    """Its cells add up to 192, not 200; everything else agrees to the last printed digit."""
    found = check(tmp_path, TABLE + CLOSURES)
    [fault] = those(found, "does not add up")
    assert fault.startswith("the four cells add up to 192, not 200")
    assert "what is left, 36, and not 28" in fault
    assert [
        "before 0.62 is (both 118 + lost 6) / 200 = 0.62",
        "after 0.79 is (both 118 + won 40) / 200 = 0.79",
        "2,000,000 chunks before and after, as one chunking gives",
        "inputs grow by 62 tokens, 812 to 874, as the mean header of 62",
        "header_tokens_per_query 310 is 62 header tokens times k = 5",
    ] == those(found, "adds up")
    assert f"exact McNemar p = {21834040 / 2**46:.3g}" in audit_text(found)
    assert said(found, "follows", "6 of 200 queries (3.0%) got worse and can be read")
    assert said(found, "missing", "'recall@5' names two measures")
    assert "1 thing does not add up, 15 are not stated" in audit_text(found).splitlines()[0]


def test_two_rates_leave_the_cells_open(tmp_path: Path) -> None:
    """Won less lost is 34; how many queries got worse is anybody's guess between 0 and 42."""
    found = check(tmp_path, "n = 200\nbefore = 0.62\nafter = 0.79\n")
    assert [] == those(found, "does not add up")
    assert said(found, "follows", "won less lost is 34")
    assert said(found, "follows", "lost may be anything from 0 to 42")
    assert said(found, "missing", "both: queries hit in both arms?")


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("118 + won 90 + lost 6 = 214, of n = 200", "n=200\nboth=118\nwon=90\nlost=6"),
        ("0 + won 0 + lost 0 = 0, of n = 0", "n = 0\nboth = 0\nwon = 0\nlost = 0\nbefore = 0.5"),
        ("after is printed as 0.791, but (both 118", TABLE.replace("0.79", "0.791")),
        ("after is printed as 1, but (both 118", TABLE.replace("0.79", "1")),
        ("the printed difference is 0.18", TABLE + "difference = 0.18"),
        ("before is printed as 0.6217, but 124 / 200", 'measure="Success@5"\nn=200\nbefore=0.6217'),
        ("two chunk sets", "chunks_before = 100\nchunks_after = 103"),
        (
            "but the mean header has 70: text was cut",
            "input_tokens_before=812\ninput_tokens_after=874\nheader_tokens=70",
        ),
        (
            "header_tokens_per_query is printed as 300, but 62 header tokens times k = 10 is 620",
            "k = 10\nheader_tokens = 62\nheader_tokens_per_query = 300",
        ),
        ("more queries have gold than there are", "n = 5\nn_gold = 6"),
    ],
)
def test_what_does_not_add_up_is_named(tmp_path: Path, part: str, text: str) -> None:
    """With the figures that contradict each other."""
    found = check(tmp_path, text)
    assert said(found, "does not add up", part), those(found, "does not add up")
    assert not found.adds_up


@pytest.mark.parametrize(
    ("rates", "neither"),
    [("", 2), ("before = 0.865\nafter = 0.923\n", 2), ("before = 0.865\n", "")],
)
def test_figures_over_the_queries_with_gold_add_up(
    tmp_path: Path, rates: str, neither: int | str
) -> None:
    """43 + 5 + 2 + 2 are the 52 of 64 queries that have gold, and 45 of 52 is 0.865."""
    slide = f"n = 64\nn_gold = 52\nboth = 43\nwon = 5\nlost = 2\n{rates}"
    found = check(tmp_path, slide + (f"neither = {neither}\n" if neither else ""))
    assert [] == those(found, "does not add up")
    assert said(found, "adds up", "the cells are of the 52 queries with gold, of 64")


def test_rates_over_the_queries_with_gold_are_shares_of_those(tmp_path: Path) -> None:
    """0.865 is no share of 64 queries, and 45 of 52."""
    slide = 'measure = "Success@5"\nn = 64\nbefore = 0.865\nafter = 0.923\n'
    assert said(check(tmp_path, slide), "does not add up", "0.865, but 55 / 64")
    found = check(tmp_path, slide + "n_gold = 52\n")
    assert [] == those(found, "does not add up")
    assert said(found, "follows", "won less lost is 3")


def test_cells_say_nothing_of_another_measure(tmp_path: Path) -> None:
    """R@5 is below the share of hits where gold is missed."""
    rates = TABLE.replace("0.62", "0.555").replace("0.79", "0.6875").replace("28", "36")
    found = check(tmp_path, rates + 'measure = "R@5"\n')
    assert [] == those(found, "does not add up")
    assert not said(found, "follows", "won less lost")


def test_a_full_slide_leaves_nothing_to_ask(tmp_path: Path) -> None:
    """Every key answered: no line under missing."""
    answers = {"count": "10", "text": '"Success@5"'}
    text = "\n".join(f"{key} = {answers.get(kind, '0.5')}" for key, kind, _ in KEYS)
    assert [] == those(check(tmp_path, text), "missing")
    assert 15 < len(those(check(tmp_path, "name = 'empty'"), "missing"))


def test_json_with_other_names_for_the_cells_is_read(tmp_path: Path) -> None:
    """The same table under the names that other tools give its cells."""
    table = {"n": 200, "hit_both": 118, "miss_both": 28, "won": 40, "lost": 6}
    rates = {"rate_without": 0.62, "rate_with": "79%"}
    found = check(tmp_path, json.dumps(table | rates), name="table.json")
    assert said(found, "does not add up", "add up to 192, not 200")
    assert said(found, "adds up", "after 0.79 is (both 118 + won 40) / 200")
    with pytest.raises(InputError, match="'n' stands twice"):
        check(tmp_path, '{"n": 200, "both": 118, "n": 192}', name="slide.json")


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("Unknown key 'befor' in slide.toml. Did you mean 'before'?", "befor = 0.6"),
        ("slide.toml: standard_error is no longer read. Leave it out.", "standard_error = 0.03"),
        ("n is 2.5. Expected a whole number", "n = 2.5"),
        ("before is true. Expected a number", "before = true"),
        ("after is 79. Expected a number from 0 to 1, or per cent as in '62%'", "after = 79"),
        ("header_tokens is -62. Expected a number from 0", "header_tokens = -62"),
        ("before is Infinity. Expected", "before = inf"),
        ("cannot be read as TOML or JSON", "n = = 2"),
        ("hit_both is stated twice, once as both", "both = 1\nhit_both = 2"),
    ],
)
def test_what_is_no_figure_is_refused(tmp_path: Path, part: str, text: str) -> None:
    """With key, value and what was expected."""
    with pytest.raises(InputError) as caught:
        check(tmp_path, text)
    assert part in str(caught.value)


def test_the_command_exits_by_the_verdict(tmp_path: Path) -> None:
    """1 when something does not add up, 0 when things are only missing; a template to fill in."""
    path = tmp_path / "slide.toml"
    path.write_text(TABLE)
    done = CliRunner().invoke(main, ["audit", str(path)])
    assert (1, True) == (done.exit_code, "Does not add up\n- the four cells" in done.output)
    found = json.loads(CliRunner().invoke(main, ["audit", str(path), "--json"]).output)
    assert found["adds_up"] is False
    path.write_text(TABLE.replace("28", "36"))
    assert 0 == CliRunner().invoke(main, ["audit", str(path)]).exit_code
    empty = CliRunner().invoke(main, ["audit", "--template"])
    assert template() == empty.output.rstrip("\n")
    path.write_text(empty.output.replace("# n = 0 ", "n = 3 "))
    assert {"n": 3} == read_figures(path).counts
