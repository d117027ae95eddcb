"""One file that enforces several sessions' policies: each decides in the file as in its session."""

from __future__ import annotations

import ast
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.accepting import accept
from tests.app.refund_desk import refund_desk
from tests.guard.exported_files import imported, plain
from workbench.app.policy import exported_part
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.guard import Mode, Strategy, ToolCall
from workbench.guard.export import TITLE_OF_SEVERAL, export_policies

LARGE = '''"""Large refunds."""

from agent import IssueRefund

DEFAULT = "allow"


def forbid_large(call: IssueRefund) -> bool:
    """R1: No more than 200 is paid back."""
    return call.amount > 200
'''
LOOKING = '''"""Looking up."""

from agent import LookUpPayment

DEFAULT = "allow"


def forbid_looking(call: LookUpPayment) -> bool:
    """R1: Payments are not looked up."""
    return True
'''


def session(folder: Path, name: str, body: str) -> Path:
    """A session with the agent of the support desk and a policy of its own."""
    made = refund_desk(folder / name)
    (made / "cases.toml").unlink()
    (made / "assumptions.toml").unlink()
    (made / "policy.py").write_text(body, encoding="utf-8")
    return accept(made)


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two sessions for one agent."""
    folder = tmp_path_factory.mktemp("several")
    return session(folder, "large", LARGE), session(folder, "looking", LOOKING)


@pytest.fixture(scope="module")
def file(sessions: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    first, other = sessions
    path = tmp_path_factory.mktemp("exported") / "policies.py"
    assert main(["export", str(first), "--also", str(other), "--output", str(path)]) == 0
    return path


def decisions(guard: Any, call_of: Any, bench: Workbench) -> list[object]:
    """A guard's decisions on the first calls of the desk's logs."""
    made_decisions: list[object] = []
    for run in bench.runs.load().runs[:4]:
        run_guard = guard.run(run.id)
        for call in run.calls:
            outcome = run_guard.check(call_of(call.tool or "", dict(call.arguments or {})))
            run_guard.finish(outcome, call.result, failed=call.failed)
            made_decisions.append(plain(outcome.decision))
    return made_decisions


def test_the_file_decides_as_the_sessions_together(sessions: tuple[Path, Path], file: Path) -> None:
    with (
        closing(Workbench.open(sessions[0], read_only=True)) as bench,
        closing(Workbench.open(sessions[1], read_only=True)) as other,
    ):
        live = bench.policy.guard(Strategy.BLOCK_CALL, mode=Mode.SHADOW, also=[other.policy])
        expected = decisions(live, ToolCall, bench)
        module = imported(file)
        own = module.guard(mode=module.Mode.SHADOW)
        assert decisions(own, module.ToolCall, bench) == expected
    rules = str(expected)
    assert "looking:forbid_looking" in rules and "large:forbid_large" in rules and "'allow'" in rules


def test_decide_takes_the_arguments_of_each_policy_by_its_name(file: Path) -> None:
    answer = imported(file).decide({"looking:tool": "look_up_payment"})
    assert answer["verdict"] == "deny"
    assert [violation["rule"] for violation in answer["violations"]] == ["looking:forbid_looking"]
    assert "large: The argument `tool` is missing." in answer["reasons"]


def test_its_header_names_the_sessions_and_the_proof_of_each(file: Path) -> None:
    head = file.read_text().splitlines()[:10]
    assert head[0] == TITLE_OF_SEVERAL
    assert "# sessions: large, looking" in head
    assert any(line.startswith("# accepted looking: ") and " by a test, " in line for line in head)
    assert "# proof of looking: not proved: the policy has no contract" in head
    assert any(line.startswith("# proof of large: ") for line in head)


def test_two_sessions_of_one_name_are_refused(
    sessions: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(sessions[0]), "--also", str(sessions[0])]) == 2
    assert "one name" in capsys.readouterr().err


def test_the_name_of_a_session_is_never_code(sessions: tuple[Path, Path]) -> None:
    with closing(Workbench.open(sessions[1], read_only=True)) as bench:
        part, _ = exported_part(bench.enforced)
    plain_names = ast.parse(export_policies({"looking": part}, "nothing"))
    for name in ("mails\nimport os", "mails\r\nimport os", "mails\x0cimport os", "'] + [1]\u2028#", '"""'):
        module = ast.parse(export_policies({name: part}, "nothing"))
        assert [type(statement) for statement in module.body] == [
            type(statement) for statement in plain_names.body
        ]
        assert not any(line.startswith("import os") for line in ast.unparse(module).splitlines()[:3])
