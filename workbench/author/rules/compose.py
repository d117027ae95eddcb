"""Norms as a policy file in the dialect, with its contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

from workbench.author.argument_terms import (
    among,
    any_of,
    atoms,
    element_listing,
    elements,
    free_name,
    names,
    rendered,
    simplify,
    value_listing,
    variable,
)
from workbench.author.rules import author_doubts
from workbench.author.rules.conflicts import settle
from workbench.author.rules.contract import Plan, contract_lines, default_clause
from workbench.author.rules.fact_arguments import expanded
from workbench.author.rules.file_text import comment_text, identifier, signature, table_text, type_name
from workbench.author.rules.missing_values import with_missing_values
from workbench.author.rules.norms import Effect, Norm, exhausts, is_row
from workbench.author.rules.request_reading import RequestReading
from workbench.author.rules.tool_scope import about_calls_that_have_it
from workbench.model import Argument, ArgumentType, Kind, Requirement, Span
from workbench.policy.connectives import FALSE, TRUE, is_false, is_true
from workbench.policy.elements import singular
from workbench.policy.record_texts import record_text, records_of
from workbench.policy.render import format_policy, imports_for, literal
from workbench.policy.term_text import render_term
from workbench.policy.terms import (
    Member,
    Not,
    Quantified,
    Quantifier,
    SetVariable,
    Table,
    TableEntry,
    Term,
    Variable,
)
from workbench.policy.walk import rename_bound

_TABLE_NAMES = {
    "read": ("READABLE", "unreadable"),
    "view": ("READABLE", "unreadable"),
    "see": ("READABLE", "unreadable"),
    "access": ("ACCESSIBLE", "inaccessible"),
    "write": ("WRITABLE", "unwritable"),
    "edit": ("EDITABLE", "uneditable"),
}


@dataclass(frozen=True, slots=True)
class Composed:
    """A policy file with its requirements and arguments, and the permissions that its requirements state.

    ``implied`` is the default of the request if the other requirements leave nothing to it.
    """

    requirements: tuple[Requirement, ...]
    arguments: tuple[Argument, ...]
    policy: str
    permissions: dict[str, str]
    implied: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule of the policy file."""

    name: str
    requirements: tuple[str, ...]
    message: str
    arguments: tuple[str, ...]
    body: str


@dataclass(slots=True)
class _Table:
    """Rows of a role table that become one constant table and one rule."""

    role: str
    elements: str
    rows: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    requirements: list[str] = field(default_factory=list[str])


def compose(drafting: RequestReading) -> Composed:
    """The policy file of a reading: constants, rules, and ``allow`` with its contract."""
    arguments = drafting.lexicon.arguments
    norms = [norm for norm in drafting.norms if not is_false(norm.scope)]
    settled = settle(drafting, _merged_rows(norms, arguments))
    about = [about_calls_that_have_it(norm, drafting.lexicon, drafting.spec) for norm in settled]
    norms = [with_missing_values(drafting, norm) for norm in about]
    table = _table(norms)
    if table is not None and not _is_listed(table, arguments, drafting.tables):
        table = None
    requirements = list(drafting.requirements)
    if table is not None:
        norms += _unlisted_roles(table, arguments)
    plan = _with_records_and_lists(drafting, _plan(drafting, _with_free_names(norms, arguments)))
    if plan.default_id == "R0" or any(norm.requirement == "R0" for norm in plan.norms):
        requirements.insert(0, _default_requirement(drafting, plan))
    used_arguments = _used(plan, [name.split(".")[0] for name in drafting.mentioned])
    return Composed(
        tuple(requirements),
        used_arguments,
        _policy_text(drafting, plan, table, used_arguments),
        _permissions(list(plan.norms)),
        (plan.default_id,) if plan.default_id and not default_clause(plan) else (),
    )


def _with_records_and_lists(drafting: RequestReading, plan: Plan) -> Plan:
    """The plan with the facts in sentences replaced by terms over records and lists."""
    lexicon = drafting.lexicon
    if not lexicon.records_and_lists:
        return plan
    norms = tuple(
        replace(
            norm,
            scope=expanded(norm.scope, lexicon.fact_by_name),
            condition=expanded(norm.condition, lexicon.fact_by_name),
        )
        for norm in plan.norms
    )
    order = [argument.name for argument in drafting.spec.arguments]
    plain_arguments = [argument for argument in plan.arguments if argument.name not in lexicon.fact_by_name]
    ordered_arguments = sorted(
        (*plain_arguments, *lexicon.records_and_lists),
        key=lambda argument: order.index(argument.name) if argument.name in order else len(order),
    )
    return replace(plan, norms=norms, arguments=tuple(ordered_arguments))


