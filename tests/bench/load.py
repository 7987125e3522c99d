"""
Many assessors at once, each of whom grades one chunk every few seconds, and a server killed.

Each session speaks Streamlit's own protocol over a websocket of this machine, as the page
does but without a browser, whose own work would drown what is measured: it opens the desk of
a query of its own, sends one event at a time, waits for the acknowledgement, and sends again
what is not acknowledged in three seconds. Half-way the server is killed with SIGKILL and
started again, and every session connects anew.
"""

import asyncio
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from labeler.app.frame.session import cookie_name
from labeler.workspace.workspace import Workspace
from tests.bench.goals import Goal, at_most
from tests.browser.app_process import App
from tests.browser.materials import make_workspace, some_queries

SESSIONS, CHUNKS = 20, 50
SECONDS, QUICK, PAUSE = 60.0, 15.0, 3.0
MEDIAN_MS = 30.0
RESEND_SECONDS = 3.0
PATIENCE_SECONDS = 60.0


@dataclass(slots=True)
class Sitting:
    """One assessor's session: what was sent and when, and what came back."""

    name: str
    query_id: str
    sent_ns: dict[str, int] = field(default_factory=dict)
    expected: dict[str, str] = field(default_factory=dict)  # value by chunk key, the last one
    errors: list[str] = field(default_factory=list)
    desk: dict[str, Any] = field(default_factory=dict)
    wire: tuple[str, str] = ("", "")  # widget and fragment
    page: str = ""


def goals(quick: bool) -> Iterator[Goal]:
    """No judgement is lost or doubled, and half of them are committed soon."""
    seconds = QUICK if quick else SECONDS
    with tempfile.TemporaryDirectory() as folder:
        home, log = Path(folder), Path(folder) / "stored.txt"
        texts = [(f"Text {at}. " + "words and more words " * 80)[:1500] for at in range(CHUNKS)]
        work = make_workspace(home / "w", queries=some_queries(SESSIONS), texts=texts)
        sittings = [Sitting(f"Assessor {at}", f"q{at}") for at in range(1, SESSIONS + 1)]
        for sitting in sittings:
            work.people.add_assessor(sitting.name, now="2026-03-01T09:00:00.000Z")
        more = {"ONECAUSE_MEASURE": str(log)}
        app = App(work, home=home, module="tests.browser.measured", more=more)
        try:
            asyncio.run(_all(sittings, app, cookie_name(work), seconds=seconds))
        finally:
            app.kill()
        faults = found_faults(work, sittings)
        rows = [row.partition(" ") for row in log.read_text().splitlines()]
    print(*faults[:10], sep="\n")
    done = {name: int(at) for at, _, name in reversed(rows)}
    sent = {event: at for sitting in sittings for event, at in sitting.sent_ns.items()}
    waits = [(done[event] - at) / 1e6 for event, at in sent.items() if event in done]
    print(f"{len(sittings)} sessions, {len(sent)} grades, {len(faults)} faults")
    yield at_most("lost, doubled or wrong", 0, len(faults))
    yield at_most("median to committed, ms", MEDIAN_MS, median(waits or [float("inf")]))


async def _all(sittings: list[Sitting], app: App, cookie: str, *, seconds: float) -> None:
    async with asyncio.TaskGroup() as group:
        for sitting in sittings:
            group.create_task(_sit(sitting, app, cookie, seconds=seconds))
        await asyncio.sleep(seconds / 2)
        app.kill()
        await asyncio.to_thread(app.start)


async def _sit(sitting: Sitting, app: App, cookie: str, *, seconds: float) -> None:
    """Open the desk, then grade until the time is over; again when the server comes back."""
    begun, number = 0.0, 0
    offset = PAUSE * (sum(sitting.name.encode()) % 97) / 97
    async for socket in connect(
        f"ws://localhost:{app.port}/_stcore/stream",
        additional_headers={"Cookie": f"{cookie}={quote(sitting.name)}"},
        max_size=None,
    ):
        with suppress(ConnectionClosed):
            sitting.wire = ("", "")
            await socket.send(_asked(sitting))
            while not sitting.wire[0]:
                await _receive(socket, sitting, PATIENCE_SECONDS)
            begun = begun or time.monotonic()
            while (due := offset + number * PAUSE) < seconds:
                await asyncio.sleep(max(0.0, begun + due - time.monotonic()))
                await _grade(socket, sitting, number)
                number += 1
            return


