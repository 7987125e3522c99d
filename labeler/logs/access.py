"""
Logs of web servers: the queries that stand in the addresses of requests.

Reads the common and the combined format of Apache and nginx with or without more before or
behind, W3C extended logs (IIS, CloudFront), load balancers (AWS, HAProxy), Solr, and lines of
JSON. Which parameter holds the query is said by the caller, and so is what is left out: nobody
can tell from a log alone whether a robot or a failed request was a search.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote_plus, unquote_to_bytes

from evaluator import InputError
from labeler.logs.columns import LogRow, Shape, guess_query_columns
from labeler.logs.file import ByteProgress, Findings, Line, LogFile

_QUOTED = r'"(?P<request>(?:[^"\\]|\\.)*)"'
_AGENT = r'"(?P<agent>(?:[^"\\]|\\.)*)"'
_WRITTEN = (  # formats of text, by where time, status and agent stand around the request
    re.compile(  # Apache and nginx
        r"\[(?P<time>\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\] "
        + _QUOTED
        + r' (?P<status>\d{3}) (?:\d+|-)(?: "(?:[^"\\]|\\.)*" '
        + _AGENT
        + ")?"
    ),
    re.compile(  # load balancers of AWS, the old kind and the new
        r"(?P<time>\d{4}-\d\d-\d\dT[0-9:.]+Z) \S+ \S+ \S+ (?:-?[0-9.]+ ){3}"
        r"(?P<status>\d{3}|-) \S+ \d+ \d+ " + _QUOTED + " " + _AGENT
    ),
    re.compile(  # HAProxy
        r"\[(?P<time>\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d)(?:\.\d+)?\] \S+ \S+ [-+0-9/]+ "
        r"(?P<status>\d{3}|-1) .*" + _QUOTED + r"\s*$"
    ),
    re.compile(  # Solr
        r"(?P<time>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)\S* .* path=\S+ params=\{(?P<params>.*)\} "
        r"(?:hits=\d+ )?status=(?P<status>\d+)"
    ),
)
_FIELDS = "#Fields:"
_EDGE = "x-edge-location"  # CloudFront, which writes every % of an address as %25
_PLACES: Mapping[str, tuple[str, ...]] = {  # where lines of JSON keep what
    "address": (
        *("request", "request.uri", "request.url", "request_uri", "requesturi", "uri", "url"),
        *("httprequest.requesturl", "url.original", "req.url", "path", "cs-uri-stem"),
    ),
    "query": ("args", "query_string", "querystring", "url.query", "cs-uri-query", "querystr"),
    "method": ("request_method", "request.method", "httprequest.requestmethod", "method"),
    "status": ("status", "status_code", "httprequest.status", "response.status", "sc-status"),
    "agent": ("agent", "http_user_agent", "user_agent", "useragent", "httprequest.useragent"),
    "time": ("time", "timestamp", "@timestamp", "time_iso8601", "ts", "time_local"),
}
_REQUEST_LINE = re.compile(r"(?:[A-Z]{3,7} )?(?:https?://|/)\S*(?: HTTP/\S+)?")
_PROTOCOL = re.compile(r" HTTP/[0-9.]+$")
_BYTE = re.compile(r"\\x([0-9A-Fa-f]{2})")  # nginx writes so what JSON has no escape for
_ESCAPED = re.compile(r'\\(?:x([0-9A-Fa-f]{2})|(["\\]))')
_NAMES = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTHS = {name: f"{number:02d}" for number, name in enumerate(_NAMES, 1)}
_CALLED_ROBOTS = re.compile("bot|crawl|spider|slurp|monitor", re.IGNORECASE)
_STATUS = re.compile(r"[1-5](?:\d\d|xx)")
_OTHER_CODE = "percent-encoded bytes that are not UTF-8; read as cp1252"


class Request(NamedTuple):
    """One request: its line as servers write it, `GET /search?q=... HTTP/1.1`, and about it."""

    line: str
    time: str
    status: str
    agent: str


Reader = Callable[[str], Request | None]
"""Makes a request of a line, and None of a line that is none."""


def reader_of(lines: Sequence[str]) -> Reader | None:
    """What reads the lines of a web server's log; None for lines that are something else."""
    filled = [line for line in lines if line.strip()]
    if any(line.startswith(_FIELDS) for line in filled):
        return Extended()
    if filled and 2 * sum(_from_json(line) is not None for line in filled) > len(filled):
        return _from_json
    fitting = [sum(bool(each.search(line)) for line in filled) for each in _WRITTEN]
    best = max(range(len(_WRITTEN)), key=fitting.__getitem__)
    return _Written(_WRITTEN[best]) if 2 * fitting[best] > len(filled) else None


@dataclass(frozen=True, slots=True)
class _Written:
    """Lines of text in one of the formats."""

    format: re.Pattern[str]

    def __call__(self, line: str) -> Request | None:
        if (found := self.format.search(line)) is None:
            return None
        groups = found.groupdict()
        asked = groups.get("request")
        wanted = f"GET /?{groups['params']}" if asked is None else _unescaped(asked)
        return Request(wanted, _iso(groups["time"]), groups["status"], groups.get("agent") or "")