def _with_free_names(norms: list[Norm], arguments: tuple[Argument, ...]) -> list[Norm]:
    """The norms with elements renamed that are named like an argument: “tag” of “tags”."""
    sets = [singular(argument.name) for argument in arguments if argument.type.kind is Kind.SET]
    new_name_by_element = {
        element: new_name for element in sets if (new_name := free_name(element, arguments)) != element
    }
    if not new_name_by_element:
        return norms
    return [
        replace(
            norm,
            scope=rename_bound(norm.scope, new_name_by_element),
            condition=rename_bound(norm.condition, new_name_by_element),
        )
        for norm in norms
    ]


def _permissions(norms: list[Norm]) -> dict[str, str]:
    """The permissions by requirement, from sentences with “may” and rows of tables."""
    term_by_requirement: dict[str, Term] = {}
    for norm in norms:
        if (norm.effect is Effect.PERMIT or is_row(norm)) and not is_false(norm.permits):
            before = term_by_requirement.get(norm.requirement, FALSE)
            term_by_requirement[norm.requirement] = any_of(before, norm.permits)
    return {requirement: rendered(condition) for requirement, condition in term_by_requirement.items()}


def _used(plan: Plan, open_: list[str]) -> tuple[Argument, ...]:
    """The arguments that the policy needs: an unused one would only make more calls undecidable.

    ``open_`` are the arguments of readings that are still undecided.
    """
    mentioned = {
        *names(*(norm.scope for norm in plan.norms), *(norm.condition for norm in plan.norms)),
        *open_,
    }
    used_arguments = tuple(argument for argument in plan.arguments if argument.name in mentioned)
    return used_arguments or tuple(
        argument for argument in plan.arguments if argument.type.kind not in (Kind.RECORD, Kind.LIST)
    )


def _merged_rows(norms: list[Norm], arguments: tuple[Argument, ...]) -> list[Norm]:
    """The norms, with several lists of what one role may read merged into one."""
    merged: dict[tuple[Effect, Term, str], int] = {}
    merged_norms: list[Norm] = []
    for norm in norms:
        listing = element_listing(norm.condition)
        if norm.effect is Effect.FORBID or listing is None or listing.negated:
            merged_norms.append(norm)
            continue
        place = merged.setdefault((norm.effect, norm.scope, listing.argument), len(merged_norms))
        if place == len(merged_norms):
            merged_norms.append(norm)
            continue
        before = element_listing(merged_norms[place].condition)
        values = dict.fromkeys((*(before.values if before is not None else ()), *listing.values))
        ids = f"{merged_norms[place].requirement}, {norm.requirement}"
        held = next(argument for argument in arguments if argument.name == listing.argument)
        merged_row = elements(held, listing.quantifier or Quantifier.ALL, *values)
        merged_norms[place] = replace(merged_norms[place], requirement=ids, condition=merged_row)
    return merged_norms


# --- default and role tables ---


def _table(norms: list[Norm]) -> _Table | None:
    """The role table among the norms: at least one role whose elements are listed."""
    table: _Table | None = None
    for norm in norms:
        if not is_row(norm):
            continue
        scope, listed = value_listing(norm.scope), element_listing(norm.condition)
        if scope is None or listed is None:
            continue
        table = table or _Table(scope.argument, listed.argument)
        if (scope.argument, listed.argument) == (table.role, table.elements):
            table.rows[scope.values[0]] = listed.values
            table.requirements += [
                id_ for id_ in norm.requirement.split(", ") if id_ not in table.requirements
            ]
    return table


def _is_listed(table: _Table, arguments: tuple[Argument, ...], listed: list[str]) -> bool:
    """Whether the rows come from a role table, or list every role anyway."""
    role = next(argument for argument in arguments if argument.name == table.role)
    return bool(set(table.requirements) & set(listed)) or set(table.rows) >= set(role.type.values)


def _unlisted_roles(table: _Table, arguments: tuple[Argument, ...]) -> list[Norm]:
    """The norm that roles without an entry in the role table may do nothing."""
    role = next(argument for argument in arguments if argument.name == table.role)
    unlisted_roles = tuple(value for value in role.type.values if value not in table.rows)
    if not unlisted_roles:
        return []
    text = f"A {table.role} for which nothing is listed may do nothing."
    return [Norm("R0", Effect.FORBID, among(role, *unlisted_roles), TRUE, text)]


