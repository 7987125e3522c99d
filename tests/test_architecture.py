"""The rules of the house: where things stand, who may import whom, and what names mean."""

import ast
import re
import subprocess
import sys
import tomllib
import zipfile
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# A package may import any of a lower row, and none of its own row but itself.
LAYERS = (
    "evaluator",
    "evaluator/labelset evaluator/text",
    "evaluator/files evaluator/statistics evaluator/console evaluator/trec",
    "evaluator/snapshot evaluator/vectors evaluator/measures labeler/logs",
    "evaluator/experiment labeler/workspace",
    "evaluator/arms evaluator/order labeler/corpus labeler/sampling labeler/judging labeler/sets",
    "evaluator/contrasts labeler/freezing labeler/exchange",
    "evaluator/record labeler/pool labeler/queries",
    "evaluator/report",
    "evaluator/record/frames",
    "evaluator/outside",
    "evaluator/run evaluator/checks labeler/results labeler/demo",
    "evaluator/small_sets labeler/app",
    "evaluator/cli labeler/cli",
    "evaluator/__main__ labeler labeler/__main__",
)
ROW = {place: row for row, places in enumerate(LAYERS) for place in places.split()}
LABELER_MAY_USE = (
    "evaluator",
    "evaluator.console",
    "evaluator.experiment.draft",
    "evaluator.experiment.headers",
    "evaluator.files",
    "evaluator.labelset",
    "evaluator.order.timestamps",
    "evaluator.record.model",
    "evaluator.contrasts.model",
    "evaluator.report.report",
    "evaluator.snapshot",
    "evaluator.statistics",
    "evaluator.text",
    "evaluator.trec",
    "evaluator.vectors",
)
TOP_FILES = {
    "evaluator": {"__init__", "__main__", "console", "run", "trec"},
    "labeler": {"__init__", "__main__"},
}
STOP_LIST = re.compile(
    "still|held_still|drawn|sampled|known|untouched|unequal|stands|standing|making|asking|pooled|"
    "judged|marked|carried|lately|begun|stored.*|looked|told|printed"
)
EDGES = {  # the only modules that may load these, at import or inside a function
    "torch": {"evaluator/vectors/encoder"},
    "sentence_transformers": {"evaluator/vectors/encoder"},
    "hnswlib": {"evaluator/vectors/search"},
    "ir_measures": {"evaluator/measures/names", "evaluator/measures/values"},
    "rfc3161_client": {"evaluator/order/timestamps"},
    "sqlite_utils": {"labeler/workspace/schema", "labeler/workspace/connection"},
}
STANDARD_ONLY = ("evaluator/labelset/format", "evaluator/trec")
HEAVY = ("torch", "sentence_transformers", "streamlit", "pandas", "scipy", "hnswlib")
FREE = re.compile(r"/cli/|/views/|_text$|/model\w*$|/frames$|labeler/workspace/|/__\w+__$")
RECORD_READERS = (
    "evaluator/report/",
    "evaluator/checks/",
    "evaluator/small_sets/",
    "evaluator/outside/",
    "labeler/results/",
    "labeler/app/",
)


