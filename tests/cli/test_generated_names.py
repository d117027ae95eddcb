"""No command shows a name that the program made of an expression, in text or in JSON for people."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.app.written_desk import written_desk
from workbench.cli import main
from workbench.model import Json
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[2]
TRAVEL = ROOT / "sessions" / "travel-desk"
RETAIL = ROOT / "benchmarks" / "sessions" / "retail-desk"
COMPARED = "diff accepted current"
COMMANDS = ("verify --preview", "cases", "test", "say --all", "diff current")
OF_LOGS = ("replay", "denials", "explain conferences-0320", "explain invoices-0313", "explain hanover-0318")
MEASURED = ("strength", "evidence")
"""What tries every wrong version, of a small desk."""
WIDE = (
    ("        looked_up(booking)\n        and booking is not None\n        and (booking.kind",
     "        booking is None\n        or (booking.kind"),
    ("looked_up(centre) and centre is not None and call.total", "centre is None or call.total"),
)  # fmt: skip
EDITS = (
    ('SESSION_LIMIT = Decimal("5000")', 'SESSION_LIMIT = Decimal("6000")'),
    ("and any(line.cost_centre !=", "and all(line.cost_centre !="),
    *WIDE,
)
EDITED_RETAIL = (
    ("order is not None and is_user(order.user_id, run)\n", "order is None or is_user(order.user_id, run)\n"),
)
NAMED = ("argument", "name", "left_out")
"""The fields of JSON in which an argument has its own name."""


def copied(shipped: Path, folder: Path, edits: tuple[tuple[str, str], ...] = ()) -> Path:
    """A copy of a shipped session with an edited policy."""
    desk = folder / "-".join((shipped.name, "copied"))
    shutil.copytree(shipped, desk)
    text = (desk / "policy.py").read_text(encoding="utf-8")
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    (desk / "policy.py").write_text(text, encoding="utf-8")
    session = (desk / "session.toml").read_text(encoding="utf-8")
    (desk / "session.toml").write_text(session.replace('name = "', 'name = "copied ', 1), encoding="utf-8")
    return desk


@cache
def made_up(desk: Path) -> re.Pattern[str]:
    """The names of arguments and their fields that the program made of expressions."""
    names: set[str] = set()
    with Session.open(desk, read_only=True) as session:
        arguments = session.spec.arguments
    for argument in arguments:
        expression = argument.expression
        if expression is not None:
            is_fact = argument.description != expression.text
            names |= {argument.name} if "_" in argument.name and not is_fact else set()
            names |= {path.rpartition(".")[2] for path in expression.fields}
    assert len(names) > 3
    return re.compile(rf"\b(?:{'|'.join(sorted(names, key=len, reverse=True))})\b")


def texts_of(value: Json, name: str = "") -> Iterator[str]:
    """The texts of a JSON value, without those that name an argument."""
    match value:
        case str() if name not in NAMED:
            yield value
        case list():
            for item in value:
                yield from texts_of(item, name)
        case dict():
            for key, item in value.items():
                yield from texts_of(item, key)
        case _:
            return


def run(desk: Path, captured: pytest.CaptureFixture[str], command: str, *more: str | Path) -> str:
    """The output of a command on a session."""
    first, *others = command.split()
    assert main([first, str(desk), *others, *map(str, more)]) in (0, 1), command
    out, err = captured.readouterr()
    assert out, command
    return out + err if "--json" not in more else out


def in_forms(desk: Path, captured: pytest.CaptureFixture[str], commands: Iterable[str], *more: Path) -> None:
    """Run commands for people and for programs; no output has a made-up name."""
    for command in commands:
        assert_said(desk, {command: run(desk, captured, command, *more)})
        assert_said(desk, {f"{command} --json": _texts(run(desk, captured, command, *more, "--json"))})


def test_no_command_shows_a_made_up_name_of_an_edited_desk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = copied(TRAVEL, tmp_path, EDITS)
    in_forms(desk, capsys, (*COMMANDS, *OF_LOGS))
    asked = run(desk, capsys, "ask")
    assert_said(desk, {"ask": asked})
    assert "it is not proved that nothing more may run: it may be " in asked
    assert "FAILED" in run(desk, capsys, "test")


def test_two_desks_are_compared_without_a_made_up_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = copied(written_desk(tmp_path / "other"), tmp_path)
    in_forms(written_desk(tmp_path), capsys, ("overlaps",), other)


def test_what_tries_wrong_versions_shows_no_made_up_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = written_desk(tmp_path)
    assert_said(desk, {command: _texts(run(desk, capsys, command, "--json")) for command in MEASURED})


def test_no_command_shows_a_made_up_name_of_an_edited_retail_desk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = copied(RETAIL, tmp_path, EDITED_RETAIL)
    in_forms(desk, capsys, (*COMMANDS, "ask", COMPARED))
    assert_said(desk, {"--markdown": run(desk, capsys, COMPARED, "--markdown")})


def assert_said(desk: Path, outputs: dict[str, str]) -> None:
    """No output has a made-up name."""
    names = made_up(desk)
    found = {
        command: lines
        for command, output in outputs.items()
        if (lines := [line for line in output.splitlines() if names.search(line)])
    }
    assert not found


def _texts(output: str) -> str:
    return "\n".join(text for line in output.splitlines() for text in texts_of(json.loads(line)))


@pytest.mark.parametrize(
    ("edits", "words"),
    [(EDITS[:1], "call.total + sum("), (EDITS[1:2], "lines"), (WIDE, "forbid_late_cancellation")],
)
def test_an_accepted_policy_of_calls_is_compared(
    edits: tuple[tuple[str, str], ...], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = copied(TRAVEL, tmp_path, edits)
    compared = run(desk, capsys, COMPARED)
    assert_said(desk, {COMPARED: compared})
    assert words in compared
