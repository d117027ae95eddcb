"""A person's comments in agent.toml stay when the program changes the file, wherever they are."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.app.workbench import Workbench
from workbench.model import AgentSpec, ArgumentType, Extraction, Json, Kind, TextReading, Tool
from workbench.session.agent_file import read_agent, write_agent

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*ROOT.glob("*/*/agent.toml"), *ROOT.glob("benchmarks/sessions/*/agent.toml")])
EXTRA = TextReading("extra_one", ArgumentType(Kind.INT), Extraction("field"))


def commented(text: str) -> tuple[str, int]:
    """The text with a numbered comment above each table and beside each inline table, and their number."""
    lines: list[str] = []
    count = 0
    inside = False
    for line in text.split("\n"):
        if not inside and line.startswith("["):
            lines.append(f"# Note {count}.")
            count += 1
        inside ^= (line.count("'''") + line.count('"""')) % 2 == 1
        if not inside and line.endswith("}") and "=" in line:
            line += f"  # Note {count}."
            count += 1
        lines.append(line)
    return "\n".join(lines), count


def _described(spec: AgentSpec) -> AgentSpec:
    if not spec.readings:
        return replace(spec, description="What it does.")
    first, *others = spec.readings
    return replace(spec, readings=(replace(first, description="What it is."), *others))


CHANGES: list[Callable[[AgentSpec], AgentSpec]] = [
    lambda spec: spec,
    lambda spec: replace(spec, readings=(*spec.readings, EXTRA)),
    lambda spec: replace(spec, tools=(*spec.tools, Tool("one_more"))),
    lambda spec: replace(spec, zone="Europe/Rome", not_proposed=("thing",)),
    lambda spec: replace(spec, records=(*spec.records, *(replace(r, name="r2") for r in spec.records[:1]))),
    _described,
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.parent.relative_to(ROOT)))
def test_no_comment_is_lost_by_a_change_beside_it(
    file: Path, change: Callable[[AgentSpec], AgentSpec]
) -> None:
    text, count = commented(file.read_text("utf-8"))
    before = read_agent(text)
    changed = change(before)
    written = write_agent(changed, text)
    assert read_agent(written) == changed
    assert count > 0
    assert {int(number) for number in re.findall(r"# Note (\d+)\.", written)} == set(range(count))
    if changed == before:
        assert written == text, "what means the same stays as it was written"


OF_TOOLS = """\
name = "desk"

[tools.get]
# How it is called.
[tools.get.parameters]  # as the server says
type = "object"
required = [
  "id",  # always
]
properties = {id = {type = "string"}}  # one

[tools.pay]
parameters = {type = "object"}  # nothing
description = "Pays."  # in words
"""


def test_comments_inside_the_table_of_a_tool_stay_when_its_schema_changes() -> None:
    spec = read_agent(OF_TOOLS)
    get, pay = spec.tools
    more: dict[str, Json] = {
        "type": "object",
        "required": ["id", "at"],
        "properties": {"id": {"type": "string"}},
    }
    wide = {f"a_rather_long_name_{number}": {"type": "string"} for number in range(6)}
    changed = replace(
        spec, tools=(replace(get, parameters=more), replace(pay, parameters={**more, "properties": wide}))
    )
    written = write_agent(changed, OF_TOOLS)

    assert read_agent(written) == changed
    for comment in re.findall(r"# .*", OF_TOOLS):
        assert comment in written, written


def test_a_text_that_a_person_edits_is_stored_as_it_is(tmp_path: Path) -> None:
    folder = shutil.copytree(ROOT / "examples/bookings", tmp_path / "bookings")
    with closing(Workbench.open(folder)) as bench:
        text, _ = commented(bench.agent.text())
        assert bench.agent.text() == (folder / "agent.toml").read_text("utf-8")
        bench.agent.put_text(text, "Edit the agent")
        assert (folder / "agent.toml").read_text("utf-8") == bench.agent.text() == text
        bench.agent.set_spec(
            replace(bench.session.spec, readings=(*bench.session.spec.readings, EXTRA)), "Add"
        )
        assert bench.agent.text().count("# Note") == text.count("# Note")
        assert bench.in_force.missing() == ()
