"""
Private data in queries: found before anybody sees them, and dropped, masked or kept as decided.

It reports how many queries and searches hold data of which kind, and never a value. What it
takes for private is stated in `RULES`; where a number may be something else (an order number,
an ISBN, a version) it needs more than digits. It knows nothing of log files.
"""

import math
import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evaluator import InputError

CHOICES = ("drop", "mask", "keep")
EMAIL, PHONE, CARD, IBAN, IP = "e-mail address", "phone number", "card number", "IBAN", "IP address"
SECRET, IDENTIFIER = "key or token", "identifier"
# What a kind is called where somebody decides about it alone.
NAMES = {
    "email": EMAIL,
    "phone": PHONE,
    "card": CARD,
    "iban": IBAN,
    "ip": IP,
    "key": SECRET,
    "identifier": IDENTIFIER,
}
PLACEHOLDERS = {
    EMAIL: "[e-mail]",
    PHONE: "[phone number]",
    CARD: "[card number]",
    IBAN: "[IBAN]",
    IP: "[IP address]",
    SECRET: "[key or token]",
    IDENTIFIER: "[identifier]",
}
RULES = (
    f"{EMAIL}: name, @ (or %40) and a domain; "
    f"{IBAN}: length of its country and checksum; "
    f"{CARD}: 13 to 19 digits with the beginning, length and check digit of a card; "
    f"{IP}: IPv4 unless it reads as a version, IPv6 of three groups or more; "
    f"{PHONE}: valid with its country code, after a word such as tel or call, as North "
    "America writes it, or valid and spaced or with a leading 0 in one of the regions named; "
    f"{SECRET}: begins as keys and tokens of known services do, or 24 characters or more of "
    "small and capital letters and digits with 3.8 bits or more each"
)
_ANY = "any"
_FEWEST_DIGITS, _DOTS_OF_IP = 6, 3  # a number without either is none of those looked for
_MAY_HOLD = re.compile(r"[@%:+]|\d|-----BEGIN")
_TEXTS_KEPT = 10_000  # texts with private data whose lines can be told
_LONG = re.compile(r"[A-Za-z0-9+/_=-]{24,}")
_LEAST_BITS = 3.8  # a character of random letters and digits; of words 2.5 to 3.5
_KNOWN_KEY = re.compile(
    r"ssh-(?:rsa|ed25519|dss) [A-Za-z0-9+/=]{20,}|-----BEGIN [A-Z ]+-----\S*"
    r"|(?<![A-Za-z0-9])(?:(?:AKIA|ASIA)[0-9A-Z]{16}|eyJ[\w-]{8,}\.[\w-]{4,}(?:\.[\w-]*)?"
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}"
    r"|AIza[\w-]{30,}|ya29\.[\w-]{20,}|[sr]k_(?:live|test)_\w{16,}|sk-[\w-]{20,}|npm_\w{30,}"
    r"|pypi-\w{30,}|hf_[A-Za-z0-9]{20,}|SG\.[\w-]{16,}\.[\w-]{16,})"
)
_EMAIL = re.compile(  # at most 64 characters before the @: RFC 5321, section 4.5.3.1
    r"(?<![\w.+-])[\w.+'-]{0,63}[\w+-](?:@|%40)"
    r"(?:[^\W_](?:[\w-]*[^\W_])?\.)+(?:xn--[^\W_]+|[^\W\d_]{2,})",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Guard:
    """
    Decides what of each query is kept, and counts what was found.

    `choice` is `drop`, `mask` or `keep`, and after a semicolon another one for a kind, as in
    `mask; card=drop`. It is None as long as nobody has decided; queries then pass as they are,
    and the report says which kinds wait for a decision. `texts` are the first that were found.
    `identifiers` are regular expressions for
    what is private here, such as customer numbers; `regions` two-letter codes of countries
    whose phone numbers are known when written without country code.
    """

    choice: str | None = None
    identifiers: Sequence[str] = ()
    regions: Sequence[str] = ()
    _patterns: tuple[re.Pattern[str], ...] = ()
    texts: set[str] = field(default_factory=set)
    _by_kind: dict[str, str] = field(default_factory=dict)
    _kept: Counter[str] = field(default_factory=Counter)
    _queries: defaultdict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    _searches: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        for part in filter(None, (each.strip() for each in (self.choice or "").split(";"))):
            name, named, choice = part.rpartition("=")
            if choice not in CHOICES or (named and name not in NAMES):
                raise InputError(
                    f"--private {part!r} is no decision. Give drop, mask or keep, or one for a "
                    f"kind alone, such as card=drop; kinds are {', '.join(NAMES)}."
                )
            self._by_kind[NAMES[name] if named else _ANY] = choice
        if self.regions:
            from labeler.logs.private_numbers import check_regions

            check_regions(self.regions)
        try:
            self._patterns = tuple(map(re.compile, self.identifiers))
        except re.error as error:
            raise InputError(
                f"The pattern {error.pattern!r} of an identifier cannot be read: {error}. "
                r"Give a regular expression, such as \bK-\d{6}\b."
            ) from None
        empty = [pattern.pattern for pattern in self._patterns if pattern.search("")]
        if empty:
            raise InputError(f"The pattern {empty[0]!r} fits every query. Make it say more.")

    def passed(self, text: str, count: int) -> str | None:
        """The text that is kept of a query with its number of searches; None for nothing."""
        plain = composed(text)
        found = self._found(plain) if self._patterns or _MAY_HOLD.search(plain) else []
        if not found:
            return text
        for kind in {_ANY, *(kind for kind, _ in found)}:
            self._queries[kind].add(" ".join(plain.casefold().split()))
            self._searches[kind] += count
        if len(self.texts) < _TEXTS_KEPT:
            self.texts.add(text)
        decided = [(self._decided(kind), kind, span) for kind, span in found]
        if any(choice == "drop" for choice, _, _ in decided):
            self._kept["dropped queries"] += 1
            self._kept["dropped searches"] += count
            return None
        masked = [(kind, span) for choice, kind, span in decided if choice == "mask"]
        return _masked(plain, masked) if masked else text

    def _decided(self, kind: str) -> str | None:
        return self._by_kind.get(kind, self._by_kind.get(_ANY))

    def kinds_in(self, text: str) -> list[str]:
        """The kinds of private data that a text holds."""
        return list(dict.fromkeys(kind for kind, _ in self._found(composed(text))))

    def masked(self, text: str) -> str:
        """The text with placeholders for what is private, whatever was chosen; not counted."""
        plain = composed(text)
        found = self._found(plain)
        return _masked(plain, found) if found else text

    def report(self) -> dict[str, Any]:
        """What was found and what was done about it, for the record of a log."""
        kinds = sorted(self._queries.keys() - {_ANY})
        return {
            "choice": self.choice,
            "rules": RULES,
            "regions": list(self.regions),
            "identifiers": list(self.identifiers),
            "queries": len(self._queries[_ANY]),
            "searches": self._searches[_ANY],
            "undecided": [kind for kind in kinds if self._decided(kind) is None],
            "dropped_searches": self._kept["dropped searches"],
            "kinds": {
                kind: {"queries": len(self._queries[kind]), "searches": self._searches[kind]}
                for kind in kinds
            },
        }

    def _found(self, text: str) -> list[tuple[str, tuple[int, int]]]:
        """What a text holds, in order and without overlaps."""
        found: list[tuple[tuple[int, int], str]] = []
        for kind, spans in self._kinds(text):
            for start, end in spans:
                at = bisect_left(found, ((start, end), kind))
                free = at == 0 or found[at - 1][0][1] <= start
                if free and (at == len(found) or end <= found[at][0][0]):
                    found.insert(at, ((start, end), kind))
        return [(kind, span) for span, kind in found]

    def _kinds(self, text: str) -> list[tuple[str, list[tuple[int, int]]]]:
        own = [match.span() for pattern in self._patterns for match in pattern.finditer(text)]
        found = [
            (IDENTIFIER, [span for span in own if span[0] < span[1]]),
            (SECRET, [match.span() for match in _KNOWN_KEY.finditer(text)]),
            (EMAIL, [match.span() for match in _EMAIL.finditer(text)]),
            (SECRET, [match.span() for match in _LONG.finditer(text) if _is_random(match[0])]),
        ]
        few = sum(map(str.isdecimal, text)) < _FEWEST_DIGITS
        if few and ":" not in text and text.count(".") < _DOTS_OF_IP:
            return found
        from labeler.logs import private_numbers as numbers  # loads numbering plans

        return [
            *found,
            (IBAN, numbers.ibans(text)),
            (CARD, numbers.card_numbers(text)),
            (IP, numbers.ip_addresses(text)),
            (PHONE, numbers.phone_numbers(text, self.regions)),
        ]


def check_decided(record: Mapping[str, Any]) -> None:
    """Raise InputError if a log holds private data and nobody has said what to do about it."""
    private = record.get("private")
    if private and private["queries"] and private.get("undecided"):
        raise InputError(
            f"{record['file']}: {found_text(private)}.\n"
            "Nothing was stored. Say what to do with these queries: --private drop leaves them "
            "out, --private mask puts placeholders such as [e-mail] in their place, "
            "--private keep keeps them as they are; --private card=drop decides about one kind."
        )


def found_text(private: Mapping[str, Any]) -> str:
    """What a report says was found, in one sentence without its end."""
    if not private["queries"]:
        return "No private data found"
    kinds = ", ".join(
        f"{kind}: {n['queries']:,} ({n['searches']:,})" for kind, n in private["kinds"].items()
    )
    return (
        f"{private['queries']:,} queries ({private['searches']:,} searches) hold what looks like "
        f"private data: {kinds}"
    )


def _is_random(text: str) -> bool:
    """Whether letters and digits are mixed as in a key, and not as in words or numbers."""
    if not (re.search("[a-z]", text) and re.search("[A-Z]", text) and re.search("[0-9]", text)):
        return False
    shares = [count / len(text) for count in Counter(text).values()]
    return -sum(share * math.log2(share) for share in shares) >= _LEAST_BITS


def composed(text: str) -> str:
    """The text with the usual digits and signs in place of wide and other forms of them."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def _masked(text: str, found: Sequence[tuple[str, tuple[int, int]]]) -> str:
    parts, at = [], 0
    for kind, (start, end) in found:
        parts += [text[at:start], PLACEHOLDERS[kind]]
        at = end
    return "".join([*parts, text[at:]])
