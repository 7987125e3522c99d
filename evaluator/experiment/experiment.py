"""
What an engineer declares before a run: reading the experiment file.

It owns the keys of the TOML file, their types and their limits. Everything is checked from
the file alone and all problems are listed at once; labels, snapshot and models are not
opened here.
"""

import hashlib
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from evaluator import InputError
from evaluator.experiment.factors import Prescribed, contrast_problems
from evaluator.experiment.headers.options import read_header_options
from evaluator.experiment.headers.rule import HeaderRule, check_header_rule, read_header_rule
from evaluator.experiment.protocol import (
    Arm,
    ContrastSpec,
    Experiment,
    IndexSettings,
    ModelChoice,
    Protocol,
    Usage,
)
from evaluator.files.form import Form, meant
from evaluator.labelset.format import encode_id
from evaluator.measures.names import at_cutoff, cutoff_of, measure_name
from evaluator.vectors.weights import (
    PRECISIONS,
    Precision,
    model_folder,
    split_source,
    weights_sha256,
)

_ARM_NAME = r"\w[\w .+-]*"
SPLITS = ("held-out", "tuning", "all")
_MOST_LINKS = 10_000  # hnswlib takes no more, and the record would name what was not built
_LONGEST_NAME = 120  # bytes as they stand in the names of an arm's files
_REMOVED_FROM_INDEX = {
    "extra_seeds": "Graphs of other seeds are no longer built; take the line out."
}


def read_experiment(path: Path) -> Experiment:
    """
    The experiment that a TOML file declares.

    Raises InputError listing every problem of the file: unknown keys with a likely
    spelling, missing or ill-typed values, cutoffs that are no whole number, models that are
    not pinned, and contrasts that change more than one factor or none.
    """
    raw = _read(path)
    problems: list[str] = []
    root = Form(_parse(path, raw), "the top of the file", problems)
    name = root.text("name", pattern=r".*\S.*", hint="Give the experiment a name.")
    note = root.text("note", default="")
    references = root.texts("references", default=())
    labels, labels_sha256, authority = _pinned(
        root, "labels", "sha256", "labeler freeze", optional="authority"
    )
    snapshot, digest, _ = _pinned(root, "snapshot", "digest", "labeler init")
    model = _model(root, path.parent) if root.has("model") else None
    protocol = _protocol(root.table("protocol", "[protocol]"))
    usage = _usage(root.table("costs", "[costs]", required=False))
    answers = _answers(root)
    arms = _arms(root, path.parent, model)
    contrasts = _contrasts(root, arms)
    root.close()
    if not problems:
        problems += contrast_problems(arms, contrasts, prescribed=None)
    if problems:
        raise InputError(_listed(path, problems))
    return Experiment(
        path=path,
        sha256=hashlib.sha256(raw).hexdigest(),
        name=name,
        note=note,
        references=references,
        labels=path.parent / labels,
        labels_sha256=labels_sha256,
        snapshot=path.parent / snapshot,
        snapshot_digest=digest,
        protocol=protocol,
        usage=usage,
        arms=tuple(arms),
        contrasts=tuple(contrasts),
        authority=path.parent / authority if authority else None,
        answers=path.parent / answers if answers else None,
    )


def check_contrasts(experiment: Experiment, prescribed: Prescribed) -> None:
    """
    Refuse contrasts that change two factors, or none, once the models' prompts are known.

    Raises InputError naming the factors and the arm that would make it a real experiment.
    """
    problems = contrast_problems(experiment.arms, experiment.contrasts, prescribed=prescribed)
    if problems:
        raise InputError(_listed(experiment.path, problems))


def read_header_rules(experiment: Experiment) -> dict[str, HeaderRule]:
    """The header rule of each arm by the arm's name, files taken from the experiment's folder."""
    folder = experiment.path.parent
    return {
        arm.name: read_header_rule(arm.header, folder=folder, options=arm.header_options)
        for arm in experiment.arms
    }


# Reading the tables


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"There is no experiment file {path}.") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder. Name the experiment's TOML file.") from None


def _parse(path: Path, raw: bytes) -> dict[str, object]:
    try:
        return tomllib.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start}). Save it as UTF-8.") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(
            f"{path} is not TOML: {error}. Texts stand in quotes, also empty ones and those "
            "with a colon."
        ) from None


def _pinned(
    root: Form, key: str, digest: str, printed_by: str, *, optional: str | None = None
) -> tuple[str, str, str]:
    """Path, digest and one further path that may be there."""
    table = root.table(key, f"[{key}]")
    hint = f"It is 64 hex digits, as printed by `{printed_by}`."
    found = table.text("path"), table.hex_digits(digest, 64, hint=hint)
    further = table.text(optional, default="") if optional else ""
    table.close()
    return *found, further


