"""What a policy of calls comes to for the engines: its terms over plain arguments, and these arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache, partial

from workbench.dialect.call_fields import CallField, CallType, field_and_part
from workbench.dialect.call_types import AgentTypes, agent_types
from workbench.dialect.check import check_calls
from workbench.dialect.checked import CallPolicy, CallRule
from workbench.dialect.declared_terms import DeclaredTerms
from workbench.dialect.lowering import Lowered, LoweredRule, lower
from workbench.dialect.run_values import all_parts
from workbench.dialect.written_agent import WrittenAgent
from workbench.model import AgentSpec, Argument, Kind, Problem, WorkbenchError
from workbench.policy.names import free_name
from workbench.policy.problems import PolicyError
from workbench.policy.result_cache import Recent
from workbench.policy.rule_names import PERMIT
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
    Rule,
    Table,
    Term,
    Variable,
)
from workbench.policy.written import TextTest, TimeRead, WrittenFile, WrittenPart
from workbench.runs.kinds.kinds_by_name import FOLDER_OPTIONS, UNDECLARED_DIALECT, UNDECLARED_SHELL


@dataclass(frozen=True, slots=True)
class LoweredPolicy:
    """A policy of calls that was checked: the same policy over plain arguments, as terms."""

    lowered: Lowered
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

    ``path`` only names the file in problems. Raises ``PolicyError`` with every problem found. Only what
    passed the checker of the dialect is lowered, and only such terms are ever executed.
    """
    result = _lowered(source, WrittenAgent(spec))
    if isinstance(result, PolicyError):
        raise PolicyError([replace(problem, path=path) for problem in result.problems])
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
    terms = _terms(lowered)
    return LoweredPolicy(lowered, replace(terms, written=_written(terms, lowered)))


def _terms(lowered: Lowered) -> PolicyTerms:
    policy = lowered.policy
    declared = DeclaredTerms(lowered.arguments, policy.places)
    rules = [_rule(one, declared) for one in lowered.rules]
    permits = [rule for rule in rules if not rule.forbids]
    if permits and policy.default_allow and (tools := _permitted(policy)):
        name = free_name(_OTHER_TOOLS, {rule.name for rule in rules})
        permits.append(_other_tools(name, tools, declared.arguments[0]))
    clauses = {
        is_precondition: tuple(_clauses(lowered, declared, is_precondition=is_precondition))
        for is_precondition in (True, False)
    }
    axioms = (declared.term(axiom) for axiom in lowered.axioms)
    return PolicyTerms(
        arguments=declared.arguments,
        sets=policy.sets,
        tables=policy.tables,
        rules=(*(rule for rule in rules if rule.forbids), *permits),
        default_allow=policy.default_allow and not permits,
        preconditions=clauses[True],
        clauses=clauses[False],
        places=policy.places,
        records={record.name: declared.record(record) for record in lowered.records},
        constants=policy.constants,
        axioms=tuple(
            Clause(f"A{number}", term, (), "Values over one run.", render_term(term, policy.tables), 0, 0)
            for number, term in enumerate(axioms, 1)
        ),
    )


def _rule(one: LoweredRule, declared: DeclaredTerms) -> Rule:
    rule = one.rule
    body, parameters = declared.with_parameters(one.term, rule.line)
    return Rule(
        rule.name,
        parameters,
        body,
        rule.message,
        rule.requirements,
        rule.line,
        rule.end_line,
    )


def _clauses(lowered: Lowered, declared: DeclaredTerms, *, is_precondition: bool) -> Iterator[Clause]:
    """The pre- or the postconditions, with their ids."""
    letter = "P" if is_precondition else "C"
    of_kind = (one for one in lowered.clauses if one.clause.precondition is is_precondition)
    for number, one in enumerate(of_kind, 1):
        clause, term = one.clause, declared.term(one.term, one.clause.line)
        yield Clause(
            f"{letter}{number}",
            term,
            clause.requirements,
            clause.comment,
            _text(term, lowered.policy.tables),
            clause.line,
            clause.end_line,
        )


_texts: Recent[int, tuple[Term, str]] = Recent(4096)
"""The texts of clauses without tables, by the identities of their terms, which stay."""


