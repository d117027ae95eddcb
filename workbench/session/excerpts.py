"""One record of a session as a text of its own, for an editor, and back.

The text is what the session's file says about the record: an assumption and a case stand as in
``assumptions.toml`` and ``cases.toml``, a part of the agent spec as in ``agent.toml``. A
demonstration, which is one line of JSON in ``memory.jsonl``, stands as TOML on many lines.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from workbench.model import AgentSpec, ArgumentType, Assumption, Case, Demonstration
from workbench.session import agent_file, session_files
from workbench.session.fields import FileForm, Flag, TablePlace, parse_toml, read_form
from workbench.session.session_error import SessionError
from workbench.session.toml_text import Toml, render

DEMONSTRATION = "demonstration.toml"
SPEC_PARTS = ("tool", "argument", "vocabulary", "schema", "synonym")
_FIELD = {"tool": "tools", "synonym": "synonyms"}


def case_text(case: Case) -> str:
    """A case as in ``cases.toml``."""
    return session_files.write_cases([case])


def read_case(text: str, types: Mapping[str, ArgumentType]) -> Case:
    """The one case of a text; ``types`` are the declared types of arguments. Raises SessionError."""
    return _one(session_files.read_cases(text, types), "case")


def assumption_text(assumption: Assumption) -> str:
    """An assumption as in ``assumptions.toml``."""
    return session_files.write_assumptions([assumption])


def read_assumption(text: str) -> Assumption:
    """The one assumption of a text. Raises SessionError."""
    return _one(session_files.read_assumptions(text), "assumption")


def demonstration_text(item: Demonstration) -> str:
    """A demonstration as TOML, each text on lines of its own."""
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
    """The demonstration of a text; what it leaves out is as in ``old``. Raises SessionError."""
    data = {**_demonstration_data(old), **parse_toml(text, DEMONSTRATION)}
    read = read_form(_DemonstrationText, data, TablePlace(DEMONSTRATION, text))
    plan = (read.plan_1, read.plan_2, read.plan_3, read.plan_4)
    return Demonstration(read.id, read.agent_input, read.agent_output, plan, read.code, read.enabled)


def spec_text(spec: AgentSpec, part: str, name: str) -> str:
    """A part of an agent spec as in ``agent.toml``; an empty name, or a part of no kind, is all of it."""
    if part == "argument" and name:
        return agent_file.write_argument(spec, name)
    return agent_file.write_agent(_only(spec, part, name) if name and part in SPEC_PARTS else spec)


def read_spec(text: str, spec: AgentSpec, part: str, name: str) -> AgentSpec:
    """The agent spec with a part replaced by what a text says; see ``spec_text``.

    Raises SessionError where the text holds anything but that one part.
    """
    if part == "argument" and name:
        return agent_file.read_argument(text, spec, name)
    read = agent_file.read_agent(text)
    if not name or part not in SPEC_PARTS:
        return read
    field = _FIELD.get(part, part)
    empty = AgentSpec(read.name, read.description)
    found: Sequence[object] | Mapping[str, object] = getattr(read, field)
    if replace(read, **{field: getattr(empty, field)}) != empty or len(found) != 1:
        raise SessionError(f"Leave one {part} in the text, and nothing else; the agent's own text has all.")
    known: Sequence[object] | Mapping[str, object] = getattr(spec, field)
    if isinstance(known, Mapping) and isinstance(found, Mapping):
        (key, value), *_ = found.items()
        if key != name and key in known:
            raise SessionError(f"There is a {part} {key} already; choose another name.")
        table = {
            (key if old == name else old): (value if old == name else kept) for old, kept in known.items()
        }
        return replace(spec, **{field: table})
    made = next(iter(found))
    items = tuple(made if getattr(item, "name", "") == name else item for item in [*known])
    names = [getattr(item, "name", "") for item in items]
    if len(set(names)) != len(names):
        raise SessionError(f"There is a {part} {getattr(made, 'name', '')} already; choose another name.")
    return replace(spec, **{field: items})


def _only(spec: AgentSpec, part: str, name: str) -> AgentSpec:
    """An agent spec of which only one part is left."""
    field = _FIELD.get(part, part)
    items: Sequence[object] | Mapping[str, object] = getattr(spec, field)
    kept: object
    if isinstance(items, Mapping):
        kept = {key: value for key, value in items.items() if key == name}
    else:
        kept = tuple(item for item in items if getattr(item, "name", "") == name)
    return replace(AgentSpec(spec.name), **{field: kept})


def _one[T](found: Sequence[T], what: str) -> T:
    if len(found) != 1:
        raise SessionError(f"Leave exactly one {what} in the text; it holds {len(found)}.")
    return found[0]
