"""
Logs of web servers: the queries that stand in the addresses of requests.

Reads the common and the combined format of Apache and nginx, with or without more before or
behind. Which parameter holds the query is said by the caller, and so is what is left out:
nobody can tell from a log alone whether a robot or a failed request was a search.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote_plus, unquote_to_bytes

from evaluator import InputError
from labeler.logs.columns import LogRow, Shape
from labeler.logs.file import ByteProgress, Findings, Line, LogFile

_REQUEST = re.compile(
    r"\[(?P<time>\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "
    r'"(?P<request>(?:[^"\\]|\\.)*)" (?P<status>\d{3}) (?:\d+|-)'
    r'(?: "(?:[^"\\]|\\.)*" "(?P<agent>(?:[^"\\]|\\.)*)")?'
)
_LIKE_A_REQUEST = re.compile(r'"(?:GET|POST|HEAD) [^"]*"')
_ESCAPED = re.compile(r'\\(?:x([0-9A-Fa-f]{2})|(["\\]))')
_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS = {name: f"{number:02d}" for number, name in enumerate(_NAMES, 1)}
_CALLED_ROBOTS = re.compile("bot|crawl|spider|slurp|monitor", re.IGNORECASE)
_STATUS = re.compile(r"[1-5](?:\d\d|xx)")
_OTHER_CODE = "percent-encoded bytes that are not UTF-8; read as cp1252"


@dataclass(frozen=True, slots=True)
class AccessLog:
    """A log of requests, of which those with the parameter are searches."""

    file: LogFile
    parameter: str
    statuses: tuple[str, ...]
    agents: tuple[re.Pattern[str], ...]
    _met: Counter[str] = field(default_factory=Counter)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was counted and what was not, after the lines were read."""
        met = self._met
        statuses = ", ".join(
            f"{s[7:]}: {n:,}" for s, n in sorted(met.items()) if s[:7] == "status "
        )
        notes = [
            f"Every GET request with {self.parameter}= in its address is one search, "
            f"also for further pages of results. {met['other requests']:,} requests are none.",
            f"Searches by status of the answer: {statuses or 'none'}.",
            f"Left out by status: {met['left out by status']:,} "
            f"({'only ' + ', '.join(self.statuses) if self.statuses else 'no status'} wanted); "
            f"by agent: {met['left out by agent']:,}.",
        ]
        if met["robots"]:
            notes.append(
                f"{met['robots']:,} of the searches are by agents that call themselves bot, "
                "crawler, spider, slurp or monitor. They are counted; leave agents out with "
                "--skip-agent REGEX."
            )
        return tuple(notes)

    def rows(
        self, findings: Findings, progress: ByteProgress | None = None, others: Sequence[str] = ()
    ) -> Iterator[LogRow]:
        """The rows that may be searches; what is no request goes to the findings."""
        if others:
            raise InputError(f"{self.file.path.name} has no columns beside its queries.")
        self._met.clear()
        for number, line in self.file.lines(findings, progress):
            found = _REQUEST.search(line)
            if found is None:
                what = "not a line of a web server's log" if line.strip() else "the line is empty"
                findings.report(number, what, line, kind="broken" if line.strip() else "blank")
                continue
            pairs = _pairs(_unescaped(found["request"]))
            values = [value for name, value in pairs if name == self.parameter]
            if not values:
                self._met["other requests"] += 1
            elif self._is_wanted(found):
                query, certain = _decoded(values[0])
                if not certain:
                    findings.remark(number, _OTHER_CODE)
                if len(set(values)) > 1:
                    findings.remark(number, f"{self.parameter}= more than once; the first is read")
                yield LogRow(number, query, None, _iso(found["time"]))

    def described(self) -> dict[str, Any]:
        """What the record of a log says about requests."""
        return {
            "layout": "web server log",
            "columns": {"query": self.parameter, "count": None, "time": "time"},
            "statuses": list(self.statuses),
            "skipped_agents": [pattern.pattern for pattern in self.agents],
            "other_requests": self._met["other requests"],
        }

    def _is_wanted(self, found: re.Match[str]) -> bool:
        status, agent = found["status"], found["agent"] or ""
        if self.statuses and not {status, status[0] + "xx"} & {*self.statuses}:
            self._met["left out by status"] += 1
            return False
        if any(pattern.search(agent) for pattern in self.agents):
            self._met["left out by agent"] += 1
            return False
        self._met[f"status {status}"] += 1
        self._met["robots"] += bool(_CALLED_ROBOTS.search(agent))
        return True