def _model(form: Form, folder: Path, *, precision: Precision = "fp32") -> ModelChoice:
    where = "[model]" if form.where.startswith("the top") else f"[arm.model] of {form.where}"
    table = form.table("model", where)
    source = table.text(
        "source", hint='As in "package:NAME/FOLDER", "hub:owner/name", "folder:PATH".'
    )
    revision, pinned = None, None
    try:
        scheme = split_source(source)[0] if source else None
        if scheme == "folder":
            source = f"folder:{(folder / Path(split_source(source)[1]).expanduser()).resolve()}"
        if scheme == "hub":
            hint = "A hub model is pinned by the 40 hex digits of a commit, never by a branch."
            revision = table.hex_digits("revision", 40, hint=hint)
        elif scheme:
            hint = "It is 64 hex digits."
            if not table.has("weights_sha256"):
                found = weights_sha256(model_folder(source))
                hint = f'If this is the model you mean, add: weights_sha256 = "{found}"'
            pinned = table.hex_digits("weights_sha256", 64, hint=hint)
    except InputError as error:
        table.problem(str(error))
    if table.values.get("precision") == "int8":
        table.problem(
            "precision is int8, in which a vector depends on the texts encoded beside it.",
            'Choose "fp32" or "bf16".',
        )
        table.know("precision")
    else:
        chosen = table.choice("precision", PRECISIONS, default=precision)
        precision = next((one for one in PRECISIONS if one == chosen), precision)
    prescribed = None
    if table.has("prescribed_query_prefix") or table.has("prescribed_doc_prefix"):
        prescribed = table.text("prescribed_query_prefix"), table.text("prescribed_doc_prefix")
    table.close()
    return ModelChoice(source, revision, pinned, prescribed, precision)


def _protocol(table: Form) -> Protocol:
    """What every arm shares; cutoffs that the depth or the graph cannot serve are problems."""
    index = table.table("index", "[protocol.index]", required=False)
    standard = IndexSettings()
    protocol = Protocol(
        similarity=table.choice("similarity", ("cosine",), default="cosine"),
        ranking=table.choice("ranking", ("exact", "hnsw"), default="exact"),
        depth=table.whole("depth", default=100),
        measures=table.texts("measures", hint='As in ["Success@5", "R@5", "nDCG@10"].'),
        primary=table.text("primary", hint="Name the one measure that decides, chosen before."),
        estimand=table.choice("estimand", ("judged-queries", "traffic"), default="judged-queries"),
        split=table.choice("split", SPLITS),
        nothing_tuned=table.flag("nothing_tuned", default=False),
        body=table.choice("body", ("whole", "matched"), default="whole"),
        filter=table.flag("filter", default=True),
        index=IndexSettings(
            m=index.whole("m", default=standard.m, least=2, most=_MOST_LINKS),
            ef_construction=index.whole("ef_construction", default=standard.ef_construction),
            ef_search=index.whole("ef_search", default=standard.ef_search),
            seed=index.whole("seed", default=standard.seed, least=0),
        ),
    )
    index.close(_REMOVED_FROM_INDEX)
    table.close()
    _check_protocol(table, protocol)
    return protocol


def _usage(table: Form) -> Usage:
    """What becomes of retrieved chunks, as far as the bill of headers depends on it."""
    standard = Usage()
    table.know("queries_per_year")
    usage = Usage(
        headers_enter_context=table.flag(
            "headers_enter_context", default=standard.headers_enter_context
        ),
        queries_per_turn=table.number("queries_per_turn", default=standard.queries_per_turn),
        turns_kept=table.whole("turns_kept", default=standard.turns_kept),
        queries_per_year=table.whole("queries_per_year") if table.has("queries_per_year") else None,
    )
    table.close()
    return usage


def _check_protocol(table: Form, protocol: Protocol) -> None:
    if protocol.nothing_tuned and protocol.split != "all":
        table.problem('nothing_tuned = true belongs to split = "all".')
    readable = [name for name in protocol.measures if _readable(table, name)]
    if len({measure_name(name, min_grade=1) for name in readable}) < len(readable):
        table.problem("measures names one of them twice.")
    if not protocol.primary or (protocol.measures and not readable):
        return
    if protocol.primary not in protocol.measures:
        table.problem(f'primary "{protocol.primary}" is not among the measures.')
    elif protocol.primary in readable:
        _check_cutoffs(table, protocol, readable)


