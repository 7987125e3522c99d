"""
A first experiment file for a label set: the arms that its chunks allow, with a word on each key.

It writes TOML for a person to read and change; what the keys mean is `experiment.md`'s.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from evaluator import InputError
from evaluator.labelset.format import read_label_set
from evaluator.snapshot.snapshot import Snapshot
from evaluator.vectors.weights import DEFAULT_MODEL, model_folder, weights_sha256

_LOOKED_AT = 20_000
_WORTH_AN_ARM = 0.05
_ENOUGH_HELD_OUT = 20
_PRESCRIBED = 'such as "query: ", if the makers of the model prescribe one'


@dataclass(frozen=True, slots=True)
class ArmChoice:
    """An arm as it is written; `said` tells a reader why it is there."""

    name: str
    header: str
    query_prefix: str = ""
    doc_prefix: str = ""
    said: str = ""


def draft_experiment(
    labels: Path,
    sha256: str,
    snapshot: Snapshot,
    *,
    manifest: Mapping[str, Any],
    held_out: int,
    path: Path,
    model: str | None = None,
    arms: Sequence[ArmChoice] = (),
    name: str | None = None,
) -> str:
    """
    The text of an experiment file that lies at `path`, ready to run.

    `labels` is the directory of a label set with that `manifest`, in which `held_out` queries
    have all their gold in held-out documents. Where no `arms` are given they are plain, and the
    title, and title with path where a twentieth of the chunks has any; the `name` is else that
    of the labels, and the model the one that filled the pool, or the packaged one. Raises
    InputError for a snapshot other than that of the labels, or a model that cannot be pinned.
    """
    made_for = manifest["snapshot"]["digest"]
    if made_for != snapshot.digest:
        raise InputError(
            f"{snapshot.path} is not the chunk set that was judged (digest {made_for}, found "
            f"{snapshot.digest}). Name that one with --snapshot."
        )
    split = "held-out" if held_out >= _ENOUGH_HELD_OUT else "all"
    lines = [
        f"name = {_text(name or manifest['name'])}",
        "",
        "[labels]",
        f"path = {_seen(labels, path)}",
        f'sha256 = "{sha256}"',
        "",
        "[snapshot]",
        f"path = {_seen(snapshot.path, path)}",
        f'digest = "{snapshot.digest}"',
        "",
        "[model]",
        *_model(manifest, model),
        "",
        "[protocol]",
        'measures = ["Success@5", "Success@10", "R@5", "RR@10", "nDCG@10"]',
        'primary = "Success@5"  # the one that decides; choose it before the first run',
        f'split = "{split}"  # {held_out} queries have all their gold in held-out documents',
        "# nothing_tuned = true  # with split all: if no document was looked at for a header",
        "",
        "# Two arms may differ in one thing. Every arm is compared with the first.",
    ]
    for arm in arms or _usual_arms(snapshot):
        lines += [
            "",
            f"[[arm]]  # {arm.said}".removesuffix("  # "),
            f"name = {_text(arm.name)}",
            f"query_prefix = {_text(arm.query_prefix)}  # {_PRESCRIBED}",
            f"doc_prefix = {_text(arm.doc_prefix)}",
            f"header = {_text(arm.header)}",
        ]
    return "\n".join(lines) + "\n"


def draft_for_labels(labels: Path, snapshot: Snapshot, *, path: Path, **choices: Any) -> str:
    """The same for a label set on disk, which is read for it; `choices` are those above."""
    found = read_label_set(labels)
    classes = [found.query_class(query.query_id) for query in found.queries]
    return draft_experiment(
        labels,
        found.sha256,
        snapshot,
        manifest=found.manifest,
        held_out=classes.count("held-out"),
        path=path,
        **choices,
    )


def _usual_arms(snapshot: Snapshot) -> Iterator[ArmChoice]:
    """The arms that the first chunks give reason for."""
    yield ArmChoice("plain", "none", said="the text of a chunk alone")
    chunks = list(islice(snapshot.chunks(), _LOOKED_AT))
    titled = sum(bool(chunk.title) for chunk in chunks) / max(1, len(chunks))
    under = sum(bool(chunk.headings) for chunk in chunks) / max(1, len(chunks))
    if titled >= _WORTH_AN_ARM:
        yield ArmChoice("title", "title", said=f"{titled:.0%} of the chunks have a title")
    if under >= _WORTH_AN_ARM:
        said = f"title and heading path; {under:.0%} of the chunks stand under a heading"
        yield ArmChoice("title and path", "title+path", said=said)


def _model(manifest: Mapping[str, Any], model: str | None) -> Iterator[str]:
    """The model with its pin; that of the pool with the commit it was fetched by."""
    sources = manifest["pooling"].get("sources") or ()
    of_pool = [each["model"] for each in sources if each.get("kind") == "model"]
    source = model or (of_pool[0]["source"] if of_pool else DEFAULT_MODEL)
    yield f"source = {_text(source)}"
    if source.startswith("hub:"):
        known = [each["identity"] for each in of_pool if each["source"] == source]
        revision = known[0].rpartition("@")[2] if known else "the 40 digits of a commit"
        yield f'revision = "{revision}"'
    else:
        yield f'weights_sha256 = "{weights_sha256(model_folder(source))}"'


def _seen(target: Path, path: Path) -> str:
    """A place as the file that lies at `path` names it."""
    try:
        seen = os.path.relpath(target.resolve(), path.resolve().parent)
    except ValueError:  # another drive
        seen = str(target.resolve())
    return _text(Path(seen).as_posix())


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)  # as TOML writes a string
