"""Titles and headings to header strings."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import InputError
from evaluator.experiment.headers.options import STRUCTURAL, HeaderOptions
from evaluator.experiment.headers.rule import check_header_rule, read_header_rule
from evaluator.snapshot.chunk import Chunk
from evaluator.vectors.encoder import document_input


def chunk(
    title: str = "",
    headings: tuple[str, ...] = (),
    *,
    text: str = "Four weeks.",
    source: str = "hr",
) -> Chunk:
    return Chunk("leave.md#0", "leave.md", text, title, headings, source, {})


LEAVE = chunk("Handbook", ("Leave", "Parental leave"))


@pytest.mark.parametrize(
    ("expected", "rule", "of"),
    [
        ("", "none", LEAVE),
        ("Handbook\n", "title", LEAVE),
        ("Leave > Parental leave\n", "path", LEAVE),
        ("Leave > Parental leave\n", "title+path", chunk("Leave", ("Leave", "Parental leave"))),
        ("Leave\n", "title+path", chunk("\u200b", ("", "Leave", "  "))),
        ("Parental leave\n", "title", chunk(" Parental\n leave ")),
        ("Handbook (hr)\n", "{title} ({source})", LEAVE),
        ("Parental leave in leave.md\n", "{heading} in {doc_id}\n\n", LEAVE),
    ],
)
def test_a_rule_gives_this_header(expected: str, rule: str, of: Chunk) -> None:
    """Steps are joined by ' > ', and one line break ends what is not empty."""
    assert expected == read_header_rule(rule).header(of)


@pytest.mark.parametrize("rule", ["none", "title", "path", "title+path", "{title} > {path}"])
def test_a_chunk_with_nothing_to_say_is_the_plain_chunk(rule: str) -> None:
    """The encoder's string is that of the plain arm, byte for byte: no separator, no blank line."""
    bare = chunk()
    header = read_header_rule(rule).header(bare)
    assert bare.text.encode() == document_input("", header, bare.text).encode()


@given(st.text(max_size=20), st.lists(st.text(max_size=10), max_size=3))
def test_a_header_is_empty_or_ends_in_one_line_break(title: str, headings: list[str]) -> None:
    """Whatever stands in titles and headings, blanks and line breaks included."""
    header = read_header_rule("title+path").header(chunk(title, tuple(headings)))
    assert header == "" or (header.endswith("\n") and not header[:-1].endswith("\n"))
    assert header == "" or header.strip()
    assert header.count("\n") <= 1


def test_headers_from_a_file_are_taken_by_chunk_id(tmp_path: Path) -> None:
    """A chunk that the file does not name has no header; another line end is normalised."""
    path = tmp_path / "headers.jsonl"
    path.write_text(json.dumps({"chunk_id": "leave.md#0", "text": "On leave.\r\n\n"}) + "\n\n")
    rule = read_header_rule("file:headers.jsonl", folder=tmp_path)
    assert "On leave.\n" == rule.header(LEAVE)
    other = Chunk("other", "other", "x", "", (), "", {})
    assert "" == rule.header(other)
    rule.require_known(["leave.md#0", "other"])
    with pytest.raises(InputError, match="1 chunk that the snapshot does not have"):
        rule.require_known(["other"])


@pytest.mark.parametrize(
    ("message", "content"),
    [
        ("line 1 is not an object", "not json\n"),
        ("line 2 is not an object", '{"chunk_id": "a", "text": ""}\n{"chunk_id": "b"}\n'),
        ("a second time", '{"chunk_id": "a", "text": "x"}\n{"chunk_id": "a", "text": "y"}\n'),
        ("line 1 has an object in which 'text' stands twice", '{"text": "x", "text": "y"}\n'),
        ("line 1 holds half of a surrogate", '{"chunk_id": "a", "text": "\\ud800 x"}\n'),
    ],
)
def test_a_broken_header_file_is_refused(tmp_path: Path, message: str, content: str) -> None:
    """With the line, and never with half of it used."""
    with pytest.raises(InputError, match="no header file"):
        read_header_rule("file:h.jsonl", folder=tmp_path)
    (tmp_path / "h.jsonl").write_text(content)
    with pytest.raises(InputError, match=message):
        read_header_rule("file:h.jsonl", folder=tmp_path)


@pytest.mark.parametrize(
    ("message", "rule"),
    [
        ('Did you mean "title"', "titel"),
        ("asks for {}", "{}"),
        ("is no template", "{title"),
        ("is no rule", "fixed words"),
        ("asks for {title.__class__}", "{title.__class__}"),
    ],
)
def test_what_is_no_rule_is_refused(message: str, rule: str) -> None:
    """A misspelt rule must not become a fixed header on every chunk."""
    with pytest.raises(InputError) as refused:
        check_header_rule(rule, folder=Path())
    assert message in str(refused.value)


# What a header leaves out


def words(texts: Sequence[str]) -> list[int]:
    return [len(text.split()) for text in texts]


