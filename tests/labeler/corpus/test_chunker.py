"""Cutting: within the budget, never across headings, nothing lost and nothing twice."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import InputError
from evaluator.vectors.tokens import load_tokenizer
from labeler.corpus.chunker import check_budget, split_blocks, split_document
from labeler.corpus.documents import Document
from labeler.corpus.outline import Section

count = load_tokenizer("words").count
words = st.integers(1, 40).map(lambda n: " ".join(f"w{i}" for i in range(n)))
sentences = st.lists(words.map("{}.".format), min_size=1, max_size=4).map(" ".join)
items = st.one_of(words, sentences, words.map("- {}".format), words.map("  - {}".format))
lines = st.lists(items, min_size=1, max_size=6).map("\n".join)
blocks_of_text = st.lists(st.one_of(words, lines), max_size=8)


def _texts(*blocks: str, budget: int, overlap: int = 0) -> list[str]:
    return list(split_blocks(blocks, budget=budget, overlap=overlap, count=count))


def _document(*sections: Section, doc_id: str = "a.md") -> Document:
    return Document(doc_id, "Title", "", sections, 0, (), {}, ())


CODE = "if a:\n    b = 1\n    c = 2\n\n    d = 3"


@pytest.mark.parametrize(
    ("expected", "blocks", "budget", "overlap"),
    [
        (["a b\n\nc d", "e f"], ["a b", "c d", "e f"], 5, 0),
        (["a | b\nc | d", "e | f\n\nend"], ["a | b\nc | d\ne | f", "end"], 6, 0),
        (["One two.", "Three four."], ["One two. Three four."], 4, 0),
        (["a b c", "d e"], ["a b c d e"], 3, 0),
        (["if a:\n    b = 1", "    c = 2\n\n    d = 3"], [CODE], 6, 0),
        (["a b\n\nc", "c\n\nd e"], ["a b", "c", "d e"], 3, 1),
        (["One two. Three.", "Three.\n\nfour"], ["One two. Three.", "four"], 5, 2),
    ],
    ids=["block", "line", "sentence", "word", "indentation", "overlap", "overlap of sentences"],
)
def test_whole_blocks_are_packed_in_order(
    expected: list[str], blocks: list[str], budget: int, overlap: int
) -> None:
    """One over the budget is cut between lines, then sentences, then words; overlap repeats."""
    assert expected == _texts(*blocks, budget=budget, overlap=overlap)


@given(blocks_of_text, st.integers(1, 60))
def test_every_character_is_in_exactly_one_chunk(blocks: list[str], budget: int) -> None:
    """Without overlap the chunks, read in order, are the blocks, also where a word is too long."""
    texts = _texts(*blocks, "x" * 400, budget=budget)
    expected = re.sub(r"\s", "", "".join(blocks)) + "x" * 400
    assert expected == re.sub(r"\s", "", "".join(texts))
    assert all(0 < count(text) <= budget for text in texts)


@given(blocks_of_text, st.integers(2, 60), st.data())
def test_overlap_loses_nothing_and_keeps_the_budget(
    blocks: list[str], budget: int, data: st.DataObject
) -> None:
    """Every block's words still occur in order."""
    overlap = data.draw(st.integers(0, budget - 1))
    texts = _texts(*blocks, budget=budget, overlap=overlap)

    assert all(0 < count(text) <= budget for text in texts)
    stream = iter(re.findall(r"\w+", " ".join(texts)))
    assert all(word in stream for word in re.findall(r"\w+", " ".join(blocks)))


def test_ids_come_from_the_document_and_the_position() -> None:
    """White space in a path is encoded, so that the id fits into a TREC file."""
    sections = Section((), ("a",)), Section(("H",), ("b", "c"))
    document = _document(*sections, doc_id="my docs/50% off.md")
    chunks = list(split_document(document, budget=1, overlap=0, count=count))
    ids = [f"my%20docs/50%25%20off.md#{position}" for position in range(3)]
    assert ids == [chunk.chunk_id for chunk in chunks]
    assert {"my docs/50% off.md"} == {chunk.doc_id for chunk in chunks}


def test_a_chunk_never_reaches_across_a_heading() -> None:
    """Two sections stay two chunks even with equal paths and room for both."""
    document = _document(Section(("H",), ("a",)), Section(("H",), ("b",)))
    chunks = list(split_document(document, budget=100, overlap=50, count=count))

    assert [(("H",), "a"), (("H",), "b")] == [(chunk.headings, chunk.text) for chunk in chunks]


@pytest.mark.parametrize(("budget", "overlap"), [(0, 0), (-1, 0), (10, 10), (10, -1)])
def test_a_budget_that_holds_nothing_new_is_refused(budget: int, overlap: int) -> None:
    """Overlap must leave room."""
    with pytest.raises(InputError, match=r"Expected"):
        check_budget(budget, overlap)


def test_a_very_long_run_is_cut_without_a_loss() -> None:
    """At the ends of its sentences, a part at a time."""
    block = "東京の駅は大きい。" * 3_000
    parts = list(split_blocks([block], budget=100, overlap=0, count=len))
    assert block == "".join(parts)
    assert all(len(part) <= 100 for part in parts)
