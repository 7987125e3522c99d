"""Somebody else's figures: the chapter's own table, and what else a slide can get wrong."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from evaluator import InputError
from evaluator.checks.audit.audit import Audit, audit
from evaluator.checks.audit.figures import KEYS, read_figures, template
from evaluator.checks.audit.text import audit_text
from evaluator.cli.main import main

TABLE = "n = 200\nboth = 118\nneither = 28\nwon = 40\nlost = 6\nbefore = 0.62\nafter = 0.79\n"
COSTS = """measure = "recall@5"
k = 5
input_tokens_before = 812
input_tokens_after = 874
input_growth = "7.6%"
header_tokens = 62
header_tokens_per_query = 310
header_tokens_per_query_2k = 620
index_growth = "38%"
encode_factor = 3
chunks_before = 2000000
chunks_after = 2000000
standard_error = 0.032
standard_error_of = 0.7
band = 0.06
"""


def check(folder: Path, text: str, *, name: str = "slide.toml") -> Audit:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return audit(read_figures(path))


def those(found: Audit, kind: str) -> list[str]:
    return [one.text for one in found.findings if one.kind == kind]


def said(found: Audit, kind: str, part: str) -> bool:
    return any(part in text for text in those(found, kind))


def test_the_chapters_table_has_one_fault(tmp_path: Path) -> None:
    """Its cells add up to 192; everything else agrees to the last printed digit."""
    found = check(tmp_path, TABLE + COSTS)
    [fault] = those(found, "does not add up")
    assert fault.startswith("the four cells add up to 192, not 200")
    assert "what is left, 36, and not 28" in fault
    assert [
        "before 0.62 is (both 118 + lost 6) / 200 = 0.62",
        "after 0.79 is (both 118 + won 40) / 200 = 0.79",
    ] == those(found, "adds up")[:2]
    for part in (
        "inputs grow by 62 tokens, 812 to 874, as the mean header of 62",
        "the growth 0.076 is 62 of 812",
        "header_tokens_per_query 310 is 62 header tokens times k = 5",
        "header_tokens_per_query_2k 620 is 62 header tokens times k = 10",
        "the standard error 0.032 is one arm's error at 0.7",
        "the band 0.06 is twice one arm's error at 0.7",
    ):
        assert said(found, "adds up", part)


def test_the_chapters_table_is_read_as_it_has_to_be(tmp_path: Path) -> None:
    """21,834,040 of 2 to the 46th; 17 points are 27.4% of 0.62; which recall it is, is asked."""
    found = check(tmp_path, TABLE + COSTS)
    assert f"exact McNemar p = {21834040 / 2**46:.3g}" in audit_text(found)
    assert said(found, "follows", "+17 points or +27.4% of the level before")
    assert said(found, "follows", "6 of 200 queries (3.0%) got worse and can be read")
    assert said(found, "missing", "'recall@5' names two measures")
    assert said(found, "doubt", "vectors do not grow with a header")
    assert said(found, "doubt", "encoding takes 3 times as long for 1.08 times the tokens")
    assert said(found, "doubt", "is a rule of thumb and no test of two arms")
    assert "1 thing does not add up, 16 are not stated" in audit_text(found).splitlines()[0]


def test_two_rates_leave_the_cells_open(tmp_path: Path) -> None:
    """Won less lost is 34; how many queries got worse is anybody's guess between 0 and 42."""
    found = check(tmp_path, "n = 200\nbefore = 0.62\nafter = 0.79\n")
    assert [] == those(found, "does not add up")
    assert said(found, "follows", "won less lost is 34")
    assert said(found, "follows", "lost may be anything from 0 to 42")
    assert said(found, "missing", "both, won, lost: the paired counts")


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("118 + won 90 + lost 6 = 214, more than n = 200", "n=200\nboth=118\nwon=90\nlost=6"),
        ("after is printed as 0.8, but (both 118", TABLE.replace("0.79", "0.80")),
        ("after is printed as 0.791, but", TABLE.replace("0.79", "0.791")),
        ("the printed difference is 0.18", TABLE + "difference = 0.18"),
        (
            "the printed growth is 0.17, the difference over before is 0.2742",
            TABLE + 'relative = "17%"',
        ),
        ("p 0.04 fits no test of 40 against 6", TABLE + "p = 0.04"),
        ("p below 1e-09 fits no test", TABLE + 'p = "< 1e-9"'),
        ("fits the cells in no way known here", TABLE + "interval = [0.05, 0.29]"),
        ("runs backwards", TABLE + "interval = [0.29, 0.05]"),
        ("the standard error 0.02 is none of these", TABLE + "standard_error = 0.02"),
        ("is no share of 200 queries", 'measure="Success@5"\nn=200\nbefore=0.6217'),
        ("impossible", "before = 0.62\nbefore_2k = 0.60"),
        ("2 things changed at once (header, model)", 'changed = ["header", "model"]'),
        ("the larger k cannot lose", "k_before = 5\nk_after = 10"),
        ("NOT USABLE", "labels_frozen_at = 2026-12-05\nwork_begun_at = 2026-12-01"),
        ("two chunk sets", "chunks_before = 100\nchunks_after = 103"),
        (
            "but the mean header has 70: text was cut",
            "input_tokens_before=812\ninput_tokens_after=874\nheader_tokens=70",
        ),
        (
            "header_tokens_per_query is printed as 300, but 62 header tokens times k = 10 is 620",
            "k = 10\nheader_tokens = 62\nheader_tokens_per_query = 300",
        ),
        (
            "header_tokens_per_year is printed as 1e+06",
            "header_tokens_per_query=310\nqueries_per_year=9000\nheader_tokens_per_year=1000000",
        ),
        ("lost text is a second cause", "truncated_before = 4\ntruncated_after = 40"),
        (
            "take 1.16 hours, not 5",
            "chunks_after=4200000\nchunks_per_second=1002.7\nencode_hours=5",
        ),
        ("are 32 hours, not 20", "n=480\nminutes_per_query=4\njudging_hours=20"),
        ("more queries have gold than there are", "n = 5\nn_gold = 6"),
        ("n is 0: of no queries", "n = 0\nboth = 0\nwon = 0\nlost = 0"),
        ("the measure is Success@5, and k is 10", 'measure = "Success@5"\nk = 10'),
        (
            "p 5.4e-07 is by McNemar chi-square, not by 'exact McNemar': it is 3.1e-07",
            TABLE + 'p = 5.4e-7\ntest = "exact McNemar"',
        ),
        ("at 0 chunks a second", "chunks_after=9\nchunks_per_second=0\nencode_hours=1"),
        ("after is printed as 1, but (both 118", TABLE.replace("0.79", "1")),
    ],
)
def test_what_does_not_add_up_is_named(tmp_path: Path, part: str, text: str) -> None:
    """With the figures that contradict each other."""
    found = check(tmp_path, text)
    assert said(found, "does not add up", part), those(found, "does not add up")
    assert not found.adds_up


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("p 3.1e-07 fits the cells by exact McNemar", TABLE + "p = 3.1e-7"),
        ("fits the cells by mid-p McNemar", TABLE + "p = 1.77e-7"),
        ("by McNemar chi-square", TABLE + "p = 5.4e-7"),
        ("by McNemar chi-square", TABLE + 'p = 5.4e-7\ntest = "chi-squared, uncorrected"'),
        ("chi-square with continuity correction", TABLE + "p = 1.1e-6"),
        ("exact McNemar, mid-p", TABLE + 'p = "< 0.001"'),
        ("paired Wald", TABLE + "interval = [0.108, 0.232]"),
        ("Tango score", TABLE + "interval = [0.110, 0.236]"),
        ("one arm's error at 0.79", "n = 480\nafter = 0.79\nstandard_error = 0.019"),
        ("the paired difference's error", TABLE + "standard_error = 0.0317"),
        ("as if the arms had answered other", TABLE + "standard_error = 0.0448"),
        (
            "50,000 chunks at 500 a second",
            "chunks_after=50000\nchunks_per_second=500\nencode_hours=0.03",
        ),
        ("480 queries at 4 minutes", "n=480\nminutes_per_query=4\njudging_hours=32"),
        ("are not younger", "labels_frozen_at = 2026-12-01\nwork_begun_at = 2026-12-05"),
    ],
)
def test_what_fits_says_by_which_method(tmp_path: Path, part: str, text: str) -> None:
    """An error bar is only worth something under its name."""
    assert said(check(tmp_path, text), "adds up", part)


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
    assert said(check(tmp_path, slide), "does not add up", "0.865 is no share of 64 queries")
    found = check(tmp_path, slide + "n_gold = 52\n")
    assert [] == those(found, "does not add up")
    assert said(found, "follows", "won less lost is 3")


