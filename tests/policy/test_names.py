"""The names that an argument may have are those that a policy can use."""

from __future__ import annotations

import builtins
import keyword
from pathlib import Path

import pytest

from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.model import WorkbenchError
from workbench.policy.check import PolicyError, check
from workbench.policy.names import RESERVED, refused, usable
from workbench.session import Session
from workbench.session.agent_file import read_agent

OTHERS = ("role", "Role", "from_", "_role", "1st", "prénom", "a b", "")
NAMES = sorted({*RESERVED, *keyword.kwlist, *keyword.softkwlist, *dir(builtins), *OTHERS})
SPEC = 'name = "shop"\n\n[arguments.role]\ntype = "str"\n\n[arguments.time]\ntype = "time"\n'


def in_dialect(name: str) -> bool:
    rule = f'''def forbid_it({name}: str) -> bool:\n    """R1: No."""\n    return {name} == "a"\n\n\n'''
    try:
        check(f"{rule}def allow({name}: str) -> bool:\n    return not forbid_it({name})\n")
    except PolicyError:
        return False
    return True


def test_a_name_is_refused_exactly_where_a_policy_cannot_have_it() -> None:
    assert {name for name in NAMES if not refused(name)} == {name for name in NAMES if in_dialect(name)}
    assert {"role", "match", "print_", "sum_"} <= {*map(usable, NAMES)}
    for name in NAMES:
        if name in RESERVED or keyword.iskeyword(name):
            assert in_dialect(usable(name))
            assert f'call it "{usable(name)}"' in refused(name)


def test_a_spec_with_such_a_name_is_refused_with_its_place() -> None:
    with pytest.raises(WorkbenchError) as error:
        read_agent(SPEC)
    message = str(error.value)
    assert message.startswith('agent.toml:6: The argument "time" has a name')
    assert message.endswith('call it "time_", for example.')
    assert read_agent(SPEC.replace("arguments.time", "arguments.time_")).arguments[1].name == "time_"


def test_new_refuses_it_and_makes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "request.md").write_text("Nobody may buy wine.\n", encoding="utf-8")
    (tmp_path / "agent.toml").write_text(SPEC, encoding="utf-8")
    folder = tmp_path / "shop"
    agent, request = str(tmp_path / "agent.toml"), str(tmp_path / "request.md")
    assert main(["new", str(folder), "--agent", agent, "--request", request]) != 0
    assert 'agent.toml:6: The argument "time"' in capsys.readouterr().err
    assert not folder.exists()


def test_an_edited_spec_is_refused_and_the_session_stays_as_it_was(tmp_path: Path) -> None:
    good = SPEC.replace("arguments.time", "arguments.hour")
    with Session.create(tmp_path / "shop", "Nobody may buy wine.\n", read_agent(good)) as session:
        text = session.text("agent.toml")
        with pytest.raises(WorkbenchError, match='"time"'):
            session.set_text("agent.toml", SPEC)
        with pytest.raises(WorkbenchError, match='"time"'):
            Workbench(session).agent.read(SPEC)
        assert session.text("agent.toml") == text