def _plan(drafting: RequestReading, norms: list[Norm]) -> Plan:
    arguments = drafting.lexicon.arguments
    decided = [
        norm.scope
        for norm in norms
        if norm.effect is Effect.REQUIRE or (is_true(norm.condition) and not is_false(norm.denies))
    ]
    enums = [argument for argument in arguments if argument.type.kind is Kind.ENUM]
    complete = (
        any(exhausts(argument.type.values, decided, argument.name) for argument in enums) or TRUE in decided
    )
    if complete:
        return Plan(tuple(norms), arguments, False, drafting.default[1] if drafting.default else "", "")
    if drafting.default is not None:
        allow, id_ = drafting.default
        text = next(requirement.text for requirement in drafting.requirements if requirement.id == id_)
        return Plan(tuple(norms), arguments, not allow, id_, text)
    allow = drafting.doubt_answers.ask(author_doubts.default_decision()) == author_doubts.ALLOW
    text = "What no rule forbids is allowed." if allow else "What the request does not permit is denied."
    return Plan(tuple(norms), arguments, not allow, "R0", text)


def _default_requirement(drafting: RequestReading, plan: Plan) -> Requirement:
    text = plan.default_text or next(norm.message for norm in plan.norms if norm.requirement == "R0")
    assumptions = ("default-decision",) if "default-decision" in drafting.doubt_answers.choices else ()
    return Requirement("R0", text, "", Span(0, 0), assumptions)


# --- text ---


def _policy_text(
    drafting: RequestReading, plan: Plan, table: _Table | None, used_arguments: tuple[Argument, ...]
) -> str:
    constant, rules = _rules(drafting, plan, table)
    contract = contract_lines(plan)
    body = _body(plan, contract, rules, used_arguments)
    implies = any("Implies(" in line for line in contract)
    enums = [
        f"{type_name(argument)} = Literal[{', '.join(literal(value) for value in argument.type.values)}]"
        for argument in used_arguments
        if argument.type.kind is Kind.ENUM
    ]
    title = comment_text(drafting.title or drafting.spec.description or drafting.spec.name, 90)
    lines = [*enums, *([""] if enums else []), *constant, *([""] if constant else [])]
    records = [
        record_text(record_type) for record_type in records_of(argument.type for argument in used_arguments)
    ]
    functions = ["\n".join(_function(rule, used_arguments)) for rule in rules]
    if drafting.lexicon.records_and_lists:
        whole = "\n\n".join(["\n".join(lines), *records, *functions, "\n".join(body := list(body))])
        imported = [imports_for(whole)]
    else:
        durations = any("timedelta(" in rule.body for rule in rules)
        imported = list(_imports(used_arguments, implies, durations))
    head = "\n".join([f'"""{title.rstrip(".")}."""', "", *imported, "", *lines])
    parts = [head, *records, *functions]
    return "\n\n\n".join([*map(_formatted, parts), _formatted_body(list(body))]) + "\n"


@lru_cache(maxsize=2048)
def _formatted(part: str) -> str:
    """A definition in the format of the dialect; cached, since most recur in drafts."""
    return format_policy(f"{part}\n").strip("\n")


def _formatted_body(body: list[str]) -> str:
    """The deciding function, formatted line by line of its contract: its header, clauses, and return."""
    head, *clauses, returned = body
    around = _formatted(f"{head}\n{returned}").split("\n")
    place = next(at for at, line in enumerate(around) if line.startswith("    return"))
    pairs = ["\n".join(clauses[at : at + 2]) for at in range(0, len(clauses), 2)]
    lines = [_formatted(f"def f() -> bool:\n{pair}").split("\n", 1)[1] for pair in pairs]
    return "\n".join((*around[:place], *lines, *around[place:]))


def _imports(used_arguments: tuple[Argument, ...], implies: bool, durations: bool) -> Iterator[str]:
    kinds = {argument.type.kind for argument in used_arguments}
    times = [kind.value for kind in (Kind.DATE, Kind.DATETIME, Kind.TIME) if kind in kinds]
    times += ["timedelta"] if durations else []
    if times:
        yield f"from datetime import {', '.join(times)}"
    if Kind.DECIMAL in kinds:
        yield "from decimal import Decimal"
    if Kind.ENUM in kinds:
        yield "from typing import Literal"
    if times or Kind.DECIMAL in kinds or Kind.ENUM in kinds:
        yield ""
    yield f"from nagini_contracts.contracts import Ensures, {'Implies, ' if implies else ''}Result"


