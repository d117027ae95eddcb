"""Attempts to get past a rule: tries of one kind, and what would stop them.

What makes attempts asks the rule alone; whether a try is allowed the whole policy decides (``holes``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import override

from workbench.clarify.written.asked import Calls, Effect
from workbench.clarify.written.book import SaidRule, places, replaced
from workbench.dialect.call_fields import CallField
from workbench.language.trees import CALL, Tree, joined, negated
from workbench.language.words import listed
from workbench.model import AgentSpec, FieldNote, Kind, Tool


@dataclass(frozen=True, slots=True)
class Try:
    """A run of calls that a person would hardly want, and why it passes."""

    calls: Calls
    why: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """What the agent file is to say of a tool: notes on fields, and what else."""

    tool: str
    fields: Mapping[str, FieldNote] = field(default_factory=dict[str, FieldNote])
    file_system: str = ""
    cwd_parameter: str = ""
    cwd: str = ""

    @override
    def __str__(self) -> str:
        """Advice to write it, as the words that follow “to close it”."""
        own, notes = replace(self, fields={}), Declaration(self.tool, self.fields)
        tables = [("", own)] * (own != Declaration(self.tool)) + [(".fields", notes)] * bool(self.fields)
        said = [f"{one.written} under [tools.{self.tool}{at}]" for at, one in tables]
        return f"write {listed(said, 'and')} in agent.toml"

    @property
    def written(self) -> str:
        """What stands in the agent file then."""
        own = {"file_system": self.file_system, "cwd_parameter": self.cwd_parameter, "cwd": self.cwd}
        notes = [f"{_key(name)} = {{{_noted(note)}}}" for name, note in self.fields.items()]
        return listed([*notes, *(f'{name} = "{value}"' for name, value in own.items() if value)], "and")

    def declared(self, agent: AgentSpec) -> AgentSpec:
        """The agent with it."""

        def of(tool: Tool) -> Tool:
            if tool.name != self.tool:
                return tool
            known = {name: tool.fields.get(name, FieldNote()) for name in self.fields}
            fields = {
                name: replace(
                    known[name],
                    type=note.type or known[name].type,
                    normal=note.normal or known[name].normal,
                    optional=known[name].optional if note.optional is None else note.optional,
                )
                for name, note in self.fields.items()
            }
            return replace(
                tool,
                fields={**tool.fields, **fields},
                file_system=self.file_system or tool.file_system,
                cwd_parameter=self.cwd_parameter or tool.cwd_parameter,
                cwd=self.cwd or tool.cwd,
            )

        return replace(agent, tools=tuple(map(of, agent.tools)))


def _key(name: str) -> str:
    return name if re.fullmatch(r"[\w-]+", name) else f'"{name}"'


def _noted(note: FieldNote) -> str:
    texts = {"type": note.type, "normal": note.normal}
    said = [f'{name} = "{value}"' for name, value in texts.items() if value]
    return ", ".join([*said, *["optional = true"] * (note.optional is True)])


@dataclass(frozen=True, slots=True)
class Attempt:
    """Tries of one kind, with what would stop them, the best first; ``advice`` is what to do for a better.

    ``about`` tells it from others of the kind: what of the rule it gets past. ``harmless`` is the run that a
    rewriting has to let through, where that is not any call that is allowed.
    The rewritings are made when a try passes: each has to be written as a sentence and tried. ``wider`` ones
    stop more than the tries, where a person may mean that.
    """

    kind: str
    tries: Iterable[Try]
    rewritings: Callable[[], Sequence[Effect]]
    advice: str | Declaration = ""
    about: str = ""
    harmless: Calls = ()
    wider: Callable[[], Sequence[Effect]] = list


SAME_THING = "same thing"
"""The kind of attempts with another tool that comes to the same; each is about that tool by its name."""
UNDECLARED = "undeclared"
"""What attempts are about of which nothing can be said before something is declared."""
OF_TEXTS = frozenset((
    "hidden program", "host", "other name of a host", "path", "address", "statement", "second program",
    "path in a command",
))  # fmt: skip
"""The kinds of attempts at what a rule that tests raw text takes for something else."""


def offering(*effects: Effect) -> Callable[[], Sequence[Effect]]:
    """What makes rewritings that are known already."""
    return lambda: effects


def saying(rule: SaidRule, condition: Tree) -> Effect:
    """The rule with another condition."""
    return Effect({rule.name: rule.with_condition(condition)})


def narrower(rule: SaidRule, condition: Tree) -> Effect:
    """The rule, which stops besides what a condition says."""
    if rule.form == "permit":
        return saying(rule, joined("and", [rule.condition, negated(condition)]))
    return saying(rule, once(joined("or", [rule.condition, condition])))


def if_given(one: CallField, said: Tree) -> Tree:
    """A condition on a field, of the calls that have one."""
    is_one = one.type.optional and one.type.kind not in (Kind.SET, Kind.LIST)
    return joined("and", [("is some", ("attr", CALL, one.name)), said]) if is_one else said


def once(condition: Tree) -> Tree:
    """A condition in which no alternative stands twice."""
    for path, each in [*places(condition)][::-1]:
        if each[0] in ("or", "and") and len({*each[1:]}) < len(each) - 1:
            condition = replaced(condition, path, joined(str(each[0]), [*dict.fromkeys(each[1:])]))
    return condition


def narrower_of_tool(rule: SaidRule, class_name: str, condition: Tree) -> Effect:
    """The rule, which stops besides what a condition says of one tool; of several, one beside it."""
    if rule.form == "permit" or len(rule.classes) == 1:
        return narrower(rule, condition)
    return beside(rule, ("call", rule.form, condition, ("name", class_name)))


def instead(rule: SaidRule, condition: Tree) -> Effect:
    """The rule with another condition of what it stops."""
    return saying(rule, negated(condition) if rule.form == "permit" else condition)


def beside(rule: SaidRule, *said: Tree) -> Effect:
    """The rule as it is, and others for its sentence."""
    return Effect(new=tuple((rule.name, tree) for tree in said))