def _text(term: Term, tables: Mapping[str, Table]) -> str:
    """The text of a clause; one that an edit leaves as it is is written once."""
    if tables:
        return render_term(term, tables)
    known = _texts.get(id(term))
    if known is None:
        known = term, render_term(term)
        _texts.put(id(term), known)
    return known[1]


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
    read = cache(partial(_parts_read, policy))
    return WrittenFile(
        policy.source,
        parts,
        lowered.arguments,
        partial(_text_tests, policy),
        partial(_times, policy),
        undeclared_shells(policy, read),
        undeclared_folders(policy, read),
        undeclared_homes(policy, read),
        _undeclared_remotes(policy, read),
        _undeclared_dialects(policy, read),
        _undeclared_disks(policy, read),
        _outcomes(policy, read),
        {theorem.name: theorem.sentence for theorem in policy.theorems},
        policy.default_allow,
    )


def _text_tests(policy: CallPolicy) -> tuple[TextTest, ...]:
    from workbench.dialect.text_tests import text_tests

    return text_tests(policy)


def _times(policy: CallPolicy) -> tuple[TimeRead, ...]:
    from workbench.dialect.times_read import times_read

    return times_read(policy)


def _tools(rule: CallRule) -> tuple[str, ...]:
    """The tools whose calls a rule is about; none if it is about all."""
    return tuple(one.tool for one in rule.terms if one.tool)


_OTHER_TOOLS = "permit_other_tools"
"""The rule that permits the calls of tools that no other rule permits, where the default is to allow."""


def _permitted(policy: CallPolicy) -> tuple[str, ...]:
    """The tools whose calls only a rule permits; none if one rule is about the calls of all tools."""
    permitted = [one.tool for rule in policy.rules if rule.name.startswith(PERMIT) for one in rule.terms]
    return () if "" in permitted else tuple(dict.fromkeys(permitted))


def _other_tools(name: str, permitted: tuple[str, ...], tool: Parameter) -> Rule:
    variable = Variable(tool.name, tool.type)
    term: Term = Compare(Comparison.NE, variable, Constant(permitted[0]))
    if len(permitted) > 1:
        term = Not(Member(variable, ConstantSet(tuple(sorted(permitted)))))
    return Rule(name, (tool,), term, "Calls of all other tools are allowed by default.", (), 0, 0)


def undeclared_shells(policy: CallPolicy, read: _Read) -> tuple[str, ...]:
    """The tools of whose commands a policy reads parts, and which do not say which shell reads these."""
    found = _fields_read(policy, read, lambda field: field.options.get("shell") == UNDECLARED_SHELL)
    return tuple(dict.fromkeys(tool for tool, _ in found))


def undeclared_folders(policy: CallPolicy, read: _Read) -> Mapping[str, Mapping[str, str]]:
    """The kinds of the parameters with paths or commands of tools that do not say where relative ones begin.

    There are none where the policy reads no path of any of them: what a command starts has no folder.
    """
    fields = [
        (name, field)
        for call in policy.types.calls.values()
        for name, field in _fields_by_class(call)
        if _begins_nowhere(field)
    ]
    if not any(_reads_path(name, field, read()) for name, field in fields):
        return {}
    return without_folder(policy.types)


def without_folder(types: AgentTypes) -> Mapping[str, Mapping[str, str]]:
    """The kinds of parameters with paths that begin in no known folder, or commands in none, by tool."""
    found: dict[str, dict[str, str]] = {}
    for call in types.calls.values():
        for _, field in _fields_by_class(call):
            if _begins_nowhere(field):
                found.setdefault(call.tool, {})[field.key or field.name] = field.kind
    return found


def undeclared_homes(policy: CallPolicy, read: _Read) -> Mapping[str, Mapping[str, str]]:
    """The kinds of the parameters of which a policy reads parts, by tool, that do not say what ``~`` is."""
    found: dict[str, dict[str, str]] = {}
    own = {id(field) for call in policy.types.calls.values() for field in call.fields}
    for tool, field in _fields_read(
        policy, read, lambda one: one.kind in _FILES and not one.options.get("home")
    ):
        if id(field) in own:
            is_list = field.type.kind in (Kind.LIST, Kind.SET)
            found.setdefault(tool, {})[f"{field.key}[]" if is_list else field.key] = field.kind
    return found