def name(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").as_posix()


SOURCE = {
    name(path): path.read_text(encoding="utf-8")
    for package in ("evaluator", "labeler")
    for path in sorted((ROOT / package).rglob("*.py"))
}
TREES = {module: ast.parse(text) for module, text in SOURCE.items()}
DOTTED = {module.removesuffix("/__init__").replace("/", "."): module for module in SOURCE}


def place(module: str) -> str:
    """The room of the table of layers in which a module stands; one has a row of its own."""
    if module in ROW:
        return module
    parts = module.removesuffix("/__init__").split("/")
    return "/".join(parts[:2])


@cache
def imported(module: str, *, inside: bool = True) -> frozenset[str]:
    """Dotted names that a module imports; with `inside` also within its functions."""
    names: set[str] = set()
    nodes = ast.walk(TREES[module]) if inside else iter(TREES[module].body)
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                names.add(full if full in DOTTED else node.module or "")
    return frozenset(names)


def ours(module: str, *, inside: bool = True) -> set[str]:
    """Our own modules that a module imports, by their names here."""
    return {DOTTED[each] for each in imported(module, inside=inside) if each in DOTTED} - {module}


def assert_none(*offenders: set[str]) -> None:
    """Name each offender against a rule on a line of its own."""
    assert not set().union(*offenders), "\n".join(["", *sorted(set().union(*offenders))])


def of_package(used: str, allowed: tuple[str, ...]) -> bool:
    """Whether a dotted name is one of these, or lies in one (`evaluator` stands for itself)."""
    return used in allowed or any(used.startswith(f"{a}.") for a in allowed if "." in a)


def test_the_packages_are_those_of_the_plan() -> None:
    """Each package is a room of the layers; beside them stand few files, and few modules in all."""
    rooms = {place(module) for module in SOURCE}
    top = {
        p: {m.split("/")[1] for m in SOURCE if m.count("/") == 1 and m.startswith(p)}
        for p in TOP_FILES
    }
    assert (set(), TOP_FILES) == (rooms - set(ROW), top)
    beside = {
        p: sum(r.startswith(f"{p}/") and f"{r}/__init__" in SOURCE for r in rooms) for p in top
    }
    assert beside["evaluator"] <= 17
    assert beside["labeler"] <= 14
    assert len(SOURCE) <= 300


def test_imports_go_downwards() -> None:
    """No arrow upwards or sideways between packages, no circle, and none that is deeper than 15."""
    upwards = {
        f"{module} -> {used}"
        for module in SOURCE
        for used in ours(module)
        if place(used) != place(module) and ROW.get(place(used), 99) >= ROW.get(place(module), 0)
    }
    depth: dict[str, int] = {}
    circles: set[str] = set()

    def walk(module: str, above: tuple[str, ...]) -> int:
        if module in above:
            circles.add(" -> ".join((*above[above.index(module) :], module)))
            return 0
        if module not in depth:
            depth[module] = 1 + max((walk(u, (*above, module)) for u in ours(module)), default=0)
        return depth[module]

    deep = {f"{module}: {d} deep" for module in SOURCE if (d := walk(module, ())) > 15}
    assert_none(upwards, circles, deep)


def test_the_labeler_uses_little_of_the_evaluator_which_uses_none_of_it() -> None:
    """The evaluator is whole without the labeler; edges and the app's library have their places."""
    crossing = {
        f"{module} -> {used}"
        for module in SOURCE
        for used in imported(module)
        if (module.startswith("evaluator") and used.split(".")[0] == "labeler")
        or (
            module.startswith("labeler")
            and used.split(".")[0] == "evaluator"
            and not of_package(used, LABELER_MAY_USE)
        )
    }
    libraries = {
        f"{module} -> {library}"
        for module in SOURCE
        for library in {used.split(".")[0] for used in imported(module)}
        if (library in EDGES and module not in EDGES[library])
        or (library == "streamlit" and not module.startswith("labeler/app/"))
        or (
            library == "pandas"
            and library in {u.split(".")[0] for u in imported(module, inside=False)}
        )
    }
    alone = {
        f"{module} -> {used}"
        for module in STANDARD_ONLY
        for used in {each.split(".")[0] for each in imported(module)}
        if used not in sys.stdlib_module_names
        and not (used == "evaluator" and module != "evaluator/labelset/format")
    }
    assert_none(crossing, libraries, alone)


def test_names_are_nouns_with_one_meaning() -> None:
    """No state is a module's name, and a public class stands for one thing in the repository."""
    states = {module for module in SOURCE if STOP_LIST.fullmatch(module.split("/")[-1])}
    where: dict[str, list[str]] = defaultdict(list)
    for module, tree in TREES.items():
        for node in tree.body:
            if isinstance(
                node, ast.ClassDef | ast.TypeAlias if sys.version_info >= (3, 12) else ast.ClassDef
            ):
                where[node.name].append(module)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                alias = node.targets[0].id
                if re.fullmatch(r"[A-Z][a-z]\w*", alias):
                    where[alias].append(module)
    several = {f"{n}: {m}" for n, m in where.items() if len(m) > 1 and not n.startswith("_")}
    assert_none(states, several)


def test_nothing_is_exported_twice() -> None:
    """A name is imported from where it lives; a package's own file holds its description alone."""
    again = {
        f"{module}: {alias.name} as {alias.asname}"
        for module, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }
    lists = {m for m, t in SOURCE.items() if "__all__" in t} - {"evaluator/labelset/format"}
    packages = {
        module
        for module, tree in TREES.items()
        if module.endswith("/__init__")
        and (ast.get_docstring(tree) is None or (len(tree.body) > 1 and module.count("/") > 1))
    }
    elsewhere = {
        f"{module}: {node.module}.{alias.name}"
        for module, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module in DOTTED
        for alias in node.names
        if f"{node.module}.{alias.name}" not in DOTTED
        and alias.name not in defined(DOTTED[node.module])
    }
    assert_none(again, lists, packages, elsewhere)


@cache
def defined(module: str) -> frozenset[str]:
    """The names that a module makes itself."""
    names = set(
        re.findall(r"^(?:type |class |def |async def )?(\w+)", SOURCE[module], re.MULTILINE)
    )
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return frozenset(names)


def test_modules_are_deep() -> None:
    """One that is small and serves one neighbour belongs into it; a very long one says why."""
    users = Counter(
        used for module in SOURCE for used in ours(module) if place(used) == place(module)
    )
    outside = {used for m in SOURCE for used in ours(m) if place(used) != place(m)}
    lines = {module: text.count("\n") for module, text in SOURCE.items()}
    closets = {
        module
        for module, length in lines.items()
        if length < 80 and users[module] == 1 and module not in outside and not FREE.search(module)
    }
    endless = {
        module
        for module, length in lines.items()
        if length > 400 and "lines" not in (ast.get_docstring(TREES[module]) or "")
    }
    assert_none(closets, endless)


def test_a_record_is_read_by_attributes() -> None:
    """Keys of our own record stand in `record/` only, and no library is tricked."""
    keys = re.compile(r"\b(?:record|contrast|arm|setting|figures|costs|labels)\[\"\w+\"\]")
    subscripts = {
        f"{module}: {found}"
        for module, text in SOURCE.items()
        if module.startswith(RECORD_READERS)
        for found in keys.findall(text)
    }
    tricks = {m for m, text in SOURCE.items() if re.search(r"sys\.(modules|meta_path)", text)}
    assert_none(subscripts, tricks)


@pytest.mark.parametrize("command", ["labeler", "evaluator"])
def test_commands_start_without_the_heavy_libraries(command: str) -> None:
    """`--help` and `verify` answer at once; a command loads what it needs."""
    code = f"import sys, {command}.cli.main; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_a_wheel_holds_every_module_and_data_file(tmp_path: Path) -> None:
    """What is installed elsewhere is whole, the demo and the pages included."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", tmp_path, ROOT]
    subprocess.run(command, check=True, capture_output=True)
    held = set(zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist())
    tracked = subprocess.run(
        ["git", "ls-files", "evaluator", "labeler", "data/demo"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\n")[:-1]
    wanted = {file.replace("data/demo/", "labeler/demo_data/") for file in tracked}
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert stated["tool"]["setuptools"]["package-dir"] == {"labeler.demo_data": "data/demo"}
    assert set() == wanted - held
