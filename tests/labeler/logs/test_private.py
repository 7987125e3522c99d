"""Private data in queries: what is taken for it, what is not, and what is done about it."""

import json
import time
from contextlib import nullcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator import InputError
from labeler.logs.private import CHOICES, PLACEHOLDERS, Guard, check_decided, found_text


@pytest.mark.parametrize(
    ("query", "masked"),
    [
        ("mail ola.nordmann@uio.no please", "mail [e-mail] please"),
        ("ola%40uio.no", "[e-mail]"),
        ("ｏｌａ＠uio.no", "[e-mail]"),
        ("two a@b.no, c@d.com", "two [e-mail], [e-mail]"),
        ("ola@uio.xn--p1ai", "[e-mail]"),
        ("+47 22 85 50 50", "[phone number]"),
        ("ring 0047 22855050 nå", "ring [phone number] nå"),
        ("+1 (415) 555-2671", "[phone number]"),
        ("tel. 22855050", "tel. [phone number]"),
        ("Tlf: 22 85 50 50", "Tlf: [phone number]"),
        ("call back 555-0188, ask for bea", "call back [phone number], ask for bea"),
        ("(212) 555-0123 pizza", "[phone number] pizza"),
        ("card 378282246310005 declined", "card [card number] declined"),
        ("5500-0000-0000-0004", "[card number]"),
        ("NO93 8601 1117 947 betaling", "[IBAN] betaling"),
        ("gb82west12345698765432", "[IBAN]"),
        ("login from 185.12.64.3 failed", "login from [IP address] failed"),
        ("fe80::1ff:fe23:4567:890a", "[IP address]"),
    ],
)
def test_private_data_is_masked(query: str, masked: str) -> None:
    """Each kind, as people write it, with a placeholder that says what stood there."""
    assert masked == Guard("mask").passed(query, 1)


@pytest.mark.parametrize(
    "query",
    [
        *("9781474248303", "978-1-4742-4830-3", "ISBN 82-05-12345-6", "0-306-40615-2"),
        *("0178-0336", "issn 2049-3630", "10.1038/s41586-020-2649-2", "doi 10.1016/j.cell.2019"),
        *("order 4500123456", "4500123456", "ordre nr 22 85 50 50", "case 555-0171", "SKU 1234567"),
        *("1990 2000 2010", "2015-2016", "12.05.2016", "2016-05-12", "01 02 2015", "1814-1905"),
        *("1 299 000 kr", "12 345 678", "3,384,730,223", "$1.299.000", "100 000 000 usd"),
        *("version 2.4.1.0", "2.4.1.0", "python 3.11.7", "chrome 120.0.6099.109", "v10.15.7.1"),
        *("12:30:45", "std::vector", "a::b", "C++ 11", "@someone", "50% off", "foo@bar"),
        *("pages 512-1024", "p. 234-0256", "call number 0123456", "22855050", "2125550123"),
        *("4000123412341235", "1234567890123", "9.98904E+17", "4006381333931", "555"),
        *("NO93 8601 1117 948", "GB00 WEST 1234 5698 7654 32", "999.1.1.1", "007", "NA"),
    ],
)
def test_other_numbers_are_left_alone(query: str) -> None:
    """ISBNs, orders, years, prices, versions and numbers whose check digit is wrong."""
    assert query == Guard("mask").passed(query, 1)


@pytest.mark.parametrize("query", ["22 85 50 50", "912 34 567", "0151 23456789", "020 7946 0958"])
def test_a_region_makes_its_phone_numbers_known(query: str) -> None:
    """Without it digits in groups may be anything."""
    assert query == Guard("mask").passed(query, 1)
    assert "[phone number]" == Guard("mask", regions=("NO", "DE", "GB")).passed(query, 1)


