"""The text of a lowered policy: a policy file over plain arguments, which the dialect's checker reads."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.dialect.lowering import TOOL, TOOL_CLASS, Lowered, unused
from workbench.model import ArgumentType, Kind, Problem, RecordType
from workbench.policy.problems import PolicyError
from workbench.policy.render import ClauseText, FunctionText, render_policy, render_type
from workbench.policy.term_text import render_term
from workbench.policy.terms import (
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    Member,
    Not,
    Parameter,
    Term,
    Variable,
)

OTHER_TOOLS = "permit_other_tools"
"""The rule that permits the calls of tools that no other rule permits, where the default is to allow."""


def core_text(lowered: Lowered) -> str:
    """The policy over plain arguments, as a file's text.

    Raises ``PolicyError`` if a constant has a name that the text needs.
    """
    policy = lowered.policy
    _check_constants(lowered)
    arguments = [Parameter(argument.name, argument.type) for argument in lowered.arguments]
    rules = [
        FunctionText(
            one.rule.name, render_term(one.term, policy.tables), one.rule.message, one.rule.requirements
        )
        for one in lowered.rules
    ]
    permitted = [one.tool for rule in policy.rules if rule.name.startswith("permit_") for one in rule.terms]
    if permitted and policy.default_allow and "" not in permitted:
        name = unused(OTHER_TOOLS, (rule.name for rule in policy.rules))
        rules.append(_other_tools(name, permitted))
    clauses = [
        ClauseText(
            render_term(one.term, policy.tables),
            one.clause.requirements,
            one.clause.comment,
            "Requires" if one.clause.precondition else "Ensures",
        )
        for one in lowered.clauses
    ]
    return render_policy(
        title=policy.title,
        arguments=arguments,
        rules=rules,
        clauses=clauses,
        enums={TOOL_CLASS: lowered.arguments[0].type.values} if lowered.arguments[0].type.values else {},
        declarations=[*policy.constants, *_classes(lowered.records)],
        default_allow=policy.default_allow,
    )


def _check_constants(lowered: Lowered) -> None:
    needed = {TOOL, TOOL_CLASS, *(record.name for record in lowered.records)}
    lines = lowered.policy.source.split("\n")
    problems = [
        Problem(
            f"`{name}` is a name of the agent's calls and records.",
            "Choose another name for the constant.",
            next((at for at, text in enumerate(lines, 1) if text.startswith(name)), 0),
        )
        for name in lowered.policy.constant_names
        if name in needed
    ]
    if problems:
        raise PolicyError(problems)


def _other_tools(rule: str, permitted: Iterable[str]) -> FunctionText:
    tool = Variable(TOOL, ArgumentType(Kind.ENUM))
    names = tuple(dict.fromkeys(permitted))
    term: Term = Compare(Comparison.NE, tool, Constant(names[0]))
    if len(names) > 1:
        term = Not(Member(tool, ConstantSet(names)))
    return FunctionText(rule, render_term(term), "Calls of all other tools are allowed by default.")


def _classes(records: Iterable[RecordType]) -> list[str]:
    """The text of the record types, each after those of its lists."""
    return [
        f"@dataclass(frozen=True)\nclass {record.name}:\n"
        + "\n".join(f"    {name}: {render_type(type_)}" for name, type_ in record.fields)
        for record in records
    ]
