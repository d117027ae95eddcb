"""Starting the screen: the modules loaded before it is drawn, and the remains when it is left early."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pexpect
import pytest

from tests.waiting import until

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "sessions" / "hospital-access"
FIRST_PAINT = """
import sys
from pathlib import Path
from workbench.app.session_state import SessionState
from workbench.tui.app import WorkbenchApp
from workbench.tui.messages import ViewName
from workbench.tui.widgets.status_line import status_line
WorkbenchApp(Path(sys.argv[1]))
status_line(SessionState("what is drawn first"), ViewName.AUTHOR, 120)
print(*sorted(sys.modules))
"""
LATE = {
    *("openai", "nagini_translation", "jpype", "pytest", "cvc5", "sqlglot", "numpy", "typer", "pydantic"),
    *("workbench.author.model", "workbench.author.written"),
    *("workbench.clarify", "workbench.engines", "workbench.session"),
}


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """A copy of a shipped session."""
    copy = tmp_path / "hospital-access"
    shutil.copytree(SHIPPED, copy, ignore=shutil.ignore_patterns(".workbench"))
    return copy


def test_the_screen_is_there_before_anything_heavy_is_imported(session: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_PAINT, str(session)], capture_output=True, text=True, check=True
    )
    assert LATE & set(done.stdout.split()) == set()


def started(session: Path, mark: str, *, by_nohup: bool = False) -> pexpect.spawn[str]:
    """The workbench in a terminal, all its processes marked by an environment variable.

    It has a verifier of its own: a shared verifier waits for the next session, by design.
    """
    environment = {
        **os.environ, "TERM": "xterm-256color", "WORKBENCH_TEST_MARK": mark, "WORKBENCH_SHARED_PROVER": "0",
    }  # fmt: skip
    return pexpect.spawn(
        sys.executable,
        ["-c", "import sys; from workbench.cli import main; sys.exit(main())", "open", str(session)],
        cwd=str(ROOT),
        env=environment,
        dimensions=(40, 120),
        encoding="utf-8",
        codec_errors="replace",
        timeout=60,
        ignore_sighup=by_nohup,
    )


def marked(mark: str) -> list[int]:
    """The living processes with the mark in their environment."""
    process_ids: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
            dead = (folder / "stat").read_text().rpartition(")")[2].split()[0] in "ZX"
        except OSError:
            continue
        if f"WORKBENCH_TEST_MARK={mark}".encode() in environment and not dead:
            process_ids.append(int(folder.name))
    return process_ids


def shows_on(terminal: pexpect.spawn[str]) -> bool:
    """Read the output of the program, which waits for a reader otherwise."""
    terminal.expect([pexpect.TIMEOUT, r"[\s\S]+"], timeout=0)
    return True


on_linux = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="reads /proc")


@on_linux
@pytest.mark.nagini
def test_quitting_while_the_prover_starts_leaves_no_process(session: Path) -> None:
    terminal = started(session, f"quit-{os.getpid()}")
    terminal.expect("Requirements")
    until(lambda: shows_on(terminal) and len(marked(f"quit-{os.getpid()}")) >= 2)
    terminal.send("\x11")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    assert marked(f"quit-{os.getpid()}") == []


@on_linux
@pytest.mark.nagini
@pytest.mark.parametrize("by_nohup", [False, True])
def test_a_terminal_that_is_closed_while_the_prover_starts_leaves_no_process(
    session: Path, by_nohup: bool
) -> None:
    terminal = started(session, f"gone-{os.getpid()}", by_nohup=by_nohup)
    until(lambda: shows_on(terminal) and len(marked(f"gone-{os.getpid()}")) >= 2)
    # Nothing else is sent, and no time is set: the hang-up alone has to end every process.
    cast(Any, terminal).ptyproc.fileobj.close()
    until(lambda: not terminal.isalive() and marked(f"gone-{os.getpid()}") == [])


@on_linux
def test_a_session_that_cannot_be_read_is_one_sentence_and_the_terminal_is_given_back(session: Path) -> None:
    (session / "agent.toml").write_text("nonsense = [", encoding="utf-8")
    terminal = started(session, "broken")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 2
    assert "agent.toml" in str(terminal.before)
    assert "Traceback" not in str(terminal.before)
