"""Reports: one record, three outputs that say the same and can be driven by nothing in it."""

import copy
import re
from typing import Any

import pytest

from evaluator.contrasts.figures import cell_figures
from evaluator.record.typed_json import to_json
from evaluator.statistics.cells import paired_cells
from tests.evaluator.example_record import LOST, example_record
from tests.evaluator.report.outputs import (
    Output,
    example_where,
    example_with,
    hostile_record,
    html_report,
    markdown_report,
    shown,
    terminal_report,
    terminal_summary,
)

CAUSAL = re.compile(r"\b(raised|lowered|caused|because of|due to|thanks to|made no diff)", re.I)

# The headline


def test_the_headline_holds_all_that_makes_a_figure_mean_something(output: Output) -> None:
    """Measure, levels, difference, interval, test, p, queries, label set and k, at one place."""
    assert (
        "Changing only the header raised the hit rate (Success@5) from 0.620 to 0.790, a "
        "difference of +0.170 (95% interval +0.110 to +0.236; exact McNemar, p = 3.1e-7) on the "
        "200 of 212 judged log queries that have gold in label set tarnbrook-1."
    ) in shown(output, example_record())


def test_who_judged_and_how_far_they_agreed_is_told_in_words(long_output: Output) -> None:
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
    text = shown(long_output, record)
    assert "Ada (1,535 pairs), Bob (54 pairs)" in text
    assert "alpha 0.19 (95% interval -0.15 to 0.56) on 54 pairs" in text
    record["labels"]["assessment"]["agreement"]["alpha"] = None
    assert "unknown; pairs judged by two or more: 54" in shown(long_output, record)


def test_the_other_denominator_stands_on_the_first_screen(output: Output) -> None:
    """Over all queries, one without gold as a miss, with the traffic that those carry."""
    text = shown(output, example_record()).replace("| ", "")

    assert "over all 212 queries 0.585 0.745 +0.160" in text
    assert "12 queries without gold (3.1% of the traffic) count as misses" in text
    assert "Levels are optimistic" in text


@pytest.mark.parametrize(
    ("changes", "stamp"),
    [
        ({"held_still": []}, "HELD STILL: NOT VERIFIED"),
        ({"label": "header plus lost body"}, "HEADER PLUS LOST BODY"),
        ({"factor": None, "label": None}, None),
    ],
)
def test_no_causal_word_where_something_else_may_differ(
    output: Output, changes: dict[str, Any], stamp: str | None
) -> None:
    """Both levels are stated and the contrast is stamped; nothing is said to raise anything."""
    text = shown(output, example_with(**changes))

    assert "The hit rate (Success@5) is 0.790 with headed and 0.620 with plain" in text
    assert not CAUSAL.search(text)
    assert stamp is None or stamp in text


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
        ({"verdict": "unknown"}, "ORDER NOT SHOWN", "(Success@5) is 0.790"),
        (None, "ORDER NOT SHOWN", "(Success@5) is 0.790"),
        (
            {"verdict": "declared, not contradicted", "stamp": "LABELS COMPLETED AFTER TREATMENT"},
            "LABELS COMPLETED AFTER TREATMENT",
            "raised the hit rate (Success@5)",
        ),
    ],
)
def test_the_order_of_labels_and_treatment_is_never_a_footnote(
    output: Output, order: Any, stamp: str, said: str
) -> None:
    """The verdict stands before the figures and decides how they are worded."""
    record = example_record()
    record["labels"]["order"] = order and {**record["labels"]["order"], **order}
    text = shown(output, record)

    assert text.index(stamp) < text.index("0.790")
    assert said in text


