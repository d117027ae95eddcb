"""No command shows a name that the program made of an expression, in text or in JSON for people."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.app.written_desk import written_desk
from workbench.cli import main
from workbench.model import Json
from workbench.session import Session

ROOT = Path(__file__).resolve().parents[2]
TRAVEL = ROOT / "sessions" / "travel-desk"
RETAIL = ROOT / "benchmarks" / "sessions" / "retail-desk"
COMMANDS = ("verify --preview", "ask", "cases", "test", "rules", "diff accepted current", "diff current")
OF_LOGS = ("replay", "denials", "explain conferences-0320", "explain invoices-0313", "explain hanover-0318")
MEASURED = ("strength", "evidence")
"""What tries every wrong version, of a small desk."""
EDITS = {
    "wrong": (
        ('SESSION_LIMIT = Decimal("5000")', 'SESSION_LIMIT = Decimal("6000")'),
        ("and any(line.cost_centre !=", "and all(line.cost_centre !="),
    ),
    "wide": (
        ("        looked_up(booking)\n        and booking is not None\n        and (booking.kind",
         "        booking is None\n        or (booking.kind"),
        ("looked_up(centre) and centre is not None and call.total", "centre is None or call.total"),
    ),
}  # fmt: skip
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


def made_up(desk: Path) -> re.Pattern[str]:
    """The names of arguments and their fields that the program made of expressions."""
    names: set[str] = set()
    with Session.open(desk, read_only=True) as session:
        arguments = session.spec.arguments
    for argument in arguments:
        source = argument.extraction
        if source is not None and source.method == "expression":
            is_fact = argument.description != source.options["of"]
            names |= {argument.name} if "_" in argument.name and not is_fact else set()
            fields = source.options.get("fields")
            names |= {path.rpartition(".")[2] for path in fields} if isinstance(fields, dict) else set()
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


@pytest.mark.parametrize("edit", EDITS)
def test_no_command_shows_a_made_up_name_of_an_edited_desk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], edit: str
) -> None:
    desk = copied(TRAVEL, tmp_path, EDITS[edit])
    overlaps = partial(run, desk, capsys, "overlaps", TRAVEL)
    outputs = {command: run(desk, capsys, command) for command in (*COMMANDS, *OF_LOGS)}
    outputs |= {"overlaps": overlaps()}
    outputs["diff --markdown"] = run(desk, capsys, "diff accepted current --markdown")
    assert_said(desk, outputs)
    assert "the policy lets run what that version does not" in outputs["ask"]
    assert "FAILED" in outputs["test"]
    in_json = {command: run(desk, capsys, command, "--json") for command in (*COMMANDS, *OF_LOGS)} | {
        "overlaps": overlaps("--json")
    }
    assert_said(desk, {command: _texts(output) for command, output in in_json.items()})


def test_what_tries_wrong_versions_shows_no_made_up_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = written_desk(tmp_path)
    assert_said(desk, {command: _texts(run(desk, capsys, command, "--json")) for command in MEASURED})


def test_no_command_shows_a_made_up_name_of_an_edited_retail_desk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    desk = copied(RETAIL, tmp_path, EDITED_RETAIL)
    assert_said(desk, {command: run(desk, capsys, command) for command in COMMANDS})
    in_json = {command: run(desk, capsys, command, "--json") for command in COMMANDS}
    assert_said(desk, {command: _texts(output) for command, output in in_json.items()})


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


def test_an_accepted_policy_of_calls_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    desk = copied(TRAVEL, tmp_path, EDITS["wide"])
    assert "forbid_late_cancellation" in run(desk, capsys, "diff accepted current")