@dataclass(slots=True)
class Extended:
    """Lines of a W3C extended log, whose fields a line above them names, and may name again."""

    names: list[str] = field(default_factory=list)

    def __call__(self, line: str) -> Request | None:
        if line.startswith(_FIELDS):
            self.names = line.removeprefix(_FIELDS).split()
        cells = line.split("\t") if "\t" in line else line.split()
        if line.startswith("#") or len(cells) != len(self.names):
            return None
        row = dict(zip(self.names, cells, strict=True))
        query = row.get("cs-uri-query", "-")
        if _EDGE in row:
            query = query.replace("%25", "%")
        stem = row.get("cs-uri-stem") or row.get("cs-uri") or "/"
        address = stem if query == "-" else f"{stem}?{query}"
        time = f"{row['date']}T{row['time']}Z" if {"date", "time"} <= row.keys() else ""
        method, agent = row.get("cs-method", "GET"), row.get("cs(User-Agent)", "")
        return Request(f"{method} {address}", time, row.get("sc-status", "-"), agent)


def _from_json(line: str) -> Request | None:
    """The request that an object describes, if it is of a web server and of nothing else."""
    try:
        row = json.loads(_BYTE.sub(r"%\1", line), parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict) or guess_query_columns(list(row)):
        return None
    flat = dict(_flat(row))

    def first(what: str) -> str:
        return next((flat[name] for name in _PLACES[what] if name in flat), "")

    address, query = first("address"), first("query")
    if not _REQUEST_LINE.fullmatch(address):
        return None
    if address[0] == "/" or "://" in address.partition(" ")[0]:
        address = f"{first('method') or 'GET'} {address}"
        address += f"?{query.removeprefix('?')}" if query and "?" not in address else ""
    return Request(address, _iso(first("time")), first("status") or "-", first("agent"))


def _flat(row: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """The texts of an object by their paths, in small letters, with points between the names."""
    for name, value in row.items():
        path = f"{above}{name}".casefold()
        if isinstance(value, dict):
            yield from _flat(value, f"{path}.")
        elif isinstance(value, str):
            yield path, value


@dataclass(frozen=True, slots=True)
class AccessLog:
    """A log of requests, of which those with the parameter are searches."""

    file: LogFile
    read: Reader
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
        if met["shards"]:
            notes.append(f"{met['shards']:,} requests of one shard to another are not counted.")
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
            request = self.read(line)
            if request is None:
                if not line.strip():
                    findings.report(number, "the line is empty", line, kind="blank")
                elif not (isinstance(self.read, Extended) and line.startswith("#")):
                    findings.report(number, "not a line of a web server's log", line)
                continue
            pairs = list(_pairs(request.line))
            if ("isShard", "true") in pairs:  # Solr asks each shard, and one search is one
                self._met["shards"] += 1
                continue
            values = [value for name, value in pairs if name == self.parameter]
            if not values:
                self._met["other requests"] += 1
            elif self._is_wanted(request):
                query, certain = _decoded(values[0])
                if not certain:
                    findings.remark(number, _OTHER_CODE)
                if len(set(values)) > 1:
                    findings.remark(number, f"{self.parameter}= more than once; the first is read")
                yield LogRow(number, query, None, request.time)

    def described(self) -> dict[str, Any]:
        """What the record of a log says about requests."""
        return {
            "layout": "web server log",
            "columns": {"query": self.parameter, "count": None, "time": "time"},
            "statuses": list(self.statuses),
            "skipped_agents": [pattern.pattern for pattern in self.agents],
            "other_requests": self._met["other requests"],
        }

    def _is_wanted(self, request: Request) -> bool:
        status, agent = request.status, request.agent
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
    read = reader_of([line for _, line in head])
    if read is None:
        raise InputError(
            f"{file.path.name}: --query-parameter is for logs of web servers, and its first lines "
            "are in no format of theirs that is known. Write it as a table with a header, such as "
            "query,count, or as JSON lines."
        )
    if wrong := [status for status in shape.statuses if not _STATUS.fullmatch(status)]:
        raise InputError(f"{wrong[0]!r} is no status of an answer. Give one such as 200 or 2xx.")
    try:
        agents = tuple(re.compile(pattern, re.IGNORECASE) for pattern in shape.skip_agents)
    except re.error as error:
        raise InputError(
            f"The pattern {error.pattern!r} of an agent cannot be read: {error}."
        ) from None
    return AccessLog(file, read, parameter, tuple(shape.statuses), agents)


def requests(lines: Sequence[str]) -> Iterator[dict[str, str]]:
    """The time, the status and the decoded parameters of some requests."""
    for request in _requests(lines):
        values: dict[str, str] = {}
        for name, value in _pairs(request.line):
            values.setdefault(name, _decoded(value)[0])  # of several, the first is read
        yield {"time": request.time, "status": request.status, **values}


def parameters(lines: Sequence[str]) -> list[tuple[str, int]]:
    """The parameters that the addresses of some requests have, the commonest first."""
    counts: Counter[str] = Counter()
    for request in _requests(lines):
        counts.update(name for name, _ in _pairs(request.line))
    return counts.most_common()


def _requests(lines: Sequence[str]) -> Iterator[Request]:
    read = reader_of(lines)
    return filter(None, map(read, lines)) if read else iter(())


def _pairs(request: str) -> Iterator[tuple[str, str]]:
    """The parameters of a GET request with their values as they are encoded."""
    method, _, rest = request.partition(" ")
    _, asked, query = _PROTOCOL.sub("", rest).partition("?")
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
    """A time as servers write it in ISO form; seconds since 1970 and ISO times as they are."""
    if time[2:3] != "/":
        return time.partition(".")[0] if time[:10].isdecimal() else time.replace(" ", "T", 1)
    day, month, year = time[:2], time[3:6], time[7:11]
    return f"{year}-{_MONTHS.get(month, month)}-{day}T{time[12:20]}{time[21:]}"