async def _grade(socket: ClientConnection, sitting: Sitting, number: int) -> None:
    """One event, sent until it is acknowledged."""
    key = sitting.desk["chunks"][number % CHUNKS][0]
    event_id, value = f"{sitting.name}-{number}", str(number % 4)
    event = {"id": event_id, "k": key, "v": value, "p": number % CHUNKS, "s": 2.5, "m": "key"}
    sitting.expected[key] = value
    sitting.sent_ns.setdefault(event_id, time.time_ns())
    for attempt in range(20):
        message = {"attempt": 1000 * (number + 1) + attempt, "events": [event]}
        await socket.send(_asked(sitting, {"outbox": message, "next": None}))
        deadline = time.monotonic() + RESEND_SECONDS
        while (left := deadline - time.monotonic()) > 0:
            answer = await _receive(socket, sitting, left)
            if answer and event_id in answer.get("stored", ()):
                return
    sitting.errors.append(f"{event_id} was never acknowledged")


async def _receive(
    socket: ClientConnection, sitting: Sitting, seconds: float
) -> dict[str, Any] | None:
    """The next message; gives the wire's answer if it is one."""
    try:
        raw = await asyncio.wait_for(socket.recv(), seconds)
    except TimeoutError:
        return None
    message = ForwardMsg.FromString(raw if isinstance(raw, bytes) else raw.encode())
    kind = message.WhichOneof("type")
    if kind == "new_session":
        sitting.page = message.new_session.page_script_hash
    if kind != "delta":
        return None
    element = message.delta.new_element
    if element.WhichOneof("type") == "exception":
        sitting.errors.append(element.exception.message)
    if element.WhichOneof("type") != "bidi_component":
        return None
    part = element.bidi_component
    data: dict[str, Any] = json.loads(part.json or part.mixed.json)
    if part.component_name == "onecause_desk":
        sitting.desk = data
    if part.component_name != "onecause_wire":
        return None
    sitting.wire = (part.id, message.delta.fragment_id)
    if data.get("refused") or data.get("trouble"):
        sitting.errors.append(f"{data.get('refused')} {data.get('trouble')}")
    return data


def _asked(sitting: Sitting, state: dict[str, Any] | None = None) -> bytes:
    """A run of the page, or of the fragment with the wire when there is a state for it."""
    asked = BackMsg()
    asked.rerun_script.query_string = f"q={sitting.query_id}"
    if state is None:
        asked.rerun_script.page_name = "judge"
    else:
        asked.rerun_script.page_script_hash = sitting.page
        asked.rerun_script.fragment_id = sitting.wire[1]
        widget = WidgetState(id=sitting.wire[0], json_value=json.dumps(state))
        asked.rerun_script.widget_states.CopyFrom(WidgetStates(widgets=[widget]))
    sent: bytes = asked.SerializeToString()
    return sent


def found_faults(work: Workspace, sittings: list[Sitting]) -> list[str]:
    """Judgements that are lost, doubled, or other than what was sent last."""
    faults = [error for sitting in sittings for error in sitting.errors]
    events = list(work.judgements.all())
    for sitting in sittings:
        stored = [e.event_id for e in events if e.assessor == sitting.name]
        if sorted(stored) != sorted(sitting.sent_ns):
            faults.append(f"{sitting.name}: {len(sitting.sent_ns)} sent, {len(stored)} stored")
        grades = sorted(
            str(j.grade) for j in work.judgements.current(sitting.name, sitting.query_id).values()
        )
        if grades != sorted(sitting.expected.values()):
            faults.append(f"{sitting.name}: other grades stand than were given last")
    return faults
