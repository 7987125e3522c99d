"""Every gold chunk against a store: what can be wrong, and how it is shown."""

import json
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from evaluator import InputError
from evaluator.checks.live import StoreFields
from evaluator.checks.store_chunks import ChunkFault, Retrievable, check_store
from evaluator.cli.main import main
from tests.small_world import World, small_chunks

NOW = datetime(2026, 12, 3, tzinfo=UTC)
GOLD = 8  # of the nine queries one has no gold
TEXTS = {chunk.chunk_id: chunk.text for chunk in small_chunks()}


def export(world: World, texts: Any = TEXTS) -> Path:
    """A JSON Lines export of some texts by id, or of some pairs."""
    pairs = texts.items() if isinstance(texts, dict) else texts
    path = world.folder / "export.jsonl"
    lines = (json.dumps({"id": chunk_id, "text": text}) for chunk_id, text in pairs)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def check(world: World, where: object, **how: Any) -> Retrievable:
    how = {"snapshot": world.folder / "snapshot", "clock": lambda: NOW, **how}
    return check_store(world.labels, str(where), **how)


def only(found: Retrievable) -> ChunkFault:
    [finding] = found.findings
    return finding


def test_a_whole_store_passes(world: World) -> None:
    """Every gold chunk and every query, of an export or a snapshot; no look is noted."""
    assert () == check(world, world.folder / "snapshot").findings
    found = check(world, export(world))
    assert (GOLD, 12, ()) == (found.gold, found.rows, found.findings)
    assert all(one.passed for one in found.outcomes)
    assert GOLD == len(found.outcomes)
    assert not world.labels.with_name("small-1.ledger.jsonl").exists()


def test_a_missing_chunk_fails_its_query(world: World) -> None:
    """As when a permission filter dropped it at ingestion."""
    found = check(world, export(world, {c: t for c, t in TEXTS.items() if c != "pay#0"}))
    assert ChunkFault("pay#0", "missing", "not in the store", ("q4",)) == only(found)
    assert [("q4", ("pay#0",))] == [(o.query_id, o.failed) for o in found.outcomes if not o.passed]


def test_a_text_under_another_id_is_drift(world: World) -> None:
    """The judged text is there, and the label does not point at it."""
    moved = {("pay#7" if c == "pay#0" else c): t for c, t in TEXTS.items()}
    found = only(check(world, export(world, moved)))
    assert ("id drift", "the judged text stands under 'pay#7'") == (found.kind, found.detail)


@pytest.mark.parametrize(
    ("kind", "part", "change"),
    [
        (
            "truncated",
            "ends after 10 of 39 characters; cut off: '... are paid with the next month.'",
            lambda text: text[:10],
        ),
        (
            "HTML",
            "without its tags it is the judged text",
            lambda text: f'<div class="callout">{text}</div>',
        ),
        ("HTML", "from character 1 on", lambda text: f"<p>{text[:9]}</p> and so on"),
        (
            "different",
            "from character 29 on: judged '... paid with the next month.', "
            "stored '... paid with the last month.'",
            lambda text: text.replace("next", "last"),
        ),
        ("different", "only in white space", lambda text: text.replace(" ", "  ", 1)),
        (
            "different",
            "15 characters stand before the text: 'Pay > Overtime\\nThe hours",
            lambda text: f"Pay > Overtime\n{text}",
        ),
        ("different", "from character 40 on", lambda text: text + " More."),
    ],
)
def test_another_text_is_shown_where_it_begins(
    world: World, kind: str, part: str, change: Callable[[str], str]
) -> None:
    """What kind of fault it is, and both texts around the first difference."""
    found = only(check(world, export(world, TEXTS | {"pay#0": change(TEXTS["pay#0"])})))
    assert ("pay#0", kind) == (found.chunk_id, found.kind)
    assert part in found.detail


def test_one_id_with_two_texts_is_named(world: World) -> None:
    """A stale row beside a new one; two rows with one text do no harm."""
    found = check(world, export(world, [*TEXTS.items(), ("pay#0", "Old."), ("keys#0", "Old.")]))
    assert ["keys#0", "pay#0"] == [one.chunk_id for one in found.findings]
    assert ("repeated", "2 rows, 2 texts") == (found.findings[0].kind, found.findings[0].detail)
    twice = [*TEXTS.items(), ("pay#0", TEXTS["pay#0"])]
    assert () == check(world, export(world, twice)).findings