def test_everything_that_is_dated_stands_in_the_longer_reports(long_output: Output) -> None:
    """With its digest and all of its dates; a name is data."""
    record = example_record()
    dated = {
        "what": "header file",
        "name": "<b>h.jsonl",
        "sha256": "5f" * 32,
        "changed_at": "2026-12-02T08:00:00+00:00",
        "generated_at": None,
        "declared_at": None,
        "declared_by": None,
        "git": "one commit",
        "commit": {
            "id": "c0ffee",
            "authored_at": "2026-12-03T09:00:00.000Z",
            "committed_at": "2026-12-03T09:00:00.000Z",
            "signed": False,
            "in_branch": True,
            "remotes": [],
        },
    }
    record["labels"]["order"] |= {"use": "usable", "dated": [dated]}
    text = shown(long_output, record)

    assert "Verdict: declared, not contradicted (usable)." in text
    for part in ("5f5f5f5f5f5f", "2026-12-02 08:00 UTC", "2026-12-03 09:00 UTC"):
        assert part in text
    assert "<b>h.jsonl" not in long_output(record).replace("`<b>h.jsonl`", "")


FIRST = "contrasts/0/"
PRIMARY = f"{FIRST}measures/Success@5"
NO_GAIN = {"p": 0.61, "difference": 0.01, "treatment": 0.63, "interval": [-0.02, 0.04]}
LOSS = {"baseline": 0.79, "treatment": 0.62, "difference": -0.17, "interval": [-0.236, -0.11]}
EARLIER = {
    "at": "2026-11-30T08:00:00.000Z",
    "arms": ["5f", "6a"],
    "measure": "Success@3",
    "k": 3,
    "split": "all",
    "n": 52,
    "difference": 0.0192,
    "p": 1.0,
}
FEW = {"interval": None, "interval_method": "no interval, since 9 are few"}


@pytest.mark.parametrize(
    ("where", "change", "said"),
    [
        (PRIMARY, NO_GAIN, "only the header made no difference in the hit rate (Success@5) that"),
        (PRIMARY, NO_GAIN, "No difference in Success@5; Success@10 rose by 0.080, R@5 rose by"),
        (PRIMARY, LOSS, "A fall of Success@5; Success@10 rose by 0.080, R@5 rose by"),
        (PRIMARY, NO_GAIN, "+0.010 (95% interval -0.020 to +0.040; exact McNemar, p = 0.610)"),
        (
            PRIMARY,
            LOSS,
            "lowered the hit rate (Success@5) from 0.790 to 0.620, a difference of -0.170",
        ),
        (f"{FIRST}measures/R@5", FEW, "no interval, since 9 are few."),
        (f"{FIRST}primary", {"p_holm": 0.08}, "made no difference in the hit rate"),
        (f"{FIRST}primary", {"p_holm": 0.08}, "p = 3.1e-7, 0.080 adjusted by Holm"),
        (f"{FIRST}primary", {"p_holm": 0.08}, "p = 3.1e-7, 0.080 adjusted by Holm) on"),
        (f"{FIRST}flips", {"lost": []}, "6 not shown by name: held-out queries"),
        (
            FIRST,
            {"earlier_choices": [EARLIER]},
            "Chosen before on these labels for headed against plain: Success@3, with a difference "
            "of +0.019 on 52 queries (split all), p = 1.000.",
        ),
        ("snapshot", {"chunks": 7}, "There are 7 chunks, so at k = 10 every gold chunk is found"),
        ("snapshot", {"chunks": 7}, "k REACHES THE WHOLE CORPUS"),
        (
            f"{FIRST}other_ranking/measures/Success@5",
            {"p": 0.2, "difference": 0.03},
            "THE OTHER RANKING SAYS OTHERWISE",
        ),
        (
            f"{FIRST}other_ranking/measures/Success@5",
            {"p": 0.2, "difference": 0.03},
            "By hnsw the difference is +0.030, p = 0.200.",
        ),
    ],
)
def test_a_change_of_the_record_changes_what_is_said(
    output: Output, where: str, change: dict[str, Any], said: str
) -> None:
    """A verb follows the sign, chance is called chance, and each doubt has its words."""
    assert said in shown(output, example_where(where, change))


@pytest.mark.parametrize(
    ("where", "change", "said"),
    [
        (f"{FIRST}k_by_treatment", {"measure": "Success(rel=2)@5"}, "Success(rel=2)@5; p by the"),
        (f"{FIRST}k_by_treatment", {"notes": ["1 by construction"]}, "1 by construction"),
        (f"{FIRST}cells/5", {"neither": 28}, "The printed miss in both (28) does not fit"),
        (f"{FIRST}flips", {}, "7 more not shown by name: held-out queries stay closed"),
        ("arms/0", {"judged": {}}, "Judged@10 | not recorded | 94.0%"),
    ],
)
def test_a_change_of_the_record_changes_a_table(
    where: str, change: dict[str, Any], said: str
) -> None:
    """Under the name that the record has, and with a word where figures do not fit."""
    assert said in shown(markdown_report, example_where(where, change))