def test_cells_say_nothing_of_another_measure(tmp_path: Path) -> None:
    """R@5 is below the share of hits where gold is missed, and its p and interval are its own."""
    other = 'measure = "R@5"\np = 2e-5\ninterval = [0.07, 0.19]\nstandard_error = 0.03\n'
    rates = TABLE.replace("0.62", "0.555").replace("0.79", "0.6875").replace("28", "36")
    found = check(tmp_path, rates + other)
    assert [] == those(found, "does not add up")
    assert said(found, "doubt", "p 2e-05: of R@5, or of the hits that the cells count?")
    assert said(found, "follows", "the difference is +13.2 points")
    assert not said(found, "follows", "won less lost")


def test_a_key_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """JSON would take the later one without a word."""
    with pytest.raises(InputError, match="'n' stands twice"):
        check(tmp_path, '{"n": 200, "both": 118, "n": 192}', name="slide.json")


def test_a_larger_k_alone_may_have_given_most_of_it(tmp_path: Path) -> None:
    """Plain chunks at 10 reach 0.76: of 0.17 only 0.03 is left for the header."""
    found = check(tmp_path, "before = 0.62\nafter = 0.79\nbefore_2k = 0.76\n")
    assert said(found, "follows", "0.03 of the 0.17 is beyond its reach")