def _rules(drafting: RequestReading, plan: Plan, table: _Table | None) -> tuple[list[str], list[RuleText]]:
    """The constants and rules of the file; names are unique."""
    constant: list[str] = []
    rules: list[RuleText] = []
    taken_names: set[str] = set()

    def name(*parts: str) -> str:
        base, count = identifier(*parts), 2
        candidate = base
        while candidate in taken_names:
            candidate, count = f"{base}_{count}", count + 1
        taken_names.add(candidate)
        return candidate

    if table is not None:
        constant, rule = _table_rule(drafting, plan, table)
        rules.append(rule)
        taken_names.add(rule.name)
    for norm in plan.norms:
        if is_false(norm.denies) or (table is not None and is_row(norm)):
            continue
        body = simplify(norm.denies)
        parts = _name_parts(norm)
        rules.append(
            RuleText(
                name("forbid", *parts),
                tuple(norm.requirement.split(", ")),
                norm.message,
                names(body),
                rendered(body),
            )
        )
    return constant, [*rules, *(_permit_rules(plan, name) if plan.closed else ())]


def _permit_rules(plan: Plan, name: Callable[..., str]) -> Iterator[RuleText]:
    required = [norm for norm in plan.norms if norm.effect is Effect.REQUIRE]
    if required:
        body = simplify(any_of(*(norm.scope for norm in required)))
        ids = tuple(dict.fromkeys(id_ for norm in required for id_ in norm.requirement.split(", ")))
        message = "Permitted where what is required is given."
        yield RuleText(name("permit", "where_required_is_given"), ids, message, names(body), rendered(body))
    permits = [norm for norm in plan.norms if norm.effect is Effect.PERMIT]
    for norm in permits:
        body = simplify(norm.permits)
        ids = tuple(norm.requirement.split(", "))
        yield RuleText(name("permit", *_name_parts(norm)), ids, norm.message, names(body), rendered(body))
    if not required and not permits:
        yield RuleText("permit_nothing", (plan.default_id,), plan.default_text, (), "False")


def _name_parts(norm: Norm) -> list[str]:
    listings = [value_listing(atom) for atom in atoms(norm.scope)]
    values = [value for listing in listings if listing is not None for value in listing.values[:2]]
    argument_names = list(names(norm.condition))
    if not values and not argument_names:
        return ["everything"]
    return [*values, *(["by"] if values and argument_names else []), *argument_names]


def _table_rule(drafting: RequestReading, plan: Plan, table: _Table) -> tuple[list[str], RuleText]:
    constant, adjective = _TABLE_NAMES.get(drafting.verb, ("LISTED", "unlisted"))
    element = Variable(free_name(singular(table.elements), plan.arguments), ArgumentType(Kind.STR))
    role = next(argument for argument in plan.arguments if argument.name == table.role)
    every = {value: table.rows[value] for value in role.type.values if value in table.rows}
    unlisted = Not(Member(element, TableEntry(constant, variable(role))))
    condition = Quantified(Quantifier.ANY, element, SetVariable(table.elements), unlisted)
    constants = {constant: Table(constant, {value: frozenset(row) for value, row in every.items()}, 0)}
    message = f"A {table.role} may {drafting.verb or 'use'} only the {table.elements} listed for it."
    rule = RuleText(
        identifier("forbid", adjective, element.name),
        tuple(table.requirements),
        message,
        (table.role, table.elements),
        render_term(condition, tables=constants),
    )
    return [table_text(constant, every)], rule


def _function(rule: RuleText, used_arguments: tuple[Argument, ...]) -> Iterator[str]:
    parameters = tuple(argument for argument in used_arguments if argument.name in rule.arguments)
    yield f"def {rule.name}({signature(parameters)}) -> bool:"
    yield f'    """{", ".join(rule.requirements)}: {comment_text(rule.message)}"""'
    yield f"    return {rule.body}"


def _body(
    plan: Plan, contract: list[str], rules: list[RuleText], used_arguments: tuple[Argument, ...]
) -> Iterator[str]:
    yield f"def allow({signature(used_arguments)}) -> bool:"
    yield from contract
    forbids = [_call(rule, used_arguments) for rule in rules if rule.name.startswith("forbid_")]
    permits = [_call(rule, used_arguments) for rule in rules if rule.name.startswith("permit_")]
    if not rules:
        yield f"    return {not plan.closed}"
        return
    parts = [f"not ({' or '.join(forbids)})"] if forbids else []
    if permits:
        parts.append(f"({' or '.join(permits)})" if forbids or len(permits) > 1 else permits[0])
    yield f"    return {' and '.join(parts)}"


def _call(rule: RuleText, used: tuple[Argument, ...]) -> str:
    return f"{rule.name}({', '.join(argument.name for argument in used if argument.name in rule.arguments)})"
