"""The command ``workbench stub``, and the stub that a session keeps beside a policy of calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.cli import main
from workbench.model import AgentSpec, FieldNote, Tool
from workbench.session import Session

POLICY = '''"""The policy."""

from agent import Pay, Run

DEFAULT = "allow"


def forbid_all(call: Pay, run: Run) -> bool:
    """R1: Nobody pays."""
    return True
'''
TOOL = Tool("pay", "", {"properties": {"total": {"type": "number"}, "payload": {}}})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "desk"
    Session.create(path, "Nobody pays.", AgentSpec("desk", tools=(TOOL,))).close()
    return path


def test_the_command_writes_the_stub_and_says_what_has_no_type(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["stub", str(folder)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "Wrote agent.pyi with the classes of 1 tool and 0 records."
    assert said[1].startswith('The parameter "payload" of the tool "pay" has no type in its schema.')
    assert "class Pay(Call, _Of[EarlierPay]):" in (folder / "agent.pyi").read_text()
    assert main(["undo", str(folder)]) == 0
    assert not (folder / "agent.pyi").exists()


def test_classes_of_one_name_are_said_and_nothing_is_written(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Session.open(folder) as session:
        session.set_spec(AgentSpec("desk", tools=(TOOL, Tool("Pay"))))
    assert main(["stub", str(folder)]) == 2
    assert 'The tools "pay" and "Pay" would both have the class `Pay`' in capsys.readouterr().err
    assert not (folder / "agent.pyi").exists()


def test_a_policy_has_its_stub_and_every_change_of_the_agent_writes_it_anew(folder: Path) -> None:
    with Session.open(folder) as session:
        assert not (folder / "agent.pyi").exists()
        session.set_policy(POLICY)
        before = (folder / "agent.pyi").read_text()
        assert "total: Decimal | None" in before
        named = Tool(TOOL.name, "", TOOL.parameters, fields={"total": FieldNote(name="amount")})
        session.set_spec(AgentSpec("desk", tools=(named,)))
        assert "amount: Decimal | None" in (folder / "agent.pyi").read_text()
        session.undo()
        assert (folder / "agent.pyi").read_text() == before, "one change, undone together"
        assert session.agent.tools == (TOOL,)


def test_the_module_of_the_stub_is_never_run(folder: Path, tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    with Session.open(folder) as session:
        session.set_policy(POLICY)
    assert "def " not in (folder / "agent.py").read_text()
    (folder / "agent.py").write_text(f"open({str(marker)!r}, 'w').close()\n")
    for words in (("test",), ("verify", "--preview"), ("strength",), ("cases",), ("say", "--all")):
        assert main([words[0], str(folder), *words[1:]]) in (0, 1), words
    assert not marker.exists()
