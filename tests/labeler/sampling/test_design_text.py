"""What a sample covers, as numbers and as a table."""

import pytest

from evaluator import InputError
from labeler.logs.queries import LogQuery
from labeler.sampling.design_text import design_text
from labeler.sampling.draw import draw_sample
from labeler.sampling.strata import text_strata
from labeler.workspace.sample_design import SampleDesign

LOG = [
    LogQuery("vpn", "vpn", 60),
    LogQuery("pay", "pay", 10),
    *(LogQuery(f"how do i {n}", f"how do i {n}", 1) for n in range(30)),
]


def test_a_design_is_a_short_table() -> None:
    """Strata with target and drawn, then what was certain, then the words."""
    sample = draw_sample(LOG, size=8, seed=13, strata=text_strata(LOG, by=["type"]))
    lines = design_text(sample.design).splitlines()
    assert "Drawn       8 of 32 distinct queries (25.0%), 76.0% of 100 searches" == lines[0]
    assert [
        "                      queries  searches  of traffic  target  drawn  searches for them",
        "keywords                    2        70       70.0%       2      2               100%",
        "question                   30        30       30.0%       6      6                20%",
        "taken with certainty        2        70       70.0%              2",
        "by chance                  30        30       30.0%              6",
    ] == lines[3:8]
    assert any(line.startswith("Cannot say  what is asked outside") for line in lines)
    assert max(map(len, lines)) <= 96
    plain = design_text(draw_sample(LOG, size=8, seed=13).design).splitlines()
    assert [*lines[6:8], ""] == plain[4:7]


def test_the_most_frequent_leave_the_rest_out() -> None:
    """How much of the traffic that is stands in the table."""
    text = design_text(draw_sample(LOG, size=2, seed=13, design="top").design)
    assert "most frequent        2        70       70.0%              2" in text
    assert "left out            30        30       30.0%              0" in text
    assert "Worth       nothing for the traffic, since no query has a weight" in text


def test_very_many_strata_are_cut_short() -> None:
    """The forty with the most searches are shown, and how many there are beside them."""
    many = [LogQuery(f"{n}", f"{n}", 1 + n) for n in range(50)]
    strata = text_strata(many, by=[])
    by_itself = type(strata)(("n",), ("",), {query.query: query.query for query in many})
    text = design_text(draw_sample(many, size=50, seed=1, strata=by_itself).design)
    assert "and 10 smaller strata" in text


def test_a_design_of_an_older_version_can_be_shown() -> None:
    """One that was stored before strata had an allocation is kept as it stands."""
    stored = draw_sample(LOG, size=8, seed=13).design.to_json() | {"of_tomorrow": 1}
    for key in ("allocation", "rules", "notes", "effective_queries", "cannot_say", "by"):
        del stored[key]
    design = SampleDesign.from_json(stored)
    assert design_text(design).startswith("Drawn       8 of 32")
    assert stored == design.to_json()
    with pytest.raises(InputError, match="cannot be read"):
        SampleDesign.from_json(stored | {"strata": {"rest": {"sampled": 1}}})