def test_a_set_of_positives_has_no_judged_share() -> None:
    """Where nothing was found wanting, the share of judged chunks is not printed."""
    record = example_record()
    for arm in record["arms"]:
        arm["judged"] = {}
    text = shown(markdown_report, record)
    assert "Judged@k | negatives not recorded | negatives not recorded" in text


def test_what_needs_no_word_has_none() -> None:
    """An interval that says what the adjusted p says, and rankings that agree."""
    record = example_with(primary={"p_holm": 0.08})
    record["contrasts"][0]["measures"]["Success@5"].update(p=0.04, interval=[-0.002, 0.2])
    text = shown(terminal_summary, record)
    assert "made no difference in the hit rate (Success@5) that these queries can show" in text
    assert "contrasts of this file" not in text
    assert not re.search("disagree|OTHER RANKING", shown(terminal_report, example_record()))


@pytest.mark.parametrize(
    ("cells", "said"), [("Success@5", "Exact McNemar"), ("Success@9", "Success@5, exact McNemar")]
)
def test_a_p_below_the_cells_names_its_measure_where_that_is_another(cells: str, said: str) -> None:
    """The cells are of hits at k, whichever measure decides."""
    record = example_where(f"{FIRST}k_by_treatment", {"measure": cells})
    assert f"missed in both {said}: p = 3.1e-7" in shown(terminal_report, record)


def test_measures_are_in_an_order_for_people() -> None:
    """The primary first, under its plain name, whatever the order of keys in the record."""
    record = example_record()
    for part in (*record["arms"], *record["contrasts"]):
        part["measures"] = dict(sorted(part["measures"].items()))
    rows = re.findall(r"^\| ([^|]+@\d+\)?)[^|]* \|", markdown_report(record), re.M)

    assert [
        "hit rate (Success@5)",
        "hit rate (Success@10)",
        "share of gold found (R@5)",
        "reciprocal rank (RR@10)",
        "ranking quality (nDCG@10)",
    ] == rows[1:6]


def test_a_terminal_table_keeps_its_width_and_breaks_no_id() -> None:
    """What is too long for a column goes on below, whole words and whole ids."""
    record = example_record()
    chunk_id = "handbook/" + 5 * "a-long-name-" + "leave.md#4"
    record["contrasts"][0]["flips"]["lost"][0]["chunk"]["chunk_id"] = chunk_id
    lines = terminal_report(record).splitlines()
    assert any(f" {chunk_id} " in line for line in lines)
    assert 100 >= max(len(line) for line in terminal_report(example_record()).splitlines())


def test_the_first_screen_is_one_screen_and_says_where_the_rest_is() -> None:
    """At most 45 lines of 100 columns: verdict, cells, axis, measures, and what else decides."""
    text = terminal_summary(example_record())
    lines = text.splitlines()

    assert 45 >= len(lines)
    assert 100 >= max(map(len, lines))
    for part in (
        "Success@5, 200 queries: 118 hit in both, 40 won, 6 lost, 36 missed in both",
        "+---",
        "ranking quality (nDCG@10)",
        "Labels before treatment: declared, not contradicted.",
        "Judged@5: 97.0% with plain and 86.0% with headed.",
        "Header tokens per query: 0 with plain and 71.5 with headed, in the first 5 chunks.",
        "0.140 of the 0.170 was available by k alone",
        "the appendix: report.md and report.html, or --full.",
    ):
        assert part in re.sub(r"\s+", " ", text)
    assert "To show a difference" not in text
    assert "torque wrench" not in text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            NO_GAIN,
            "About 18,243 queries with gold would show +0.010 in 4 of 5 experiments. That is "
            "19,126 more to judge, 638 to 1,275 hours at 2 to 4 minutes a query.",
        ),
        (NO_GAIN | {"difference": 0.0, "treatment": 0.62}, "No number of queries that anybody"),
    ],
)
def test_where_nothing_was_shown_the_report_says_what_it_would_take(
    output: Output, change: dict[str, Any], said: str
) -> None:
    """As many queries as the exact test needs, and the hours that `labeler plan` reckons with."""
    assert said in shown(output, example_where(PRIMARY, change))


