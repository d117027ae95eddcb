"""What a policy of calls comes to for the engines: its text over plain arguments, and these arguments.

The text is a policy file over plain arguments, which the dialect's checker reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from workbench.dialect.call_fields import CallField, CallType, field_and_part
from workbench.dialect.call_types import agent_types
from workbench.dialect.check import check_calls
from workbench.dialect.checked import CallPolicy, CallRule
from workbench.dialect.lowering import TOOL_CLASS, Lowered, lower, unused
from workbench.dialect.run_values import all_parts
from workbench.dialect.written_agent import WrittenAgent
from workbench.model import (
    TOOL_ARGUMENT,
    AgentSpec,
    Argument,
    ArgumentType,
    Kind,
    Problem,
    RecordType,
    WorkbenchError,
)
from workbench.policy.check import check, check_condition
from workbench.policy.problems import PolicyError
from workbench.policy.render import ClauseText, FunctionText, render_policy, render_type
from workbench.policy.term_text import render_term
from workbench.policy.terms import (
    Attribute,
    Clause,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    Member,
    Not,
    Parameter,
    PolicyTerms,
    Term,
    Variable,
)
from workbench.policy.written import TextTest, WrittenFile, WrittenPart
from workbench.runs.kinds.command import UNDECLARED
from workbench.runs.kinds.kinds_by_name import FOLDER_OPTIONS


@dataclass(frozen=True, slots=True)
class LoweredPolicy:
    """A policy of calls that was checked: the same policy over plain arguments, as text and as terms."""

    lowered: Lowered
    text: str
    terms: PolicyTerms

    @property
    def calls(self) -> CallPolicy:
        """The policy as it was written."""
        return self.lowered.policy

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments of the lowered policy, each with its expression over call and run."""
        return self.lowered.arguments


def lowered_policy(source: str, spec: AgentSpec, path: str = "") -> LoweredPolicy:
    """The policy over plain arguments that a policy of calls comes to, for this agent.

    ``path`` only names the file in problems. Raises ``PolicyError`` with every problem found. Only its text
    is ever executed, and it has passed the checker of the dialect as every policy has.
    """
    result = _lowered(source, WrittenAgent(spec))
    if isinstance(result, PolicyError):
        raise PolicyError([replace(problem, path=problem.path or path) for problem in result.problems])
    return result


@lru_cache(maxsize=8)
def _lowered(source: str, agent: WrittenAgent) -> LoweredPolicy | PolicyError:
    """The lowered policy, or its problems without a path: who asks names the file."""
    try:
        return lowered_calls(check_calls(source, agent_types(agent.spec)))
    except PolicyError as error:
        return error
    except WorkbenchError as error:
        return PolicyError([Problem(str(error))])


def lowered_calls(policy: CallPolicy) -> LoweredPolicy:
    """The policy over plain arguments that a checked policy of calls comes to. Raises ``PolicyError``."""
    lowered = lower(policy)
    text = _core_text(lowered)
    terms = check(text)
    terms = replace(terms, axioms=_axioms(lowered, terms), written=_written(terms, lowered))
    return LoweredPolicy(lowered, text, terms)


def _written(terms: PolicyTerms, lowered: Lowered) -> WrittenFile:
    """The policy of calls, with the places of rules and clauses in it."""
    parts = {
        one.rule.name: WrittenPart(one.rule.line, one.rule.end_line, tools=_tools(one.rule))
        for one in lowered.rules
    }
    conditions, promises = iter(terms.preconditions), iter(terms.clauses)
    for one in lowered.clauses:
        clause = next(conditions if one.clause.precondition else promises)
        tool = one.tool if len(one.clause.terms) > 1 else ""
        parts[clause.id] = WrittenPart(one.clause.line, one.clause.end_line, one.clause.source, tool)
    policy = lowered.policy
    return WrittenFile(
        policy.source,
        parts,
        lowered.arguments,
        partial(_text_tests, policy),
        undeclared_shells(policy),
        undeclared_folders(policy),
        {theorem.name: theorem.sentence for theorem in policy.theorems},
        policy.default_allow,
    )


