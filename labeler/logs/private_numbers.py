"""
Numbers in a text that lead to a person: phones, cards, bank accounts, addresses of machines.

Check digits and numbering plans come from libraries; the rules here are about what else a
row of digits may be. Each function returns where what it knows begins and ends.
"""

import ipaddress
import re
from collections.abc import Sequence

import phonenumbers
from stdnum import ean, iban, isbn, issn, luhn

from evaluator import InputError

Span = tuple[int, int]

_IBAN = re.compile(r"(?<![^\W_])[A-Za-z]{2}\d\d(?:[ -]?[0-9A-Za-z]){11,30}")
_FEWEST_IBAN, _MOST_IBAN = 15, 34
_CARD = re.compile(r"(?<![\w.,+-])\d(?:[ -]?\d){12,18}(?![\w@]|[.,-]\d)")
_CARD_GROUPS = {(16,), (15,), (14,), (13,), (17,), (18,), (19,), (4, 4, 4, 4), (4, 6, 5), (4, 6, 4)}
_IPV4 = re.compile(r"(?<![\w.-])(?:\d{1,3}\.){3}\d{1,3}(?![\w-]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{5,39}(?![\w:.])")
_BEFORE = 60  # characters in front of a number; longer than any words that say what it is
_VERSION = re.compile(r"(?:\bv|\bver|\bversion|\bversjon|\brelease|\bbuild|\bfirmware)\W*$", re.I)
_ONLY_VERSIONS = 25  # a number of a version is seldom greater, one of an address seldom smaller
_PHONE = re.compile(
    r"(?<![\w,/@#-])(?<!\d\.)(?:\+|\(\+)?\(?\d[\d ()./\u00a0\u2010-\u2015-]{5,22}\d(?![\w@]|[.,]\d)"
)
_PHONE_WORD = re.compile(
    r"(?:\b(?:tel|tele(?:ph|f)on[eo]?|tlf|phone|mob|mobile?|mobilnummer|handy|cell|call(?!\W{0,3}n(?:o|r|umber)\b)|fax|faks|"
    r"ring|ringe|whatsapp|sms|dial|call back|callback)|☎)"
    r"\W{0,3}(?:\b(?:no|nr|number|nummer)\b)?\W{0,3}$",
    re.IGNORECASE,
)
_OTHER_WORD = re.compile(
    r"(?:\b(?:isbn|issn|ean|gtin|doi|pmid|order|ordre|bestilling|invoice|faktura|ticket|case|sak|po|"
    r"sku|ref|art|item|part|serial|model|version|p|pp|pages?|kr|nok|usd|eur)|[#£$€])"
    r"\W{0,3}(?:\b(?:no|nr|number|nummer|id)\b)?\W{0,3}$",
    re.IGNORECASE,
)
_MONEY_AFTER = re.compile(r"\s*(?:kr|nok|sek|dkk|usd|eur|euro|dollars?|,-|€|\$|£|%)(?!\w)", re.I)
_DATE = re.compile(
    r"(?:\d{1,2}[./ -]\d{1,2}[./ -](?:19|20)?\d\d|(?:19|20)\d\d[./ -]\d{1,2}[./ -]\d{1,2}"
    r"|(?:1\d|20)\d\d ?[-/\u2010-\u2015] ?(?:1\d|20)\d\d)"
)
_MINUTES = re.compile(r":\d\d")
_LOCAL = re.compile(r"[2-9]\d\d[-.]\d{4}")  # as North America writes a number within its area
_GROUPS = re.compile(r"\(?\d+(?:[ ().\u00a0\u2010-\u2015-]+\d\d+)+")
_NORTH_AMERICAN = re.compile(r"(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])[2-9]\d\d[ .-]\d{4}")


def ibans(text: str) -> list[Span]:
    """International bank account numbers, by the length of their country and their checksum."""
    found = []
    for match in _IBAN.finditer(text):
        letters = [at for at in range(match.start(), match.end()) if text[at] not in " -"]
        for length in range(min(len(letters), _MOST_IBAN), _FEWEST_IBAN - 1, -1):
            end = letters[length - 1] + 1
            number = "".join(text[at] for at in letters[:length])
            ends = not text[end : end + 1].isalnum()
            if ends and sum(map(str.isdigit, number)) >= 6 and iban.is_valid(number):
                found.append((match.start(), end))
                break
    return found


def card_numbers(text: str) -> list[Span]:
    """Card numbers: beginning and length as cards have them, and a right check digit."""
    return [
        match.span()
        for match in _CARD.finditer(text)
        if tuple(map(len, re.split("[ -]", match[0]))) in _CARD_GROUPS
        and _is_card(_digits(match[0]))
    ]


