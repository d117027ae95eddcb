"""The prompts of the style ``file``. Every call sees the whole request; the parts common to all come first.

The parts are ordered by how seldom they change: the notation; the agent with its logs and the request; the
answers of a person; the reading and the agent file; the task. So a server can cache the beginning.

The page about the notation in which a model writes, the same for all calls.

What the dialect has in tables is put into the page from these tables.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from workbench.author.model.recording import Message
from workbench.author.model.shown_demonstrations import shown_demonstrations
from workbench.author.model.whole_file.design import Design, all_sentences, shown_context, shown_reading
from workbench.clean_text import clean, one_line
from workbench.dialect.call_types import agent_types
from workbench.dialect.field_notes import NOTED_TYPES
from workbench.dialect.file_imports import with_imports
from workbench.dialect.kind_parts import element_classes, kind_parts
from workbench.dialect.stub import stub
from workbench.dialect.text_readings import METHODS
from workbench.language.kept_sentence import with_sentence
from workbench.language.language import Language
from workbench.language.python_text import HEADS
from workbench.language.reading import TooLong
from workbench.model import AgentSpec, Demonstration, WorkbenchError
from workbench.policy.rule_names import RULES
from workbench.runs.extract.options import BY_NAME
from workbench.runs.kinds.kinds_by_name import KINDS
from workbench.runs.values.described_option import DescribedOption

_MOST_FINDINGS = 15
_MOST_UNREADABLE = 40


@dataclass(frozen=True, slots=True)
class Brief:
    """The content of every prompt: the agent, its logs, the request, and the answers of a person."""

    request: str
    spec: AgentSpec
    given: str
    shapes: str
    answers: tuple[str, ...]
    demonstrations: tuple[Demonstration, ...] = ()

    def beginning(self) -> str:
        """The part that the prompts of one drafting share."""
        tools = "\n".join(
            f"- {tool.name}: {one_line(tool.description)}\n"
            f"  {clean(json.dumps(dict(tool.parameters), ensure_ascii=False))}"
            for tool in self.spec.tools
        )
        parts = [
            f"# The agent\n\n{self.spec.description or self.spec.name}\n\nIts tools:\n{tools}",
            f"# Its recorded runs\n\n{self.shapes}",
            f"# The request\n\n<request>\n{self.request}\n</request>",
        ]
        exact = exact_sentences(self.request, self.spec)
        if exact:
            parts.append(
                "# Exact sentences\n\nThese sentences of the request are in the workbench's own language: a "
                f"program reads them, in one way. Say the same of them.\n\n```python\n{exact}\n```"
            )
        if self.given:
            parts.append(
                "# Given parts of the agent file\n\nA person wrote these. Use them, do not write them "
                f"again.\n\n```toml\n{self.given}\n```"
            )
        if self.demonstrations:
            parts.append(shown_demonstrations(self.demonstrations))
        if self.answers:
            listed = "\n".join(f"- {answer}" for answer in self.answers)
            parts.append(
                "# What the person who asks has decided\n\nThis holds, whatever the request says or leaves "
                f"open.\n\n{listed}"
            )
        return "\n\n".join(parts)


def exact_sentences(request: str, spec: AgentSpec) -> str:
    """The sentences of the request that the language reads in one way, each with the rule that it states."""
    types = agent_types(spec)
    language = Language(types, with_imports('DEFAULT = "deny"\n', types))
    exact: list[str] = []
    for span in all_sentences(request):
        text = " ".join(request[span.start : span.end].split())
        try:
            trees = language.read(text)
        except (TooLong, WorkbenchError):
            continue
        if len(trees) == 1 and str(trees[0][1]) in HEADS:
            exact.append(with_sentence(language, trees[0], text).python.strip())
    return "\n\n\n".join(exact)


def _tasks() -> Mapping[str, str]:
    """The tasks of ``tasks.md`` by name."""
    text = Path(__file__).with_name("tasks.md").read_text("utf-8")
    parts = (part.split("\n", 1) for part in text.split("=== ") if part.strip())
    return {name.strip(): task.strip() for name, task in parts}


_TASKS = _tasks()
DESIGN, POLICY, CONTRACT, CASES = (_TASKS[name] for name in ("design", "policy", "contract", "cases"))


def messages(brief: Brief, task: str, design: Design | None = None) -> tuple[Message, ...]:
    """The prompt of a task; ``design`` is the reading of the request, for the tasks that need it."""
    parts = [brief.beginning()]
    if design is None:
        parts.append(_types("# The types, as the given agent file has them", brief.spec))
    else:
        said = f"# The parts of the agent file\n\n```toml\n{design.agent.strip()}\n```"
        parts += [
            f"# What the request was understood as\n\n{shown_reading(design)}",
            *([said] if design.agent.strip() else []),
            _types("# The types: `agent.pyi`", design.spec),
        ]
    if task == CONTRACT and design is not None:
        task = f"{task}\n\n{shown_context(design, brief.request)}"
    return (Message("system", notation()), Message("user", "\n\n".join([*parts, task])))


def _types(heading: str, spec: AgentSpec) -> str:
    """The stub of the agent's classes, and the fields that have no type with the reasons."""
    types = agent_types(spec)
    part = f"{heading}\n\n```python\n{stub(types).strip()}\n```"
    if not types.unreadable:
        return part
    lines = [f"- {name}: {why}" for name, why in list(types.unreadable.items())[:_MOST_UNREADABLE]]
    return "\n".join([part, "", "What has no type, and cannot be read:", *lines])