@pytest.mark.parametrize(
    ("expected", "rule", "of"),
    [
        ("Leave\n", "path", chunk("", ("Leave", "1.2 OVERVIEW:"))),
        ("Leave\n", "path", chunk("", ("IV. General information", "Leave"))),
        ("Overview of leave\n", "path", chunk("", ("Overview of leave",))),
        ("(hr)\n", "{title}({source})", chunk("Home", ())),
        ("", "{title}{heading}", chunk("Home", ("Contents",))),
    ],
)
def test_structural_words_are_no_step(expected: str, rule: str, of: Chunk) -> None:
    """Whatever their case, number and punctuation; a heading that only holds one stays."""
    options = HeaderOptions(stop_list=STRUCTURAL)
    assert expected == read_header_rule(rule, options=options).header(of)


@pytest.mark.parametrize(
    ("expected", "of"),
    [
        ("", chunk("Leave", ("Sick leave",), text="Leave: sick leave\nAsk on the first day.")),
        ("Leave > Sick leave\n", chunk("Leave", ("Sick leave",), text="Leave is granted.")),
        ("Leave\n", chunk("Leave", (), text="Leaves fall.")),
        ("", chunk("休假", (), text="休假四周。")),
        ("LEAVE > Sick\n", chunk("LEAVE", ("Leave", "Sick"), text="x")),
    ],
)
def test_an_informative_header_says_what_the_text_does_not(expected: str, of: Chunk) -> None:
    """Compared by words, so that a colon or a line break in between hides nothing."""
    options = HeaderOptions(informative=True)
    assert expected == read_header_rule("title+path", options=options).header(of)


@pytest.mark.parametrize(
    ("expected", "limit", "rule"),
    [
        ("Handbook > Leave > Parental leave\n", 6, "title+path"),
        ("Leave > Parental leave\n", 5, "title+path"),
        ("Parental leave\n", 3, "title+path"),
        ("Parental\n", 1, "title+path"),
        ("Handbook: Parental\n", 2, "{title}: {path}"),
    ],
)
def test_a_limit_drops_whole_steps_from_the_outermost(expected: str, limit: int, rule: str) -> None:
    """The innermost says most; one step that is too long by itself ends after a word."""
    found = read_header_rule(rule, options=HeaderOptions(max_tokens=limit))
    assert [expected, ""] == found.headers([LEAVE, chunk()], own_tokens=words)


def test_a_heading_without_blanks_ends_after_a_character() -> None:
    """With its marks; a word of a script with blanks is not cut."""
    found = read_header_rule("path", options=HeaderOptions(max_tokens=4))
    chunks = [chunk("", (heading,)) for heading in ("休暇の申請について", "ที่พัก", "Rechtsschutz")]
    headers = found.headers(chunks, own_tokens=lambda texts: [len(t.strip()) for t in texts])
    assert ["休暇の申\n", "ที่\n", ""] == headers


@given(
    st.lists(st.tuples(st.text(max_size=20), st.lists(st.text(max_size=10), max_size=3))),
    st.integers(1, 6),
)
def test_no_header_is_over_its_limit(places: list[tuple[str, list[str]]], limit: int) -> None:
    """And what is within it is the header without a limit."""
    chunks = [chunk(title, tuple(headings)) for title, headings in places]
    limited = read_header_rule("title+path", options=HeaderOptions(max_tokens=limit))
    found = limited.headers(chunks, own_tokens=words)
    assert all(len(header.split()) <= limit for header in found)
    whole = read_header_rule("title+path").headers(chunks, own_tokens=None)
    assert all(a == b for a, b in zip(found, whole, strict=True) if len(b.split()) <= limit)


def test_a_treatment_is_known_by_its_digest(tmp_path: Path) -> None:
    """That of the file's bytes, or of the rule's text and options."""
    rules = [read_header_rule(rule) for rule in ("path", "title")]
    for stop_list in (STRUCTURAL, ("overview",)):
        rules.append(read_header_rule("path", options=HeaderOptions(stop_list=stop_list)))
    for text in ("x", "y"):
        (tmp_path / "h.jsonl").write_text(json.dumps({"chunk_id": "a", "text": text}))
        rules.append(read_header_rule("file:h.jsonl", folder=tmp_path))
    assert 6 == len({rule.digest for rule in rules})
    assert {"header", "header_sha256"} == rules[0].record().keys()
    assert {"stop_list": ["overview"]} == rules[3].record()["header_options"]


def test_the_price_of_a_header_file_is_summed(tmp_path: Path) -> None:
    """Over the lines that state one; what was not stated is not taken for free."""
    path = tmp_path / "h.jsonl"
    lines: list[dict[str, object]] = [
        {"chunk_id": "a", "text": "x", "cost": 0.1, "seconds": 2, "model": "m"},
        {"chunk_id": "b", "text": "", "cost": 0.2, "model": "m"},
        {"chunk_id": "c", "text": "y", "prompt": "not read"},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = read_header_rule("file:h.jsonl", folder=tmp_path).record()["header_file"]
    assert (pytest.approx(0.3), 2, 3) == (found["cost"], found["lines_with_cost"], found["lines"])
    assert (2, 1, None, 0) == tuple(
        found[key] for key in ("seconds", "lines_with_seconds", "tokens", "lines_with_tokens")
    )
    assert {"m": 2} == found["models"]
    path.write_text('{"chunk_id": "a", "text": "x", "cost": -1}\n')
    with pytest.raises(InputError, match="line 1 has the cost -1"):
        read_header_rule("file:h.jsonl", folder=tmp_path)