def _text_tests(policy: CallPolicy) -> tuple[TextTest, ...]:
    from workbench.dialect.text_tests import text_tests

    return text_tests(policy)


def _tools(rule: CallRule) -> tuple[str, ...]:
    """The tools whose calls a rule is about; none if it is about all."""
    return tuple(one.tool for one in rule.terms if one.tool)


def _axioms(lowered: Lowered, terms: PolicyTerms) -> tuple[Clause, ...]:
    """What relates the arguments, read by the checker as every condition over them is."""
    axioms: list[Clause] = []
    for number, axiom in enumerate(lowered.axioms, 1):
        text = render_term(axiom)
        term = check_condition(text, terms.arguments)
        axioms.append(Clause(f"A{number}", term, (), "Values over one run.", text, 0, 0))
    return tuple(axioms)


_OTHER_TOOLS = "permit_other_tools"
"""The rule that permits the calls of tools that no other rule permits, where the default is to allow."""


def _core_text(lowered: Lowered) -> str:
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
        name = unused(_OTHER_TOOLS, (rule.name for rule in policy.rules))
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
    needed = {TOOL_ARGUMENT, TOOL_CLASS, *(record.name for record in lowered.records)}
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
    tool = Variable(TOOL_ARGUMENT, ArgumentType(Kind.ENUM))
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


def undeclared_shells(policy: CallPolicy) -> tuple[str, ...]:
    """The tools of whose commands a policy reads parts, and which do not say which shell reads these."""
    read = _fields_read(policy, lambda field: field.options.get("shell") == UNDECLARED)
    return tuple(dict.fromkeys(tool for tool, _ in read))


def undeclared_folders(policy: CallPolicy) -> Mapping[str, Sequence[str]]:
    """The parameters with paths or commands of the tools that do not say where relative paths begin.

    There are none where the policy reads no part of any of them.
    """
    if not _fields_read(policy, _begins_nowhere):
        return {}
    found: dict[str, dict[str, None]] = {}
    for call in policy.types.calls.values():
        for _, field in _fields_by_class(call):
            if _begins_nowhere(field):
                found.setdefault(call.tool, {})[field.key or field.name] = None
    return {tool: tuple(names) for tool, names in found.items()}


_FILES = ("path", "command")
"""The kinds of which most texts name files."""


def _begins_nowhere(field: CallField) -> bool:
    return field.kind in _FILES and not field.options.get(FOLDER_OPTIONS[field.kind])


def _fields_read(policy: CallPolicy, among: Callable[[CallField], bool]) -> list[tuple[str, CallField]]:
    """The tools and fields of which a policy reads a part, as of ``call.command.programs``."""
    fields = [
        (call.tool, class_name, field)
        for call in policy.types.calls.values()
        for class_name, field in _fields_by_class(call)
        if among(field)
    ]
    read: set[tuple[str, str]] = set()
    if not fields:
        return []
    for part in (*policy.rules, *policy.clauses):
        for one in part.terms:
            for term in all_parts(one.term, policy.values):
                if isinstance(term, Attribute) and field_and_part(term.name)[1]:
                    owner = term.record.type.record
                    names = () if owner is None else owner.name.split(" | ")
                    read |= {(name, field_and_part(term.name)[0]) for name in names}
    return [(tool, field) for tool, class_name, field in fields if (class_name, field.name) in read]


def _fields_by_class(call: CallType) -> Iterator[tuple[str, CallField]]:
    """The fields of a call and of the objects in it, each with the class that has it."""
    waiting = [(call.name, field) for field in call.fields]
    while waiting:
        name, field = waiting.pop()
        yield name, field
        type_ = field.type.element or field.type
        inner = "" if type_.record is None else type_.record.name
        waiting += [(inner, one) for one in field.fields]