def _undeclared_remotes(policy: CallPolicy, read: _Read) -> tuple[str, ...]:
    """The tools with a folder of which a policy reads the hosts of commands, and no remote is declared."""
    commands = [
        (call.tool, name, f"{field.name}.hosts")
        for call in policy.types.calls.values()
        if call.cwd
        for name, field in _fields_by_class(call)
        if field.kind == "command" and not field.options.get("remotes")
    ]
    if not commands or ".hosts" not in policy.source:
        return ()
    return tuple(dict.fromkeys(tool for tool, name, part in commands if (name, part) in read()))


def _undeclared_dialects(policy: CallPolicy, read: _Read) -> Mapping[str, tuple[str, ...]]:
    """The parameters with SQL of which a policy reads parts, by tool, that do not say of which database."""
    found: dict[str, dict[str, None]] = {}
    for tool, field in _fields_read(
        policy, read, lambda one: one.options.get("dialect") == UNDECLARED_DIALECT
    ):
        found.setdefault(tool, {})[field.key or field.name] = None
    return {tool: tuple(names) for tool, names in found.items()}


def _undeclared_disks(policy: CallPolicy, read: _Read) -> tuple[str, ...]:
    """The tools of whose paths or commands a policy reads parts, and which do not say on which disk."""
    open_ = {call.tool for call in policy.types.calls.values() if not call.file_system}
    found = _fields_read(policy, read, lambda field: field.kind in _FILES)
    return tuple(dict.fromkeys(tool for tool, _ in found if tool in open_))


def _outcomes(policy: CallPolicy, read: _Read) -> tuple[str, ...]:
    """The tools of which a policy asks whether earlier calls succeeded."""
    if not any(name in policy.source for name in _OUTCOME):
        return ()
    calls = policy.types.calls
    return tuple(calls[name].tool for name, field in sorted(read()) if name in calls and field in _OUTCOME)


_OUTCOME = ("succeeded", "failed")
_FILES = ("path", "command")
"""The kinds of which most texts name files."""


_OF_PATHS = ("paths", "reads", "runs", "trees", "writes")
"""The parts of a command that are paths."""


def _reads_path(name: str, field: CallField, read: frozenset[tuple[str, str]]) -> bool:
    """Whether a policy reads a path of a field of a class, or a part of one."""
    if field.kind != "command":
        return (name, field.name) in read
    return any((name, f"{field.name}.{part}") in read for part in _OF_PATHS)


def _begins_nowhere(field: CallField) -> bool:
    return field.kind in _FILES and not field.options.get(FOLDER_OPTIONS[field.kind])


def _fields_read(
    policy: CallPolicy, read: _Read, among: Callable[[CallField], bool]
) -> list[tuple[str, CallField]]:
    """The tools and fields of which a policy reads a part, as of ``call.command.programs``."""
    fields = [
        (call.tool, class_name, field)
        for call in policy.types.calls.values()
        for class_name, field in _fields_by_class(call)
        if among(field)
    ]
    if not fields:
        return []
    return [(tool, field) for tool, class_name, field in fields if (class_name, field.name) in read()]


type _Read = Callable[[], frozenset[tuple[str, str]]]


def _parts_read(policy: CallPolicy) -> frozenset[tuple[str, str]]:
    """The classes with the fields of which a policy reads a part, with these parts, and with outcomes."""
    read: set[tuple[str, str]] = set()
    for part in (*policy.rules, *policy.clauses):
        for one in part.terms:
            for term in all_parts(one.term, policy.values):
                if isinstance(term, Attribute) and (field_and_part(term.name)[1] or term.name in _OUTCOME):
                    owner = term.record.type.record
                    names = () if owner is None else owner.name.split(" | ")
                    read |= {(name, of) for name in names for of in (field_and_part(term.name)[0], term.name)}
    return frozenset(read)


def _fields_by_class(call: CallType) -> Iterator[tuple[str, CallField]]:
    """The fields of a call and of the objects in it, each with the class that has it."""
    waiting = [(call.name, field) for field in call.fields]
    while waiting:
        name, field = waiting.pop()
        yield name, field
        type_ = field.type.element or field.type
        inner = "" if type_.record is None else type_.record.name
        waiting += [(inner, one) for one in field.fields]