def _per_search(**traffic: Any) -> Any:
    """The example of an experiment that asks about the traffic, parts of its estimate replaced."""
    record = example_record()
    record["experiment"]["protocol"]["estimand"] = "traffic"
    record["contrasts"][0]["traffic"].update(traffic)
    return record


def test_a_headline_on_traffic_says_for_which_searches_it_speaks(output: Output) -> None:
    """Weighted levels and difference, their interval, and no test."""
    text = shown(output, _per_search())

    assert (
        "Changing only the header raised the hit rate (Success@5) per search from 0.671 to "
        "0.812, a difference of +0.141 (95% interval +0.098 to +0.190) on the 200 of 212 "
        "judged log queries that have gold, weighted by their searches, in label set "
        "tarnbrook-1."
    ) in text
    assert "over all 212 queries 0.650 0.787 +0.137" in text.replace("| ", "")
    assert "The interval is per search; the cells count every query once" in text


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"interval": [-0.01, 0.29]}, "made no difference in"),
        ({"interval": None, "reason": "few"}, "(no interval, since few) on the 200 of 212"),
        (
            {"p": 0.04, "p_holm": 0.08, "test": "score test"},
            "(95% interval +0.098 to +0.190; score test, p = 0.040, 0.080 adjusted by Holm)",
        ),
    ],
)
def test_the_interval_decides_over_a_headline_on_traffic(
    output: Output, changed: dict[str, Any], said: str
) -> None:
    """The exact test of the unweighted queries says nothing about searches."""
    text = shown(output, _per_search(**changed))

    assert said in text
    assert "raised" not in text


def test_every_contrast_is_told_per_search_once(output: Output) -> None:
    """With its interval, what it is worth, and what it speaks for."""
    text = re.sub(r"\s+", " ", shown(output, example_record()))

    assert "0.812 with headed, a difference of +0.141 (95% interval +0.098 to +0.190)." in text
    assert "weigh as much as 88 equal ones would; the heaviest has 4.3% of the searches." in text
    assert "of this traffic and of the next log window alike" in text
    assert "Drawn queries that were skipped: 12" in text


def test_a_missing_estimate_per_search_says_why(output: Output) -> None:
    """Query ids in the reason are data."""
    reason = "1 query is without a weight ('<b>q</b>')"
    traffic = {"difference": None, "reason": reason}
    text = shown(output, example_with(traffic=traffic)).replace("\\", "")

    assert f"There is no estimate per search: {reason}." in text
    assert "<b>q</b>" not in html_report(example_with(traffic=traffic))


def test_groups_are_told_per_search_too() -> None:
    """A source may win by its queries and lose by its searches."""
    text = markdown_report(example_record())
    first, second = [line for line in text.splitlines() if line.startswith("| `tickets`")]

    assert "| -0.026 | -0.148 to +0.089 | 1 | 2 | 1.000 |" in first
    assert second.endswith("| -0.010 | -0.053 to +0.039 |")


# What may be said


def test_words_that_claim_too_much_are_never_printed(output: Output) -> None:
    """Nothing is proved here; the word for two measures stands once, where they are explained."""
    text = shown(output, example_record()).lower()

    assert "proved" not in text
    assert "proven" not in text
    assert ["both also called recall@5"] == re.findall(r"both also called recall@\d", text)
    assert 1 == len(re.findall("recall", text))


def test_held_out_flips_stay_counts_until_they_are_opened(output: Output) -> None:
    """Their texts are in the record and in no output, not even hidden in the page."""
    record = example_record()
    assert "held-out secret" not in output(record)

    record["contrasts"][0]["flips"]["opened"] = True
    assert "held-out secret" in output(record)