def open_access(file: LogFile, head: Sequence[Line], shape: Shape, *, parameter: str) -> AccessLog:
    """
    The log of a web server that a file holds.

    `statuses` are the only ones wanted, such as 200 or 2xx; `skip_agents` are regular
    expressions for agents whose requests are no searches. Raises InputError if the first
    lines are no requests, and for a status or a pattern that cannot be one.
    """
    name = file.path.name
    if not _are_mostly(_REQUEST, [line for _, line in head]):
        raise InputError(
            f"{name}: --query-parameter is for logs of web servers in the common or combined "
            "format, and its first lines are not in one of them."
        )
    if wrong := [status for status in shape.statuses if not _STATUS.fullmatch(status)]:
        raise InputError(f"{wrong[0]!r} is no status of an answer. Give one such as 200 or 2xx.")
    try:
        agents = tuple(re.compile(pattern, re.IGNORECASE) for pattern in shape.skip_agents)
    except re.error as error:
        raise InputError(
            f"The pattern {error.pattern!r} of an agent cannot be read: {error}."
        ) from None
    return AccessLog(file, parameter, tuple(shape.statuses), agents)


def is_access_log(lines: Sequence[str]) -> bool:
    """Whether most of some lines hold what looks like a request to a web server."""
    return _are_mostly(_LIKE_A_REQUEST, lines)


def _are_mostly(pattern: re.Pattern[str], lines: Sequence[str]) -> bool:
    filled = [line for line in lines if line.strip()]
    return 2 * sum(bool(pattern.search(line)) for line in filled) > len(filled)


def requests(lines: Sequence[str]) -> Iterator[dict[str, str]]:
    """The time, the status and the decoded parameters of some requests."""
    for line in lines:
        if (found := _REQUEST.search(line)) is not None:
            values: dict[str, str] = {}
            for name, value in _pairs(_unescaped(found["request"])):
                values.setdefault(name, _decoded(value)[0])  # of several, the first is read
            yield {"time": _iso(found["time"]), "status": found["status"], **values}


def parameters(lines: Sequence[str]) -> list[tuple[str, int]]:
    """The parameters that the addresses of some requests have, the commonest first."""
    counts: Counter[str] = Counter()
    for line in lines:
        if (found := _REQUEST.search(line)) is not None:
            counts.update(name for name, _ in _pairs(_unescaped(found["request"])))
    return counts.most_common()


def _pairs(request: str) -> Iterator[tuple[str, str]]:
    """The parameters of a GET request with their values as they are encoded."""
    method, _, rest = request.partition(" ")
    address = rest.rpartition(" ")[0] or rest
    _, asked, query = address.partition("?")
    if method != "GET" or not asked:
        return
    for pair in query.partition("#")[0].split("&"):
        name, given, value = pair.partition("=")
        if given:
            yield unquote_plus(name), value


def _decoded(value: str) -> tuple[str, bool]:
    """The text of a percent-encoded value, and whether its bytes were UTF-8."""
    content = unquote_to_bytes(value.replace("+", " "))
    try:
        return content.decode(), True
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace"), False


def _unescaped(request: str) -> str:
    """A request as it was sent: servers write quotes, backslashes and other bytes as escapes."""
    if "\\" not in request:
        return request
    return _ESCAPED.sub(lambda match: f"%{match[1]}" if match[1] else match[2], request)


def _iso(time: str) -> str:
    day, month, year = time[:2], time[3:6], time[7:11]
    return f"{year}-{_MONTHS.get(month, month)}-{day}T{time[12:20]}{time[21:]}"