def sent_back(reply: str, findings: Sequence[str], parts: str) -> tuple[Message, ...]:
    """The model's reply with the findings against it; ``parts`` are to be written again."""
    distinct_findings = list(dict.fromkeys(findings))
    listed = "\n".join(f"- {text}" for text in distinct_findings[:_MOST_FINDINGS])
    more_line = (
        f"\n- and {len(distinct_findings) - _MOST_FINDINGS} more"
        if len(distinct_findings) > _MOST_FINDINGS
        else ""
    )
    critique = (
        f"Your reply was checked, and this was found:\n{listed}{more_line}\n\n"
        "Where a finding is right, correct it; where you are sure that you are right and what speaks against "
        f"you is wrong, keep what you have. Reply again with {parts}."
    )
    return (Message("assistant", reply), Message("user", critique))


_LEFT_OUT = frozenset({"above", "under", "remotes"})


@cache
def notation() -> str:
    """The page, with its tables."""
    text = Path(__file__).with_name("notation.md").read_text("utf-8").strip()
    tables = {
        "rules": "`, `".join(f"{name}*" for name in RULES),
        "types": ", ".join(NOTED_TYPES),
        "kinds": "\n".join(_kinds()),
        "elements": "\n".join(f"* `{name}`: {fields}" for name, fields in element_classes()),
        "readings": "\n".join(_readings()),
    }
    for name, table in tables.items():
        text = text.replace(f"{{{{{name}}}}}", table)
    return text


def _kinds() -> Iterator[str]:
    """A row for each kind."""
    parts: dict[str, list[str]] = {}
    for part in kind_parts():
        type_ = part.type.replace("|", "or")
        parts.setdefault(part.kind, []).append(f"{', '.join(part.names)} (`{type_}`)")
    yield from (
        f"| `{kind}` | {'; '.join(listed)} | {_options(_listed(KINDS[kind].options))} |"
        for kind, listed in parts.items()
    )


def _listed(options: Iterable[DescribedOption]) -> Iterable[DescribedOption]:
    return [option for option in options if option.name not in _LEFT_OUT]


def _options(options: Iterable[DescribedOption]) -> str:
    return "; ".join(f"`{option.name}`: {option.meaning}".replace("|", "or") for option in options)


def _readings() -> Iterator[str]:
    """A row for each method that reads one text."""
    for name in METHODS:
        method = BY_NAME[name]
        options = _listed(method.options)
        needs = f" (needs {method.needs})" if method.needs else ""
        yield f"| `{name}` | {method.meaning}{needs} | {_options(options)} |"