def test_lost_queries_are_named_with_both_ranks(output: Output) -> None:
    """The regressions are there to be read; a gold chunk beyond the depth has no rank."""
    text = output(example_record())

    for query, *_ in LOST:
        assert query[:30] in text
    assert "below 100" in text


def test_every_part_of_the_record_is_reported(long_output: Output) -> None:
    """The whole row, cells, closures, groups, order, limits and the way to reproduce."""
    text = shown(long_output, example_record())

    for part in (
        "0.620 (0.585)",
        "in parentheses over all 212",
        "header tokens per query at k = 10",
        "+14.3 (+12.8%)",
        "exact McNemar p",
        "rule-of-thumb band: twice one arm's standard error, at the mean of both levels",
        "0.140 of the 0.170 was available by k alone",
        "it brings 143 instead of 71.5 header tokens per query",
        "Of 3 sources, 1 lost more queries than it won: tickets (p = 1.000), p",
        "Over all ways to judge what nobody judged",
        "If 71 pairs of them, in 34 queries, turned out relevant, the difference would be 0",
        "before any adjudication",
        "200 queries are 96 clusters (the largest with 9.0% of them), p = 0.002",
        "letters and digits in any case",
        "misleading path: in the arm that misses",
        "per search",
        "3 of 3 checks are met",
        "fields were compared and found equal",
        "Verdict: declared, not contradicted",
        "at least 2, in this copy",
        "From one ranking to the other, headed: 1 of 200 queries change between hit and miss",
        "By hnsw Success@5 is 0.615 with plain and 0.785 with headed",
        "mean input, tokens read by the model",
        "97.0% with plain and 86.0% with headed. What nobody judged counts as a miss, so",
        "Not whether answers get better",
        "evaluator run 'experiments/headers 2026-12.toml'",
        "It uses all grades, with linear gain",
        "made up",
    ):
        assert part in text


def test_what_encoding_took_is_no_change(long_output: Output) -> None:
    """Vectors are made at moments that compare with nothing; tokens tell what an arm costs."""
    text = shown(long_output, example_record()).replace("|", "")

    assert "encoding, CPU time 9.2 min 10.7 min encoding" in re.sub(r"\s+", " ", text)
    assert "x 3.4" not in text.replace("\N{MULTIPLICATION SIGN}", "x")


def test_a_broken_closure_is_stamped_and_listed_first(output: Output) -> None:
    """Figures that do not fit are a verdict on the whole report."""
    broken = {"name": "counts", "met": False, "expected": 4812, "found": 4811, "note": "one lost"}
    record = example_record()
    record["contrasts"][0]["closure"].append(broken)
    text = shown(output, record)

    assert "FIGURES DO NOT CLOSE" in text
    assert "3 of 4 checks are met" in text
    assert text.index("BROKEN") < text.index("no text was") < text.index("Lost: 6 of 200")


def test_every_table_says_over_what_its_means_run(output: Output) -> None:
    """One measure decides, no interval is adjusted, and costs have denominators of their own."""
    text = shown(output, example_record())

    assert "p is unadjusted; only the primary measure decides." in text
    assert "Judged@k and header tokens are means over all 212 queries" in text


def test_one_arm_alone_is_reported_without_a_contrast(output: Output) -> None:
    """There is nothing to compare, and that is what it says."""
    record = example_record(contrasts=[])
    record["arms"] = record["arms"][:1]

    assert "One arm was run, so there is nothing to compare." in shown(output, record)


def test_all_contrasts_of_a_file_stand_side_by_side(output: Output) -> None:
    """The first is the headline; the others cannot hide, nor can their number."""
    record = example_record()
    other = copy.deepcopy(record["contrasts"][0])
    other.update(treatment="reversed", factor="formatting", label="formatting")
    record["arms"].append({**record["arms"][1], "name": "reversed"})
    record["contrasts"].append(other)
    text = shown(output, record)

    assert "reversed against plain" in text
    assert "One of 2 contrasts of this file: p adjusted by Holm decides" in text


