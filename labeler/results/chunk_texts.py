"""
What the chunks of a flip say: titles, texts, and the header that each arm gave them.

Texts come from the workspace's snapshot, by id, if the results were made on that chunk set;
headers from what the run kept of its inputs. What a held-out document says stays shut until
it is opened.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from evaluator.files.whole import file_sha256
from evaluator.labelset.format import held_out_rule
from evaluator.snapshot.snapshot import Snapshot
from labeler.results.flips import SIDES, ArmSide, HitContrast
from labeler.results.results import LabelsHere, ResultsFolder
from labeler.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ChunkText:
    """
    A chunk as it may be shown. `header_by_side` lacks an arm whose inputs were not kept.

    Nothing but the id is there of a `shut` chunk, and of one that is not `known` here.
    """

    chunk_id: str
    known: bool = True
    shut: bool = False
    title: str | None = None
    headings: tuple[str, ...] = ()
    text: str = ""
    header_by_side: Mapping[ArmSide, str] | None = None


def chunk_texts(
    workspace: Workspace,
    results: ResultsFolder,
    contrast: HitContrast,
    chunk_ids: Sequence[str],
    *,
    labels: LabelsHere | None,
    opened: bool,
) -> dict[str, ChunkText]:
    """What may be told of some chunks, by id; `opened` is whether held-out documents are."""
    fits = snapshot_fits(workspace, results, labels)
    found = workspace.snapshot.fetch(chunk_ids) if fits else {}
    rules = [workspace.settings.held_out_rule]  # and that of the label set, should they differ
    rules += [held_out_rule(labels.manifest)] if labels else []
    headers = header_texts(workspace.snapshot, results, contrast, list(found)) if found else {}
    return {
        chunk_id: ChunkText(chunk_id, known=False)
        if chunk_id not in found
        else ChunkText(chunk_id, shut=True)
        if not opened and any(rule.holds_out(found[chunk_id].doc_id) for rule in rules)
        else ChunkText(
            chunk_id,
            title=found[chunk_id].title,
            headings=tuple(found[chunk_id].headings),
            text=found[chunk_id].text,
            header_by_side=headers.get(chunk_id, {}),
        )
        for chunk_id in chunk_ids
    }


def snapshot_fits(workspace: Workspace, results: ResultsFolder, labels: LabelsHere | None) -> bool:
    """Whether the results speak of the workspace's chunks, or of a sample of them."""
    made_on = results.record.snapshot
    derived = (made_on.derived if made_on else None) or {}
    parent = (derived.get("parent") or {}).get("digest")
    judged_on = (labels.manifest["snapshot"] or {}).get("digest") if labels else None
    own = made_on.digest if made_on else None
    return workspace.settings.snapshot_digest in (parent, own or judged_on)


def header_texts(
    snapshot: Snapshot, results: ResultsFolder, contrast: HitContrast, chunk_ids: Sequence[str]
) -> dict[str, dict[ArmSide, str]]:
    """
    The header of each chunk in each arm, as the encoder was given it.

    An arm is left out where its file is not the one that was written, or is of other chunks.
    """
    found = [(side, _headers_of(results, contrast.arm(side), len(snapshot))) for side in SIDES]
    columns = {side: column for side, column in found if column is not None}
    wanted = set(chunk_ids) if columns else set()
    rows = {c: row for row, c in enumerate(snapshot.chunk_ids()) if c in wanted} if wanted else {}
    return {
        chunk_id: {side: column[row].as_py() for side, column in columns.items()}
        for chunk_id, row in rows.items()
    }


def _headers_of(results: ResultsFolder, arm: str, chunks: int) -> pa.ChunkedArray | None:
    record = results.record
    files = next((each.files for each in record.arms if each.name == arm), None)
    name = (files.inputs if files else None) or ""
    digest = (record.files or {}).get(name)
    if not name or Path(name).name != name or not digest:
        return None
    path = results.path / name
    try:
        if file_sha256(path) != digest:
            return None
        column = pq.read_table(path, columns=["header_text"])["header_text"]
    except (OSError, KeyError, pa.ArrowInvalid):
        return None
    return column if len(column) == chunks else None