def test_dates_versions_and_amounts_are_no_phone_numbers_in_any_region() -> None:
    """What a region adds must be spaced like a number and valid there."""
    guard = Guard("mask", regions=("NO", "US", "GB", "DE"))
    queries = [
        *("2015-2016", "1 299 000 kr", "12 345 678", "9781474248303", "order 22 85 50 50"),
        *("2026-02-03 09:00:00", "10.1000/182", "windows 10.0.19041.1", "4.18.0.305"),
    ]
    assert queries == [guard.passed(query, 1) for query in queries]


def test_what_is_private_here_is_a_pattern() -> None:
    """Own identifiers come first, and one query may hold several kinds."""
    guard = Guard("mask", identifiers=(r"\bK-\d{6}\b",))
    assert "[identifier] of [e-mail]" == guard.passed("K-123456 of a@b.no", 3)
    kinds = guard.report()["kinds"]
    assert {"identifier", "e-mail address"} == set(kinds)
    assert {"queries": 1, "searches": 3} == kinds["identifier"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"identifiers": ["("]}, "cannot be read"),
        ({"identifiers": ["a?"]}, "fits every query"),
        ({"regions": ["XX"]}, "two letters"),
    ],
)
def test_impossible_patterns_and_regions_are_refused(
    options: dict[str, list[str]], message: str
) -> None:
    """Before anything is read, and with what to write instead."""
    with pytest.raises(InputError, match=message):
        Guard("mask", **options)


def test_the_report_counts_and_shows_nothing() -> None:
    """Queries that differ in case are one, searches add up, and no value is in the report."""
    guard = Guard("drop")
    for query, count in (("A@b.no", 2), ("a@b.no ", 3), ("tel 22855050", 1), ("vpn", 9)):
        guard.passed(query, count)
    report = guard.report()
    assert (2, 6) == (report["queries"], report["searches"])
    assert {"queries": 1, "searches": 5} == report["kinds"]["e-mail address"]
    assert "phone number: 1 (1)" in found_text(report)
    assert "b.no" not in json.dumps(report)


@pytest.mark.parametrize(
    ("choice", "kept"),
    [("drop", None), ("mask", "[e-mail]"), ("keep", "a@b.no"), (None, "a@b.no")],
)
def test_a_choice_is_what_it_says(choice: str | None, kept: str | None) -> None:
    """Kept, masked or dropped; without a choice nothing is changed, and nothing is stored."""
    guard = Guard(choice)
    check_decided({"file": "log.csv", "private": guard.report()})
    check_decided({"file": "a log from before private data was looked for"})
    assert kept == guard.passed("a@b.no", 1)
    record = {"file": "log.csv", "private": guard.report()}
    with pytest.raises(InputError, match="Nothing was stored") if choice is None else nullcontext():
        check_decided(record)


@given(st.text(max_size=40))
def test_masking_twice_changes_nothing(text: str) -> None:
    """No placeholder is private, and no masked text holds what would be masked."""
    once = Guard().masked(text)
    assert once == Guard().masked(once)


@given(st.text("0123456789 .-+()/@abk:%", max_size=30), st.sampled_from([None, *CHOICES]))
def test_looking_never_fails(text: str, choice: str | None) -> None:
    """Whatever digits and signs come together, there is a text or none."""
    kept = Guard(choice, regions=("NO", "US")).passed(text, 1)
    assert kept is None or isinstance(kept, str)


@pytest.mark.parametrize("part", ["12345678; ", "1.2.3.4 ", "a@b.no ", "a'", "1 ", "4111 1111 "])
def test_a_long_text_takes_no_longer_than_its_parts(part: str) -> None:
    """A line of a megabyte is looked through in seconds, whatever it holds."""
    began = time.process_time()
    Guard().passed(part * (200_000 // len(part)) + "@", 1)
    assert time.process_time() - began < 20


def test_every_placeholder_can_be_seen() -> None:
    """They stand in brackets and are told apart."""
    assert len(PLACEHOLDERS) == len(set(PLACEHOLDERS.values()))
    assert all(text[0] + text[-1] == "[]" for text in PLACEHOLDERS.values())