def test_runs_made_elsewhere_are_reported_with_their_gaps(output: Output) -> None:
    """Whatever is missing is left out and is never a 0."""
    record = example_record()
    for key in ("snapshot", "started_at", "versions", "machine"):
        record.pop(key)
    record["experiment"] = {"name": "a and b"}
    kept = ("path", "name", "sha256", "frozen_at", "min_grade", "queries", "with_gold")
    record["labels"] = {key: record["labels"][key] for key in kept}
    record["arms"] = [
        {key: arm[key] for key in ("name", "measures", "judged", "unanswered")}
        for arm in record["arms"]
    ]
    contrast = record["contrasts"][0]
    contrast.update(factor=None, label=None, held_still=[], traffic=None)
    for key in ("by_class", "by_source", "closure", "other_ranking", "traffic_over_all"):
        contrast.pop(key)
    text = shown(output, record)

    assert "(Success@5) is 0.790 with headed and 0.620 with plain" in text
    assert "0.000" not in text


def test_no_control_character_or_override_reaches_any_output(output: Output) -> None:
    """Neither a terminal nor a line of text can be driven by a query."""
    written = output(hostile_record())

    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", written)


def test_the_example_adds_up() -> None:
    """The record that the tests read is one that a run could have written."""
    contrast = example_record()["contrasts"][0]

    for groups in (contrast["by_class"], contrast["by_source"]):
        for key in ("n", "both", "won", "lost"):
            assert contrast["cells"]["5"][key] == sum(group[key] for group in groups.values())
    assert to_json(cell_figures(paired_cells(200, 118, 40, 6))) == contrast["cells"]["5"]
    assert (6, 40) == (len(contrast["flips"]["lost"]), len(contrast["flips"]["won"]))


def test_the_prefix_effect_is_split_into_its_two_steps(long_output: Output) -> None:
    """0.31 with reversed prefixes, 0.52 without any, 0.79 with those that the model names."""
    record = example_record()
    arms = {}
    for name, prefixes, level in (
        ("reversed", ("passage: ", "query: "), 0.31),
        ("none", ("", ""), 0.52),
        ("right", ("query: ", "passage: "), 0.79),
    ):
        arms[name] = copy.deepcopy(record["arms"][0]) | {"name": name}
        arms[name] |= dict(zip(("query_prefix", "doc_prefix"), prefixes, strict=True))
        arms[name]["model"]["prescribed"] = ["query: ", "passage: "]
        arms[name]["measures"]["Success@5"]["gold"] = level
    record["arms"] += arms.values()
    assert (
        "Success@5 moves by +0.480 from reversed to prescribed prefixes: +0.210 by taking the "
        "wrong ones away, +0.270 by the right ones."
    ) in " ".join(shown(long_output, record).split())


def test_two_arms_without_the_prefixes_of_their_model_are_stamped(output: Output) -> None:
    """Reversed in both arms of a header contrast: a gain may hide what the prefixes would give."""
    record = example_record()
    assert "PREFIXES ARE NOT" not in shown(output, record)
    for arm in record["arms"]:
        arm["model"]["prescribed"] = ["query: ", "passage: "]
    assert "PREFIXES ARE NOT THE MODEL'S" in shown(output, record)
    record["arms"][1] |= {"query_prefix": "query: ", "doc_prefix": "passage: "}
    assert "PREFIXES ARE NOT" not in shown(output, record)


def test_judgements_that_a_model_proposed_are_stamped(output: Output) -> None:
    """With its name, and with how many of them a person looked at."""
    record = example_record()
    record["labels"]["assessment"] = {"by_model": {"judge-7b": {"judgements": 1204, "checked": 40}}}
    text = shown(output, record)
    assert re.search("1,204 JUDGEMENTS BY A MODEL: .?judge-7b", text)
    assert "Somebody checked 40 of them." in text


def test_the_gap_is_told_in_errors_of_one_arm(long_output: Output) -> None:
    """0.79 against 0.31 on 480 queries, of which one arm alone is uncertain by 0.0186."""
    record = example_record()
    cells = to_json(cell_figures(paired_cells(480, 140, 239, 9)))
    record["contrasts"][0]["cells"]["5"] = cells
    text = " ".join(shown(long_output, record).replace("|", " ").split())
    assert "the difference in standard errors of the better level alone 25.8" in text
    assert "it is not the ceiling" in text
