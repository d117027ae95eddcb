"""No process that the workbench starts imports anything from the current folder."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from aiohttp import ClientSession, WSMsgType

from workbench.files.package_environment import package_environment

ROOT = Path(__file__).resolve().parent.parent
SESSION = ROOT / "sessions" / "hospital-access"
NAMES = (
    "textual", "json", "sitecustomize", "usercustomize", "workbench", "pytest", "_pytest", "asyncio",
    "decimal", "multiprocessing", "pickle", "random", "signal", "pydantic",
    "sqlglot", "queue", "nagini_translation", "jpype", "rich", "typing_extensions",
)  # fmt: skip
TRAP = "import os\nopen({file!r}, 'a').write(__name__ + ' ' + ascii(__import__('sys').orig_argv) + '\\n')\n"


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A session in a folder with a module for every name, which writes to ``caught`` when it is imported."""
    folder = tmp_path / "session"
    shutil.copytree(SESSION, folder, ignore=shutil.ignore_patterns(".workbench"))
    text = TRAP.format(file=str(tmp_path / "caught"))
    for name in NAMES:
        (folder / f"{name}.py").write_text(text)
    (folder / "workbench.py").unlink()
    (folder / "workbench").mkdir()
    (folder / "workbench" / "__init__.py").write_text(text)
    return folder


def command(trap: Path, *words: str) -> list[str]:
    """The command of an installed console script, which has its own folder on the path."""
    script = trap.parent / "bin" / "workbench"
    script.parent.mkdir(exist_ok=True)
    script.write_text(
        "import sys\nfrom workbench.cli import main\nif __name__ == '__main__':\n    sys.exit(main())\n"
    )
    return [sys.executable, str(script), *words]


def careless() -> dict[str, str]:
    """An environment with the current folder on the path of Python, as an empty part of the path gives."""
    return {**os.environ, "PYTHONPATH": "", "PYTHONSAFEPATH": ""}


def caught(trap: Path) -> str:
    file = trap.parent / "caught"
    return file.read_text() if file.exists() else ""


IMPORT_EACH = """
import importlib, sys
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except Exception as error:
        print(name, error)
"""


def test_the_trap_catches_what_starts_without_care(trap: Path) -> None:
    for name in NAMES:
        subprocess.run([sys.executable, "-c", f"import {name}"], cwd=trap, env=careless(), check=False)
        assert name in caught(trap) or name in ("sitecustomize", "usercustomize", "signal"), name


@pytest.mark.parametrize("path", ["", ".", ":", "..:.", "x:.:"])
def test_the_environment_of_a_process_has_no_relative_folder(
    trap: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", path)
    names = ("json",) if path else NAMES
    ran = subprocess.run(
        [sys.executable, "-c", IMPORT_EACH, *names], cwd=trap, env=package_environment(), check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    assert {line.split()[0] for line in ran.stdout.splitlines()} <= {"sitecustomize", "usercustomize"}
    assert caught(trap) == ""


async def test_serve_draws_safely(trap: Path) -> None:
    process = subprocess.Popen(
        command(trap, "serve", ".", "--port", "0"), cwd=trap, env=careless(), stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        async with ClientSession() as client:
            headers = {"Origin": "http://" + address.split("/")[2]}
            window = await client.ws_connect(address + "ws?width=100&height=30", headers=headers)
            seen = ""
            while "requirement" not in seen.lower():
                message = await window.receive(timeout=100)
                assert message.type is WSMsgType.BINARY, f"closed: {caught(trap)}"
                seen += message.data.decode("utf-8", "replace")
            await window.close()
    finally:
        process.terminate()
        process.wait()
    assert caught(trap) == ""


def test_the_cases_run_safely(trap: Path) -> None:
    ran = subprocess.run(
        command(trap, "test", "."), cwd=trap, env=careless(), capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert caught(trap) == ""


def test_generated_guard_code_runs_safely(trap: Path) -> None:
    program = (
        "import sys, json\n"
        f"sys.path.append({str(ROOT)!r}); from workbench.guardagent.sandbox import execute\n"
        "from workbench.guardagent.toolbox import Toolbox\n"
        "sys.path.insert(0, ''); sys.path.insert(0, '.')\n"
        "print(json.dumps(execute('label = 1', {}, Toolbox.empty()).error))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=trap,
        env=careless(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(ran.stdout) == ""
    assert caught(trap) == ""


def test_every_process_of_the_interpreter_is_started_with_a_safe_path() -> None:
    commands: list[tuple[str, str]] = []
    for file in (ROOT / "workbench").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "sys.executable" in text else ():
            if (
                isinstance(node, ast.List | ast.Tuple)
                and node.elts
                and ast.unparse(node.elts[0]) == "sys.executable"
            ):
                commands.append((file.name, ast.unparse(node.elts[1])))
    assert len(commands) >= 4
    assert [started for started in commands if started[1] not in ("'-P'", "'-I'")] == []