def _readable(table: Form, name: str) -> bool:
    try:
        measure_name(name, min_grade=1)
        return True
    except InputError as error:
        table.problem(str(error))
        return False


def _check_cutoffs(table: Form, protocol: Protocol, measures: Sequence[str]) -> None:
    k = cutoff_of(protocol.primary)
    if k is None:
        table.problem(
            f'primary "{protocol.primary}" has no cutoff.',
            f'State it, as in "{at_cutoff(protocol.primary, 5)}".',
        )
        return
    deepest = max([2 * k, *(cutoff_of(name) or 0 for name in measures)])
    if protocol.depth < deepest:
        table.problem(
            f"depth is {protocol.depth}, but {deepest} results are needed",
            "for the largest cutoff (twice that of the primary measure is always computed).",
        )
    if protocol.index.ef_search < deepest:
        table.problem(
            f"index.ef_search is {protocol.index.ef_search}, below the largest cutoff {deepest}.",
            "hnswlib would quietly search with the cutoff instead.",
        )


def _answers(root: Form) -> str:
    """The file of answer verdicts, if the experiment names one."""
    root.know("answers")
    if not root.has("answers"):
        return ""
    table = root.table("answers", "[answers]")
    path = table.text("path", hint="A file with query_id, arm and verdict.")
    table.close()
    return path


def _arms(root: Form, folder: Path, model: ModelChoice | None) -> list[Arm]:
    tables = root.tables("arm", hint="Declare at least one [[arm]].")
    arms = [_arm(table, folder, model) for table in tables]
    for number, arm in enumerate(arms):
        if any(arm.name.casefold() == other.name.casefold() for other in arms[:number]):
            root.problems.append(f"Two arms are called {arm.name!r}. Names differ, beyond case.")
    if len({arm.model.precision for arm in arms}) > 1:
        each = ", ".join(f"{arm.name!r} {arm.model.precision}" for arm in arms)
        root.problems.append(f"precision is the same in all arms; it is {each}.")
    return arms


def _arm(table: Form, folder: Path, model: ModelChoice | None) -> Arm:
    hint = "A name starts with a letter or digit and holds letters, digits, blanks and . + - _."
    name = table.text("name", pattern=_ARM_NAME, hint=hint)
    if name:
        table.where = f"arm {name!r}"
    if len(encode_id(name).encode()) > _LONGEST_NAME:
        table.problem("the name is too long for a file's name. Choose a shorter one.")
    if re.search(r"\.(exact|hnsw)(-\d+)?$", name):
        table.problem("the name ends like a file of another ranking. Choose another.")
    both = 'Both prefixes are required in every arm; write "" for none.'
    prefixes = table.text("query_prefix", hint=both), table.text("doc_prefix", hint=both)
    header = table.text("header", hint='Write header = "none" for none.')
    try:
        if isinstance(table.values.get("header"), str):
            header = check_header_rule(header, folder=folder)
    except InputError as error:
        table.problem(str(error))
    options = read_header_options(table, header)
    begun, declared_by = table.day("header_begun"), table.text("header_declared_by", default="")
    if table.has("model"):
        chosen = _model(table, folder, precision=model.precision if model else "fp32")
    else:
        chosen = model or ModelChoice("")
        if model is None:
            table.problem("there is no model.", "Add a table [model] or [arm.model].")
    table.close()
    return Arm(name, *prefixes, header, chosen, begun, options, declared_by or None)


def _contrasts(root: Form, arms: Sequence[Arm]) -> list[ContrastSpec]:
    names = [arm.name for arm in arms]
    if not root.has("contrast"):
        return [ContrastSpec(names[0], name) for name in names[1:]]
    contrasts = []
    for table in root.tables("contrast"):
        same = table.flag("self_test", default=False)
        contrast = ContrastSpec(table.text("baseline"), table.text("treatment"), same)
        for name in (contrast.baseline, contrast.treatment):
            if name and name not in names:
                table.problem(f"there is no arm {name!r}.{meant(name, names, quote=chr(39))}")
        if contrast in contrasts:
            table.problem("the same contrast stands there twice.")
        elif ContrastSpec(contrast.treatment, contrast.baseline, same) in contrasts:
            table.problem(
                "the same two arms are compared the other way round already.",
                "That is one test and would count as two: keep one of them.",
            )
        table.close()
        contrasts.append(contrast)
    return contrasts


def _listed(path: Path, problems: Sequence[str]) -> str:
    if len(problems) == 1:
        return f"{path}: {problems[0]}"
    return "\n".join([f"{path} has {len(problems)} problems:", *(f"- {p}" for p in problems)])