def _is_card(number: str) -> bool:
    size, two, four = len(number), int(number[:2]), int(number[:4])
    network = (
        (number[0] == "4" and size in (13, 16, 19))
        or ((51 <= two <= 55 or 2221 <= four <= 2720) and size == 16)
        or (two in (34, 37) and size == 15)
        or ((two in (36, 38, 39) or 3000 <= four <= 3059) and size == 14)
        or ((two in (60, 64, 65) or 3528 <= four <= 3589) and 16 <= size <= 19)
        or ((two in (50, 62, 67) or 56 <= two <= 58) and 16 <= size <= 19)
    )
    return network and bool(luhn.is_valid(number)) and not (size == 13 and ean.is_valid(number))


def ip_addresses(text: str) -> list[Span]:
    """IPv4 and IPv6 addresses. Four small numbers, or four after "version", are a version."""
    found = []
    for match in _IPV4.finditer(text):
        parts = [int(part) for part in match[0].split(".")]
        if _VERSION.search(_before(text, match.start())) or parts[0] < 1 or max(parts) > 255:
            continue
        if max(parts) > _ONLY_VERSIONS or parts[0] == 10:
            found.append(match.span())
    if ":" in text:
        found += [match.span() for match in _IPV6.finditer(text) if _is_ipv6(match[0])]
    return found


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return sum(map(bool, text.split(":"))) >= 3


def phone_numbers(text: str, regions: Sequence[str]) -> list[Span]:
    """
    Phone numbers, valid in the numbering plan of the country they name, or of a region.

    Without a country code digits alone are never enough: a word such as "tel" before them,
    the groups in which North America writes them, or, for one of the regions, blanks between
    or a leading 0.
    """
    found = []
    for match in _PHONE.finditer(text):
        number = match[0].rstrip("( ")
        if 7 <= len(_digits(number)) <= 15 and _is_phone(number, match, regions):
            found.append((match.start(), match.start() + len(number)))
    return found


def _is_phone(number: str, match: re.Match[str], regions: Sequence[str]) -> bool:
    digits, before = _digits(number), _before(match.string, match.start())
    if number.lstrip("(").startswith("+"):
        return _is_valid("+" + digits, None)
    if _is_book(number, digits) or _is_date(number, match):
        return False
    if _PHONE_WORD.search(before):
        return True
    other = _OTHER_WORD.search(before) or _MONEY_AFTER.match(match.string, match.end())
    return not other and (
        (digits.startswith("00") and _is_valid("+" + digits[2:], None))
        or (bool(_NORTH_AMERICAN.fullmatch(number)) and _is_valid(number, "US"))
        or (bool(_LOCAL.fullmatch(number)) and not _is_range(number))
        or (_is_spaced(number, digits) and any(_is_valid(number, r) for r in regions))
    )


def _before(text: str, at: int) -> str:
    """What stands in front of a place, as far as it can say what follows."""
    return text[max(0, at - _BEFORE) : at]


def _is_date(number: str, match: re.Match[str]) -> bool:
    """Whether it is a date, or one with the hour of a time such as 09:00."""
    hour = _MINUTES.match(match.string, match.end()) and re.search(r" \d\d?$", number)
    return bool(_DATE.fullmatch(number, 0, hour.start() if hour else len(number)))


def _is_spaced(number: str, digits: str) -> bool:
    """Whether it is grouped as numbers of phones are: in groups of two or more after the first."""
    return digits.startswith("0") or (bool(_GROUPS.fullmatch(number)) and not _is_amount(number))


def _is_valid(number: str, region: str | None) -> bool:
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(number, region))
    except phonenumbers.NumberParseException:
        return False


def _is_book(number: str, digits: str) -> bool:
    hyphened = re.fullmatch(r"\d{4}-\d{4}", number)
    return bool(isbn.is_valid(digits)) or bool(hyphened and issn.is_valid(digits))


def _is_range(number: str) -> bool:
    """Whether seven digits may be pages, as in 512-1024."""
    first, last = re.split("[-.]", number)
    return last[0] != "0" and int(last) > int(first)


def _is_amount(number: str) -> bool:
    """Whether the groups are thousands, as in 12 345 678."""
    groups = re.split("[ .\u00a0]", number)
    return len(groups) > 1 and len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])


def check_regions(regions: Sequence[str]) -> None:
    """Raise InputError for a region that no numbering plan is known of."""
    unknown = [region for region in regions if region not in phonenumbers.SUPPORTED_REGIONS]
    if unknown:
        raise InputError(f"No region {unknown[0]!r}. Give two letters, such as NO, GB or US.")


def _digits(number: str) -> str:
    return "".join(filter(str.isdigit, number))
