"""What a policy of calls comes to for the engines: its text over plain arguments, and these arguments.

The text of a lowered policy: a policy file over plain arguments, which the dialect's checker reads.

Tests of raw text on what is a path, a command, an address or another kind of value, and the typed form.

A prefix of a path or the end of an address says less than it seems to: ``/repo/../etc`` begins with
``/repo``, and ``x@evil.example, a@corp.example`` ends with ``@corp.example``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from workbench.dialect.call_fields import CallField, CallType, field_and_part, kind_of_field, part_name
from workbench.dialect.call_types import agent_types
from workbench.dialect.check import check_calls
from workbench.dialect.checked import CallPolicy, CallRule
from workbench.dialect.lowering import TOOL_CLASS, Lowered, lower, unused
from workbench.dialect.run_terms import all_parts
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
    StringTest,
    StringTestKind,
    Term,
    Variable,
)
from workbench.policy.walk import path_of
from workbench.policy.written import TextTest, WrittenFile, WrittenPart
from workbench.runs.kinds.command import UNDECLARED
from workbench.runs.kinds.kinds_by_name import FOLDER_OPTIONS, KINDS
from workbench.runs.kinds.value_kind import OWN_TEXT
from workbench.runs.values.name_words import NAMED_ALONE


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
        text_tests(policy),
        undeclared_shells(policy),
        undeclared_folders(policy),
        {theorem.name: theorem.sentence for theorem in policy.theorems},
        policy.default_allow,
    )


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


_BY_NAME = ("url", "mail_address", "path", "command", "sql")
"""The kinds that the name of a text suggests, although nothing declares it."""
_WORD = re.compile(r"[A-Z]?[a-z]+")
_WEB = re.compile(r"(?:(?P<scheme>[a-z]+)://)?(?P<host>[^/:]*)(?P<path>/[^?#]*)?", re.IGNORECASE)
_WHOLE = {"path": "absolute", "mail_address": "address", "amount": "value", "url": "host", "moment": "at"}
"""The part by which two values of a kind are compared as wholes."""
_FOLDED_PARTS: Mapping[tuple[str, str], str] = {
    ("path", "absolute"): "inside",
    ("path", "folder"): "inside",
    ("url", "path"): "inside",
    ("url", "host"): "domains",
    ("mail_address", "address"): "domain",
    ("mail_address", "domain"): "domains",
}
"""The parts of kinds whose beginnings and ends are not what they seem, with the part that says it."""


def text_tests(policy: CallPolicy) -> tuple[TextTest, ...]:
    """The tests of raw text of the rules and clauses of a policy, in their order; each once."""
    found: dict[tuple[str, str], TextTest] = {}
    for part in (*policy.rules, *policy.clauses):
        name = getattr(part, "name", "") or getattr(part, "function", "")
        for one in part.terms:
            for term in all_parts(one.term, policy.values):
                for text, typed in _tests(term):
                    found.setdefault((name, text), TextTest(name, part.requirements, part.line, text, typed))
    return tuple(found.values())


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


def _tests(term: Term) -> Iterator[tuple[str, str]]:
    """The text of each raw test of a term, with what to write in its place."""
    match term:
        case StringTest(kind, Attribute(), constant) if _is_spelling(kind, constant):
            return
        case StringTest(kind, Attribute() as place, constant):
            value_kind, part = _kind_of(place)
            if part in ("", OWN_TEXT) and value_kind:
                yield render_term(term), _instead(_owner(place), value_kind, kind, constant, _declared(place))
            elif (value_kind, part) in _FOLDED_PARTS:
                other = f"{_owner(place)}.{_FOLDED_PARTS[value_kind, part]}"
                typed = (
                    _of_path(_owner(place), kind, constant)
                    if value_kind == "path"
                    else _of_part(other, constant)
                )
                yield render_term(term), typed
        case Compare(Comparison.EQ | Comparison.NE as operator, left, right):
            for place, other in ((left, right), (right, left)):
                if isinstance(place, Attribute) and not _is_none(other) and _is_whole(place):
                    value_kind, _ = _kind_of(place)
                    yield render_term(term), _compared(_owner(place), value_kind, operator, other)
                    break
        case Member(Attribute() as place, ConstantSet()) if _is_whole(place):
            value_kind, _ = _kind_of(place)
            yield render_term(term), f"{_owner(place)}.{_WHOLE[value_kind]} in {{...}}"
        case _:
            return


def _is_spelling(kind: StringTestKind, constant: str) -> bool:
    """Whether a test is about the spelling itself: about signs, which name nothing."""
    is_root = kind is StringTestKind.PREFIX and constant == "/"
    return not is_root and not any(character.isalnum() for character in constant)


def _is_none(term: Term) -> bool:
    return isinstance(term, Constant) and term.value is None


def _is_whole(place: Attribute) -> bool:
    """Whether a declared text of a kind is compared, where two spellings of one thing differ."""
    value_kind, part = _kind_of(place)
    return value_kind in _WHOLE and part in ("", OWN_TEXT) and _declared(place)


def _holder(place: Attribute) -> RecordType:
    return place.record.type.record or RecordType("", ())


def _declared(place: Attribute) -> bool:
    """Whether the text is declared to be of a kind."""
    name, part = field_and_part(place.name)
    return bool(part) or _holder(place).field(part_name(name, OWN_TEXT)) is not None or name == OWN_TEXT


def _kind_of(place: Attribute) -> tuple[str, str]:
    """The kind of a text, or of the text that it is a part of, and the part; empty if it has none."""
    name, part = field_and_part(place.name)
    holder = _holder(place)
    if kind := kind_of_field(holder, name):
        return kind, part
    for element, type_name, parts in _elements():
        if holder.name == type_name and parts == frozenset(other for other, _ in holder.fields):
            return element, name
    if place.type.kind is not Kind.STR:
        return "", part
    words = {word.lower() for word in _WORD.findall(name)}
    return next((kind for kind in _BY_NAME if words & NAMED_ALONE[kind]), ""), part


@cache
def _elements() -> tuple[tuple[str, str, frozenset[str]], ...]:
    """Each kind with the name of its class and the parts of its texts."""
    return tuple(
        (kind.name, kind.type.name, frozenset(name for name, _ in kind.type_in_calls.fields))
        for kind in KINDS.values()
    )


def _owner(place: Attribute) -> str:
    """The text of the value that is of a kind: without its part."""
    text = path_of(place)
    name, part = field_and_part(place.name)
    holder = _holder(place)
    if part:
        return text.removesuffix(f".{part}")
    is_element = any(holder.name == kind.type.name for kind in KINDS.values()) and holder.field(OWN_TEXT)
    return text.removesuffix(f".{name}") if is_element else text


def _of_part(part: str, constant: str) -> str:
    """The test of a set of parts, or of the domain of an address."""
    if part.endswith(".domain"):
        return f'{part} == "{_escaped(constant.rpartition("@")[2].lower())}"'
    plain = constant.strip(".@") if part.endswith(".domains") else constant.rstrip("/*") or "/"
    return f'"{_escaped(plain)}" in {part}'


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _instead(owner: str, kind: str, test: StringTestKind, constant: str, declared: bool) -> str:
    """What to write in the place of a test of a text that is of a kind; in brackets if it has two parts."""
    typed = _TYPED[kind](owner, test, constant) if kind in _TYPED else f"a part of {owner}"
    return typed if declared else f'{typed}, after type = "{kind}" in agent.toml'


def _of_path(owner: str, test: StringTestKind, constant: str) -> str:
    folder = constant.rstrip("/*") or "/"
    if test is StringTestKind.PREFIX and constant.startswith("/"):
        return f'"{_escaped(folder)}" in {owner}.inside'
    if test is StringTestKind.SUFFIX and re.fullmatch(r"\.\w+", constant):
        return f'({owner}.suffix == "{constant.lower()}" or {owner}.name == "{constant}")'
    plain = constant.strip("/*")
    if "/" not in plain:
        return f'"{_escaped(plain)}" in {owner}.names'
    is_whole = constant.startswith("/")
    return f'"/{_escaped(plain)}" in {owner}.inside' if is_whole else f"a whole folder in {owner}.inside"


def _of_url(owner: str, test: StringTestKind, constant: str) -> str:
    named = _WEB.match(constant)
    host = "" if named is None else named["host"].rpartition("@")[2].lower().strip(".")
    path = ("" if named is None else named["path"] or "").rstrip("/")
    if test is StringTestKind.PREFIX and named is not None and named["scheme"] and host:
        is_host = f'{owner}.host == "{_escaped(host)}"'
        return f'({is_host} and "{_escaped(path)}" in {owner}.inside)' if path else is_host
    if test is StringTestKind.PREFIX and constant.rstrip(":/").isalpha():
        return f'{owner}.scheme == "{constant.rstrip(":/").lower()}"'
    if host and "." in host:
        return f'"{_escaped(host)}" in {owner}.domains'
    return f'"{_escaped("/" + constant.strip("/"))}" in {owner}.inside'


def _of_mail(owner: str, test: StringTestKind, constant: str) -> str:
    local, at, domain = constant.rpartition("@")
    if test is StringTestKind.PREFIX:
        return f'{owner}.local == "{_escaped(local or domain)}"'
    domain = domain.strip(".").lower()
    exact = at or test is StringTestKind.CONTAINS
    return f'{owner}.domain == "{_escaped(domain)}"' if exact else f'"{_escaped(domain)}" in {owner}.domains'


def _of_command(owner: str, test: StringTestKind, constant: str) -> str:
    words = constant.split()
    if test is StringTestKind.CONTAINS and constant.strip().startswith(("/", "~")):
        return f'any("{_escaped(constant.strip().rstrip("/"))}" in p.inside for p in {owner}.paths)'
    if len(words) > 1 and words[1].startswith("-"):
        return f'"{_escaped(" ".join(words[:2]))}" in {owner}.flags'
    if len(words) > 1:
        return f'"{_escaped(" ".join(words[:2]))}" in {owner}.calls'
    if constant.strip().startswith("-"):
        return f'any("{_escaped(" ".join(words))}" in p.options for p in {owner}.started)'
    return f'"{_escaped(" ".join(words))}" in {owner}.programs'


def _of_sql(owner: str, test: StringTestKind, constant: str) -> str:
    word = (constant.split() or [""])[0].lower()
    if test is StringTestKind.PREFIX:
        return f'{owner}.kinds <= {{"{_escaped(word)}"}}'
    if word in ("select", "insert", "update", "delete", "drop"):
        return f'"{_escaped(word)}" in {owner}.kinds'
    return f'"{_escaped(constant.strip())}" in {owner}.reads'


def _of_amount(owner: str, _test: StringTestKind, _constant: str) -> str:
    return f"{owner}.currency and {owner}.value"


_TYPED: Mapping[str, Callable[[str, StringTestKind, str], str]] = {
    "path": _of_path,
    "url": _of_url,
    "mail_address": _of_mail,
    "command": _of_command,
    "sql": _of_sql,
    "amount": _of_amount,
}


def _compared(owner: str, kind: str, operator: Comparison, other: Term) -> str:
    """The comparison of a whole value of a kind, by the part in which two spellings of it are equal."""
    whole = f"{owner}.{_WHOLE[kind]} {operator}"
    if isinstance(other, Attribute) and _kind_of(other)[0] == kind:
        return f"{whole} {_owner(other)}.{_WHOLE[kind]}"
    constant = other.value if isinstance(other, Constant) else None
    if not isinstance(constant, str) or kind == "amount":
        return f"{whole} ..."
    if kind == "url":
        equal = _of_url(owner, StringTestKind.PREFIX, constant)
        differs = f"not {equal}" if equal.startswith("(") else f"not ({equal})"
        return equal if operator is Comparison.EQ else differs
    text = constant.lower() if kind == "mail_address" else constant
    return f'{whole} "{_escaped(text)}"'
