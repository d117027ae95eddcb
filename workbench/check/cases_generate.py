"""Cases from a policy: both sides of each rule, each boundary, each row of a table, each assumption.

The expected decision is that of the given terms, so cases are made from the *draft*: an edit of the policy
file can then fail them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal

from workbench.check.argument_facts import facts_of
from workbench.check.candidate_values import foreign_text
from workbench.check.cases_inputs import Inputs, Witness
from workbench.check.cases_rules import RuleCases
from workbench.model import (
    Arguments,
    ArgumentType,
    Assumption,
    Case,
    Kind,
    RecordValue,
    Requirement,
    Value,
    Verdict,
)
from workbench.policy.decisive_part import lacking, settled, what_fires
from workbench.policy.flat.traverse import free_names
from workbench.policy.render import render_term
from workbench.policy.terms import (
    And,
    Not,
    PolicyTerms,
    Rule,
    Term,
)
from workbench.policy.written import ArgumentWords

TOOL = "tool"
LIMIT = 200
_TRIED_OF_A_RULE = 20
_LONGEST_ID = 60


def solver_witness(terms: PolicyTerms, term: Term) -> Arguments | None:
    """An input on which a term holds, from the preview solver; raises WorkbenchError if it cannot decide."""
    from workbench.engines.smt.preview import witness

    return witness(terms, term)


def generate_cases(
    terms: PolicyTerms,
    requirements: Iterable[Requirement] = (),
    *,
    assumptions: Iterable[Assumption] = (),
    witness: Witness | None = solver_witness,
    limit: int = LIMIT,
    only: Container[str] | None = None,
) -> tuple[Case, ...]:
    """Test inputs for a policy with the decisions that it makes on them.

    Ids are made of the names of rules, arguments and constants, so they stay the same while these do.
    ``witness`` finds inputs if a search among the policy's constants fails; None leaves those cases out.
    ``only`` names rules and limits the cases to them. At most ``limit`` cases are returned, each once; if the
    limit cuts, it takes cases of all rules in turn.
    """
    inputs = Inputs(terms, witness)
    base = _quiet(inputs)
    if base is None:
        return ()
    rules = [rule for rule in terms.rules if only is None or rule.name in only]
    whole = [[*RuleCases(inputs, rule, base).cases()] for rule in rules]
    words = terms.file.words
    groups = [
        [_decisive(case, terms, rule) for case in group] for rule, group in zip(rules, whole, strict=True)
    ]
    general = _distinct(_general(inputs, base), _odd(inputs, _inputs_by_argument(base, rules, whole)))
    general = [_decisive(case, terms) for case in general] if only is None else []
    merged = _distinct(general, _in_turns(groups, max(limit - len(general), 0)))
    ordered = _by_rule(merged[len(general) :], groups) + merged[: len(general)]
    noted = _note_assumptions(ordered, tuple(assumptions), tuple(requirements), inputs)
    return _worded(noted[:limit], words)


def _decisive(case: Case, terms: PolicyTerms, rule: Rule | None = None) -> Case:
    """A case of a policy of calls without the arguments on which neither its decision nor its rule rests."""
    words = terms.file.words
    if not words:
        return case
    arguments = words.of_tool(case.arguments)
    if case.expected is Verdict.CANNOT_EVALUATE:
        return replace(case, arguments=arguments)
    needed = what_fires([terms], case.arguments)
    kept = {name: value for name, value in arguments.items() if name in needed or name == TOOL}
    if rule is not None and settled(terms, rule.body, kept) is None:
        kept |= {name: value for name, value in arguments.items() if name in free_names(rule.body)}
    # To fire the same rules may not settle whether the call is denied or a person is asked.
    return replace(case, arguments=arguments if lacking(terms, kept) else kept)


def _worded(cases: Sequence[Case], words: ArgumentWords) -> tuple[Case, ...]:
    """The cases with ids and reasons in the words of the file, where arguments stand for its expressions."""
    if not words:
        return tuple(cases)
    worded: list[Case] = []
    ids: set[str] = set()
    for case in cases:
        said = words.said(case.id)
        name = case.id if said == case.id else _id_of(said)
        number, unused = 2, name
        while unused in ids:
            unused, number = f"{name}-{number}", number + 1
        ids.add(unused)
        worded.append(replace(case, id=unused, reason=words.said(case.reason)))
    return tuple(worded)


def _id_of(text: str) -> str:
    """An id of the words of a text, as far as they fit."""
    words = re.findall(r"[a-z0-9]+", text.lower())
    while len(words) > 1 and len("-".join(words)) > _LONGEST_ID:
        words.pop()
    return "-".join(words)


def _quiet(inputs: Inputs) -> Arguments | None:
    """An input on which no forbidding rule fires; it is allowed if the policy allows anything."""
    first = {name: values[0] for name, values in inputs.candidates.items()}

    def calm(arguments: Arguments) -> bool:
        return not any(inputs.holds(rule.body, arguments) for rule in inputs.terms.rules if rule.forbids)

    def allowed(arguments: Arguments) -> bool:
        return inputs.verdict(arguments) is Verdict.ALLOW

    return (
        inputs.search(first, inputs.names, lambda arguments: allowed(arguments))
        or inputs.search(
            first, inputs.names, lambda arguments: inputs.possible(arguments) and calm(arguments)
        )
        or inputs.search(first, inputs.names, lambda arguments: inputs.possible(arguments))
        or inputs.solve(And(tuple(clause.term for clause in inputs.terms.assumed)))
    )


def _general(inputs: Inputs, base: Arguments) -> Iterator[Case]:
    """The cases of no rule: the input on which no rule fires, and each precondition broken."""
    verdict = inputs.verdict(base)
    reason = {
        Verdict.ALLOW: "no rule forbids it: allowed",
        Verdict.ASK: "a person is asked",
        Verdict.DENY: "no rule permits it: denied",
        Verdict.CANNOT_EVALUATE: "cannot be evaluated",
    }[verdict]
    yield Case("default", inputs.in_order(base), verdict, reason)
    for clause in inputs.terms.preconditions:
        facts = facts_of(inputs.terms, clause.term, inputs.names)
        broken = inputs.search(
            base, facts.arguments, lambda arguments, term=clause.term: not inputs.holds(term, arguments)
        ) or inputs.solve(Not(clause.term))
        if broken is not None:
            yield Case(
                f"precondition-{clause.id.lower()}",
                inputs.in_order(broken),
                inputs.verdict(broken),
                f"{clause.id} does not hold: {clause.comment or render_term(clause.term)}",
                clause.requirements,
            )


def _inputs_by_argument(
    base: Arguments, rules: Sequence[Rule], groups: Sequence[Sequence[Case]]
) -> Callable[[str], Iterator[Arguments]]:
    """By argument, inputs on which it may matter: the base, and inputs of the rules that take it."""

    def of(name: str) -> Iterator[Arguments]:
        yield base
        for rule, group in zip(rules, groups, strict=True):
            if any(parameter.name == name for parameter in rule.parameters):
                yield from (case.arguments for case in group[:_TRIED_OF_A_RULE])

    return of


def _odd(inputs: Inputs, inputs_of: Callable[[str], Iterator[Arguments]]) -> Iterator[Case]:
    """Cases that cannot be evaluated, since an argument that matters is missing or does not fit its type."""
    for name in inputs.names:
        for arguments in inputs_of(name):
            rest = {other_name: value for other_name, value in arguments.items() if other_name != name}
            if not inputs.is_decided(rest):
                yield Case(
                    f"missing-{name}", inputs.in_order(rest), Verdict.CANNOT_EVALUATE, f"{name} is missing"
                )
                break
    expressions = (
        inputs.terms.file.words.expressions
    )  # their values have their types, or are not determinable
    for name, declared in inputs.types.items():
        if name in expressions:
            continue
        for arguments in inputs_of(name):
            odd, why = _odd_value(arguments[name], declared)
            if why and not inputs.is_decided({**arguments, name: odd}):
                yield Case(
                    f"odd-{name}",
                    inputs.in_order({**arguments, name: odd}),
                    Verdict.CANNOT_EVALUATE,
                    f"{name} {why}",
                )
                break


def _odd_value(value: Value, declared: ArgumentType) -> tuple[Value, str]:
    """A value that does not fit a type, and why not; no reason if there is none worth trying."""
    match declared.kind:
        case Kind.ENUM:
            return foreign_text(declared.values), "is not one of its values"
        case Kind.INT:
            return True, "is not a number"
        case Kind.DECIMAL:
            odd = Decimal(1).scaleb(-declared.places - 1)
            return odd, f"has more than {declared.places} decimal places"
        case Kind.RECORD | Kind.LIST:
            return _odd_part(value, declared)
        case _:
            return None, ""


def _odd_part(value: Value, declared: ArgumentType) -> tuple[Value, str]:
    """A record without one of its fields, or a list with such a record; None if the type has no records.

    The text describes the defect.
    """
    if declared.element is not None and declared.element.record is not None:
        record = declared.element.record
        return (RecordValue(record.name, ()),), f"has an element without {record.fields[0][0]}"
    if declared.record is None:
        return None, ""
    fields = value.fields if isinstance(value, RecordValue) else ()
    missing = declared.record.fields[0][0]
    remaining_fields = tuple((name, held) for name, held in fields if name != missing)
    return RecordValue(declared.record.name, remaining_fields), f"lacks {missing}"


def _in_turns(groups: Sequence[Sequence[Case]], limit: int) -> list[Case]:
    """The cases of all rules in turn: the first case of every rule, then the second, up to the limit."""
    case_by_input: dict[object, Case] = {}
    for index in range(max((len(group) for group in groups), default=0)):
        for group in groups:
            if index < len(group) and len(case_by_input) < limit:
                case_by_input.setdefault(_key(group[index].arguments), group[index])
    return list(case_by_input.values())


def _distinct(first: Iterable[Case], then: Iterable[Case]) -> list[Case]:
    """The cases without a repeated input or a repeated id."""
    case_by_input: dict[object, Case] = {}
    ids: set[str] = set()
    for case in (*first, *then):
        if _key(case.arguments) in case_by_input:
            continue
        name, number = case.id, 2
        while name in ids:
            name, number = f"{case.id}-{number}", number + 1
        ids.add(name)
        case_by_input[_key(case.arguments)] = replace(case, id=name)
    return list(case_by_input.values())


def _by_rule(cases: Sequence[Case], groups: Sequence[Sequence[Case]]) -> list[Case]:
    """The cases in the order of the rules, then in each rule's own order."""
    order = [_key(case.arguments) for group in groups for case in group]
    place = {key: index for index, key in reversed(list(enumerate(order)))}
    return sorted(cases, key=lambda case: place.get(_key(case.arguments), len(order)))