def test_unequal_judging_is_a_doubt(tmp_path: Path) -> None:
    """What nobody judged is a miss."""
    found = check(tmp_path, "judged_before = 0.97\njudged_after = 0.86\n")
    assert said(found, "doubt", "97% of the first k was judged before and 86% after")


def test_a_full_slide_leaves_nothing_to_ask(tmp_path: Path) -> None:
    """Every key answered: no line under missing."""
    answers = {
        "text": '"Success@5"',
        "texts": '["chunks", "model", "filters", "index", "queries"]',
        "count": "10",
        "number": "0.5",
        "p": "0.5",
        "numbers": "[0.1, 0.2]",
        "moment": "2026-12-01",
    }
    text = "\n".join(f"{key} = {answers[kind]}" for key, kind, _ in KEYS)
    assert [] == those(check(tmp_path, text), "missing")
    assert 15 < len(those(check(tmp_path, "name = 'empty'"), "missing"))


def test_json_with_other_names_for_the_cells_is_read(tmp_path: Path) -> None:
    """The same table under the names that other tools give its cells."""
    table = {"n": 200, "hit_both": 118, "miss_both": 28, "won": 40, "lost": 6}
    rates = {"rate_without": 0.62, "rate_with": 0.79}
    found = check(tmp_path, json.dumps(table | rates), name="table.json")
    assert said(found, "does not add up", "add up to 192, not 200")
    assert said(found, "adds up", "before 0.62 is (both 118 + lost 6) / 200")


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("Unknown key 'befor'. Did you mean \"before\"?", "befor = 0.6"),
        ("n is 2.5, expected a whole number", "n = 2.5"),
        ("won is -1, expected", "won = -1"),
        ("before is true, expected a number", "before = true"),
        ('p is "small", expected', 'p = "small"'),
        ("interval is [0.1], expected a list of two", "interval = [0.1]"),
        ("cannot be read as TOML or JSON", "n = = 2"),
        ("hit_both is stated twice, once as both", "both = 1\nhit_both = 2"),
        ("difference is 17, expected a number from -1 to 1, or per cent", "difference = 17"),
        ("header_tokens is -62, expected a number of 0 or more", "header_tokens = -62"),
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


@pytest.mark.parametrize(
    "line",
    ["after = 79", "before = -0.1", "p = 2", "judged_after = 1.2", "before = 1e400"],
)
def test_a_share_beyond_0_and_1_is_refused(tmp_path: Path, line: str) -> None:
    """79 may be meant as per cent, and no error bar can be computed from it."""
    with pytest.raises(InputError, match=line.split(maxsplit=1)[0]):
        check(tmp_path, f"n = 200\n{line}\nstandard_error = 0.03\n")


def test_an_interval_holds_its_own_difference_or_is_named(tmp_path: Path) -> None:
    """Without cells nothing can be recomputed, and this much can still be seen."""
    slide = "before = 0.50\nafter = 0.66\ninterval = [{}]\n"
    assert said(check(tmp_path, slide.format("0.18, 0.20")), "does not add up", "does not hold")
    assert not those(check(tmp_path, slide.format("0.10, 0.20")), "does not add up")


def test_what_cannot_be_is_not_reckoned_with(tmp_path: Path) -> None:
    """A level that falls at twice the cutoff leaves no share of the gain to k."""
    found = check(tmp_path, "before = 0.62\nafter = 0.79\nbefore_2k = 0.60\n")
    assert said(found, "does not add up", "impossible")
    assert not said(found, "follows", "beyond its reach")


@pytest.mark.parametrize(
    "text",
    [
        "n = 0\nbefore = 0.5\nafter = 0.6\nstandard_error = 0.1\nband = 0.1",
        "input_tokens_before = 0\ninput_tokens_after = 5\ninput_growth = 3\nencode_factor = 2",
        'measure = "Success@5"\nn = 0\nbefore = 0.5\nafter = 0.6',
        "n = 10_000_000\nwon = 3_000_000\nlost = 2_900_000\nboth = 10\np = 0.1",
    ],
)
def test_nothing_and_very_much_are_figures_too(tmp_path: Path, text: str) -> None:
    """Zeros divide nothing, and millions of queries take no minutes."""
    assert check(tmp_path, text).findings
