"""One record of a session as a text of its own, for an editor, and back.

A case has the form of ``cases.toml``. A demonstration, which is one line of JSON in ``memory.jsonl``, becomes
TOML on many lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from workbench.files.strict_reading import FileForm, Flag, TablePlace, parse_toml, read_form
from workbench.model import ArgumentType, Case, Demonstration
from workbench.policy.written import ArgumentWords
from workbench.session import session_files
from workbench.session.session_error import SessionError
from workbench.session.toml_text import Toml, render

DEMONSTRATION = "demonstration.toml"


def case_text(case: Case, words: ArgumentWords) -> str:
    """A case in the form of ``cases.toml``."""
    return session_files.write_cases([case], words=words)


def read_case(text: str, types: Mapping[str, ArgumentType], words: ArgumentWords) -> Case:
    """The only case of a text; ``types`` are the declared types of arguments. Raises FileError."""
    return _only_item(session_files.read_cases(text, types, words), "case")


def demonstration_text(item: Demonstration) -> str:
    """A demonstration as TOML, with each text on lines of its own."""
    return render(_demonstration_data(item), path=DEMONSTRATION)


def _demonstration_data(item: Demonstration) -> dict[str, Toml]:
    return {
        "id": item.id,
        "enabled": item.enabled,
        "agent_input": item.agent_input,
        "agent_output": item.agent_output,
        **{f"plan_{number}": step for number, step in enumerate(item.plan, start=1)},
        "code": item.code,
    }


class _DemonstrationText(FileForm):
    """A demonstration for an editor: each step of its plan is a text of its own."""

    id: str
    enabled: Flag = True
    agent_input: str
    agent_output: str
    plan_1: str
    plan_2: str
    plan_3: str
    plan_4: str
    code: str


def read_demonstration(text: str, old: Demonstration) -> Demonstration:
    """The demonstration of a text; fields that the text lacks are taken from ``old``. Raises FileError."""
    data = {**_demonstration_data(old), **parse_toml(text, DEMONSTRATION)}
    read = read_form(_DemonstrationText, data, TablePlace(DEMONSTRATION, text))
    plan = (read.plan_1, read.plan_2, read.plan_3, read.plan_4)
    return Demonstration(read.id, read.agent_input, read.agent_output, plan, read.code, read.enabled)


def _only_item[T](items: Sequence[T], noun: str) -> T:
    if len(items) != 1:
        raise SessionError(f"Leave exactly one {noun} in the text; it holds {len(items)}.")
    return items[0]
