"""Streamlit with a clock on the workspace: writes when each judgement was on disk, in Unix ns."""

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from streamlit.web.cli import main

from labeler.workspace.judgements import Judgements
from labeler.workspace.records import Event, Receipt

_record = Judgements.record


def record(
    self: Any, assessor: str, query_id: str, events: Sequence[Event], *, now: str
) -> Receipt:
    receipt = _record(self, assessor, query_id, events, now=now)
    done = time.time_ns()
    with Path(os.environ["ONECAUSE_MEASURE"]).open("a", encoding="utf-8") as log:
        log.writelines(f"{done} {event_id}\n" for event_id in receipt.stored)
    return receipt


if __name__ == "__main__":
    Judgements.record = record  # type: ignore[method-assign]
    main()