def test_without_a_snapshot_digests_are_compared(world: World) -> None:
    """What differs is still found, and where is not known."""
    path = export(world, TEXTS | {"pay#0": "Other.", "keys#0": "<p>Create</p>"})
    found = check(world, path, snapshot=None)
    assert [("keys#0", "HTML"), ("pay#0", "different")] == [
        (one.chunk_id, one.kind) for one in found.findings
    ]
    assert any("With --snapshot" in note for note in found.notes)


def test_parquet_and_nested_fields_are_read(world: World) -> None:
    """Ids that are whole numbers are ids as well."""
    path = world.folder / "export.parquet"
    rows = [{"id": c, "payload": {"body": t}} for c, t in TEXTS.items()]
    pq.write_table(pa.Table.from_pylist(rows), path)
    assert () == check(world, path, fields=StoreFields(text="payload.body")).findings
    with pytest.raises(InputError, match=r"row 1: .*--text-field, as in payload\.text"):
        check(world, path)


def live_store(chunk_ids: Sequence[str]) -> dict[str, str]:
    """A live store that has lost one chunk."""
    return {c: TEXTS[c] for c in chunk_ids if c != "pay#0"}


def ordered_store(chunk_ids: Sequence[str]) -> list[str | None]:
    """The same, as texts in the order of the ids."""
    return [None if c == "pay#0" else TEXTS[c] for c in chunk_ids]


def broken_store(chunk_ids: Sequence[str]) -> list[str]:
    """One that leaves out what it does not find, so that nobody knows which is which."""
    return ["text"] * (len(chunk_ids) - 1)


@pytest.mark.parametrize("name", ["live_store", "ordered_store"])
def test_a_live_store_is_one_function(world: World, name: str) -> None:
    """Asked by id, so that moved texts are not seen, and that is said."""
    found = check(world, f"{__name__}:{name}")
    assert ("pay#0", "missing") == (only(found).chunk_id, only(found).kind)
    assert any("asked by id" in note for note in found.notes)


@pytest.mark.parametrize(
    ("where", "part"),
    [
        ("nothing.jsonl", "There is no store"),
        ("no_such_module:texts", "cannot be imported"),
        (f"{__name__}:nothing", "has no function 'nothing'"),
        (f"{__name__}:broken_store", "as many texts as ids"),
    ],
)
def test_what_is_no_store_is_refused(world: World, where: str, part: str) -> None:
    """With what would be one."""
    with pytest.raises(InputError, match=part):
        check(world, where)


def test_a_shown_held_out_text_is_a_look(world: World) -> None:
    """Written down once, before it is shown."""
    check(world, export(world, TEXTS | {"leave#0": "Other."}))
    [line] = world.labels.with_name("small-1.ledger.jsonl").read_text().splitlines()
    assert "stored texts of 1 gold chunks" == json.loads(line)["what"]


def test_the_command_prints_each_failed_query(world: World) -> None:
    """Exit code 1, text for people, and everything as JSON."""
    path = export(world, {c: t for c, t in TEXTS.items() if c != "pay#0"})
    how = [str(world.labels), "--snapshot", str(world.folder / "snapshot"), "--stored", str(path)]
    done = CliRunner().invoke(main, ["verify", *how])
    assert 1 == done.exit_code
    assert "7 of 8 gold chunks are stored as they were judged; 7 of 8 queries" in done.output
    assert "- q4: 1 of 1 gold chunks, pay#0" in done.output
    found = json.loads(CliRunner().invoke(main, ["verify", *how, "--json"]).output)["stored"]
    assert {"missing": 1} == found["counts"]
    assert [False] == [one["passed"] for one in found["outcomes"] if one["query_id"] == "q4"]
    whole = CliRunner().invoke(main, ["verify", str(world.labels), "--stored", str(export(world))])
    assert (0, True) == (whole.exit_code, "8 of 8 gold chunks" in whole.output)