def _key(arguments: Arguments) -> object:
    return frozenset((name, type(value).__name__, value) for name, value in arguments.items())


def _note_assumptions(
    cases: list[Case],
    assumptions: Sequence[Assumption],
    requirements: Sequence[Requirement],
    inputs: Inputs,
) -> tuple[Case, ...]:
    """The cases, with each assumption noted on a case that shows it; every assumption gets one."""
    noted = list(cases)
    used_places: set[int] = set()
    for assumption in assumptions:
        names = {assumption.id, assumption.question}
        requirement_ids = {*assumption.requirements} | {
            item.id for item in requirements if names & {*item.assumptions}
        }
        words = re.split(r"[^A-Za-z0-9_]+", assumption.question)
        missing = {f"missing-{name}" for name in inputs.names if "missing" in words and name in words}
        fitting = [
            *(i for i, case in enumerate(noted) if case.id in missing),
            *(i for i, case in enumerate(noted) if requirement_ids & {*case.requirements}),
            *(
                i
                for i, case in enumerate(noted)
                if not requirement_ids and assumption.value in case.arguments.values()
            ),
            *(i for i, case in enumerate(noted) if not requirement_ids and case.id == "default"),
        ]
        chosen = next((i for i in fitting if i not in used_places), fitting[0] if fitting else None)
        if chosen is not None:
            used_places.add(chosen)
            reason = f"{noted[chosen].reason} (assumed: {assumption.statement})"
            noted[chosen] = replace(noted[chosen], reason=reason)
    return tuple(noted)
