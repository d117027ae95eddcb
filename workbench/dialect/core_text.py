"""The text of a lowered policy: a policy file over plain arguments, which the dialect's checker reads."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.dialect.lowering import TOOL, Lowered
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
    """The policy over plain arguments, as a file's text; raises ``PolicyError`` if it permits nothing."""
    policy = lowered.policy
    arguments = [Parameter(argument.name, argument.type) for argument in lowered.arguments]
    rules = [
        FunctionText(
            one.rule.name, render_term(one.term, policy.tables), one.rule.message, one.rule.requirements
        )
        for one in lowered.rules
    ]
    permitted = [one.tool for rule in policy.rules if rule.name.startswith("permit_") for one in rule.terms]
    if permitted and policy.default_allow and "" not in permitted:
        rules.append(_other_tools(permitted))
    if not permitted and not policy.default_allow:
        line = next(
            (at for at, text in enumerate(policy.source.split("\n"), 1) if text.startswith("DEFAULT")), 0
        )
        problem = Problem(
            'DEFAULT is "deny" and no permit_* rule permits anything.', "Add one, or allow by default.", line
        )
        raise PolicyError([problem])
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
        enums={"Tool": lowered.arguments[0].type.values} if lowered.arguments[0].type.values else {},
        declarations=[*policy.constants, *_classes(lowered.records)],
        default_allow=policy.default_allow,
    )


def _other_tools(permitted: Iterable[str]) -> FunctionText:
    tool = Variable(TOOL, ArgumentType(Kind.ENUM))
    names = tuple(dict.fromkeys(permitted))
    term: Term = Compare(Comparison.NE, tool, Constant(names[0]))
    if len(names) > 1:
        term = Not(Member(tool, ConstantSet(names)))
    return FunctionText(OTHER_TOOLS, render_term(term), "Calls of all other tools are allowed by default.")


def _classes(records: Iterable[RecordType]) -> list[str]:
    """The text of the record types, each after those of its lists."""
    return [
        f"@dataclass(frozen=True)\nclass {record.name}:\n"
        + "\n".join(f"    {name}: {render_type(type_)}" for name, type_ in record.fields)
        for record in records
    ]
