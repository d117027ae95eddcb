"""Cases from a policy: both sides of each rule, each boundary, each row of a table.

The expected decision is that of the given terms, so cases are made from the *draft*: an edit of the policy
file can then fail them.

The cases of one rule: its boundaries, both of its sides, listed values, rows of tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import cast

from workbench.check.argument_facts import ArgumentFacts, Boundary, TableRow, facts_of
from workbench.check.candidate_values import foreign_text
from workbench.check.cases_inputs import Inputs, Witness, beside
from workbench.model import (
    Arguments,
    Case,
    RecordValue,
    Scalar,
    Value,
    Verdict,
)
from workbench.policy.decisive_part import lacking, settled, what_fires
from workbench.policy.flat.traverse import free_names
from workbench.policy.names import free_name
from workbench.policy.rule_names import RULES
from workbench.policy.term_text import render_term
from workbench.policy.terms import (
    And,
    Attribute,
    Compare,
    Comparison,
    Constant,
    ImpliesTerm,
    IsMissing,
    Not,
    PolicyTerms,
    ResultTerm,
    Rule,
    Term,
    Variable,
)
from workbench.policy.walk import root_and_path, subterms, with_parts_changed
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
    *,
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
    of_tools = _ByTools(inputs)
    general: list[Case] = []
    made: Sequence[Iterable[Case]] = [of_tools.cases(rule, base) for rule in rules]
    if only is None:
        made = whole = [[*cases] for cases in made]
        general = _distinct(_general(inputs, base), _odd(inputs, _inputs_by_argument(base, rules, whole)))
        general = [_decisive(case, terms) for case in general]
    groups = _in_turns(
        [map(partial(of_tools.decisive, rule), cases) for rule, cases in zip(rules, made, strict=True)],
        max(limit - len(general), 0),
    )
    merged = _distinct(general, chain.from_iterable(groups))
    ordered = merged[len(general) :] + merged[: len(general)]
    return _worded(ordered[:limit], terms.file.words)


class _ByTools:
    """The cases of rules by the parts of the policy about their tools."""

    def __init__(self, inputs: Inputs) -> None:
        self._inputs = inputs
        self._parts = inputs.parts
        self._known: dict[tuple[str, ...], Inputs] = {}
        self._calm_calls: dict[str, Arguments] = {}

    def cases(self, rule: Rule, base: Arguments) -> Iterator[Case]:
        """The cases of a rule; what is decided of a call of another tool is decided by the rules about it."""
        tools = self._parts.tools_of(rule)
        inputs = self._of(tools)
        for case in RuleCases(inputs, rule, inputs.in_order(base)).cases():
            tool = case.arguments.get(TOOL)
            if inputs is self._inputs or tool in tools:
                yield replace(case, arguments=self._inputs.in_order({**base, **case.arguments}))
            else:
                of_other, arguments = self._of((cast("str", tool),)), self._calm(cast("str", tool), base)
                yield replace(case, arguments=arguments, expected=of_other.verdict(arguments))

    def decisive(self, rule: Rule, case: Case) -> Case:
        """A case of a rule with what its decision rests on."""
        return _decisive(case, self._parts.of_call(case.arguments.get(TOOL)), rule)

    def _calm(self, tool: str, base: Arguments) -> Arguments:
        """A call of a tool that is allowed, if one is found, and else the one that is as the base."""
        if tool not in self._calm_calls:
            inputs, call = self._of((tool,)), {**base, TOOL: tool}
            found = inputs.allowed(inputs.in_order(call), [name for name in inputs.names if name != TOOL])
            self._calm_calls[tool] = self._inputs.in_order({**call, **(found or {})})
        return self._calm_calls[tool]

    def _of(self, tools: tuple[str, ...]) -> Inputs:
        part = self._parts.of_tools(tools)
        if part is self._inputs.terms:
            return self._inputs
        if tools not in self._known:
            self._known[tools] = self._inputs.of(part)
        return self._known[tools]


def _decisive(case: Case, terms: PolicyTerms, rule: Rule | None = None) -> Case:
    """A case of a policy of calls without the arguments on which neither its decision nor its rule rests."""
    words = terms.file.words
    if not words:
        return case
    of_tool, taken = words.of_tool(case.arguments), {one.name for one in terms.arguments}
    arguments = {name: value for name, value in of_tool.items() if name in taken}
    if case.expected is Verdict.CANNOT_EVALUATE:
        return replace(case, arguments=of_tool)
    needed = what_fires([terms], arguments)
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
        unused = free_name(name, ids, "-")
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
        rules = inputs.parts.rules_about(arguments.get(TOOL))
        return not any(inputs.holds(rule.body, arguments) for rule in rules if rule.forbids)

    return (
        inputs.allowed(first, inputs.names)
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
        facts = facts_of(inputs.terms, clause.term, inputs.places)
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
    if TOOL not in inputs.types:  # all else is an expression: it has its type, or is not determinable
        return
    unknown = foreign_text(inputs.types[TOOL].values)
    for arguments in inputs_of(TOOL):
        odd = {**arguments, TOOL: unknown}
        if not inputs.is_decided(odd):
            yield Case(
                f"odd-{TOOL}",
                inputs.in_order(odd),
                Verdict.CANNOT_EVALUATE,
                f"{TOOL} is not one of its values",
            )
            break


def _in_turns(groups: Sequence[Iterator[Case]], limit: int) -> Sequence[Sequence[Case]]:
    """The cases of each rule, made in turn: the first case of every rule, then the second, up to the limit.

    Of rules with the same input the case of the rule is kept whose turn came first.
    """
    found: list[list[Case]] = [[] for _ in groups]
    keys: set[object] = set()
    left = [*zip(groups, found, strict=True)]
    while left and len(keys) < limit:
        for turn in [*left]:
            group, own = turn
            case = next(group, None) if len(keys) < limit else None
            if case is None:
                left.remove(turn)
            elif (key := _key(case.arguments)) not in keys:
                keys.add(key)
                own.append(case)
    return found


def _distinct(first: Iterable[Case], then: Iterable[Case]) -> list[Case]:
    """The cases without a repeated input or a repeated id."""
    case_by_input: dict[object, Case] = {}
    ids: set[str] = set()
    for case in (*first, *then):
        if _key(case.arguments) in case_by_input:
            continue
        name = free_name(case.id, ids, "-")
        ids.add(name)
        case_by_input[_key(case.arguments)] = replace(case, id=name)
    return list(case_by_input.values())


def _key(arguments: Arguments) -> object:
    return frozenset((name, type(value).__name__, value) for name, value in arguments.items())


_MOST_ROWS = 12
_MOST_GROUPS = 20
_CHUNK = 8


@dataclass(frozen=True, slots=True)
class RuleCases:
    """The cases of one rule."""

    inputs: Inputs
    rule: Rule
    base: Arguments

    def cases(self) -> Iterator[Case]:
        """Boundaries first, then both sides, listed values, and the rows of tables."""
        facts = facts_of(self.inputs.terms, self.rule.body, self.inputs.places)
        fires = self._find(facts, self._fires, self.rule.body)
        for boundary in dict.fromkeys(facts.boundaries):
            yield from self._boundary(boundary, facts, fires)
        yield from self._both_sides(facts, fires)
        yield from self._uneven(facts)
        yield from self._listed(facts)
        for row in dict.fromkeys(facts.rows):
            yield from self._rows(row)

    # --- searching ----------------------------------------------------------------

    def _fires(self, arguments: Arguments) -> bool:
        return self.inputs.holds(self.rule.body, arguments)

    def _others_fire(self, arguments: Arguments) -> bool:
        """Whether the decision does not depend on this rule, because another rule makes it."""
        return any(
            self.inputs.holds(other_rule.body, arguments)
            for other_rule in self.inputs.terms.rules
            if other_rule.name != self.rule.name and (other_rule.forbids or not self.rule.forbids)
        )

    def _others_silent(self) -> tuple[Term, ...]:
        return tuple(
            Not(rule.body)
            for rule in self.inputs.terms.rules
            if rule.name != self.rule.name and (rule.forbids or not self.rule.forbids)
        )

    def _find(
        self, facts: ArgumentFacts, test: Callable[[Arguments], bool], term: Term | None
    ) -> Arguments | None:
        """An input on which only this rule matters, else any input that passes the test."""

        def good(arguments: Arguments) -> bool:
            return self.inputs.passes(arguments, test)

        silence_conditions = self._others_silent()
        best, first = self._search(
            facts, facts.arguments, good, lambda arguments: not self._others_fire(arguments)
        )
        return (
            best
            or (
                self.inputs.solve(And((term, *silence_conditions)))
                if term is not None and silence_conditions
                else None
            )
            or first
            or (self.inputs.solve(term) if term is not None else None)
        )

    def _search(
        self,
        facts: ArgumentFacts,
        names: Sequence[str],
        good: Callable[[Arguments], bool],
        better: Callable[[Arguments], bool],
    ) -> tuple[Arguments | None, Arguments | None]:
        """The first combination that is good and better, and the first that is good, from one search."""
        first: Arguments | None = None

        def best(arguments: Arguments) -> bool:
            nonlocal first
            if not good(arguments):
                return False
            first = first or arguments
            return better(arguments)

        return self.inputs.search(self.base, names, best, facts), first

    # --- kinds of cases -----------------------------------------------------------

    def _both_sides(self, facts: ArgumentFacts, fires: Arguments | None) -> Iterator[Case]:
        if fires is None:
            return
        verb = "asks a person" if self.rule.asks else "denies" if self.rule.forbids else "permits"
        yield self._case("fires", fires, f"the rule {verb}: {self.rule.message}")
        flipped = False
        for name in facts.arguments:
            near = self.inputs.search(
                fires,
                [name],
                lambda arguments: (
                    self.inputs.possible(arguments)
                    and not self._fires(arguments)
                    and (not self.rule.forbids or not self._others_fire(arguments))
                ),
            )
            if near is not None:
                flipped = True
                yield self._case(
                    f"not-{name}", near, f"the rule does not apply if {_shown(name, near[name])}"
                )
        if not flipped:
            quiet = self._find(facts, lambda arguments: not self._fires(arguments), Not(self.rule.body))
            if quiet is not None:
                yield self._case("silent", quiet, "the rule does not apply")

    def _boundary(self, boundary: Boundary, facts: ArgumentFacts, fires: Arguments | None) -> Iterator[Case]:
        """Inputs at and next to a boundary, all else equal; if possible no other rule decides them."""
        name, declared = boundary.argument, self.inputs.types[boundary.argument]
        values = beside(boundary, declared)
        fixed = {boundary.key[0]: boundary.key[1]} if boundary.key else {}
        other_names = [
            other_name for other_name in facts.arguments if other_name != name and other_name not in fixed
        ]

        def matters(arguments: Arguments) -> bool:
            inputs = [{**arguments, **fixed, name: value} for _, value in values]
            if not all(self.inputs.possible(candidate) for candidate in inputs):
                return False
            return len({self._fires(candidate) for candidate in inputs}) > 1

        def alone(arguments: Arguments) -> bool:
            inputs = [{**arguments, **fixed, name: value} for _, value in values]
            return not any(self._others_fire(candidate) for candidate in inputs)

        context, first = self._search(facts, other_names, matters, alone)
        if context is None and fires is not None and matters(fires) and alone(fires):
            context = fires
        isolated = context is not None
        context = context or first or self.base
        firing = next(
            (candidate for _, candidate in values if self._fires({**context, **fixed, name: candidate})), None
        )
        subject = f"len({name})" if boundary.length else name
        of = f" for {_shown(*boundary.key)}" if boundary.key else ""
        label = "-".join([name, *([_slug(boundary.key[1])] if boundary.key else []), _slug(boundary.value)])
        for side, value in values:
            where = "at" if side == "at" else f"just {side}"
            arguments = {**context, **fixed, name: value}
            if not isolated and not fixed and not boundary.length:
                arguments = self._beside(name, value, firing) or arguments
            if self.inputs.possible(arguments):
                reason = f"{where} the boundary {_plain(boundary.value)} of {subject}{of}"
                yield self._case(f"{label}-{side}", arguments, reason)

    def _beside(self, name: str, value: Value, firing: Value) -> Arguments | None:
        """An input with this value that only this rule decides, for arguments that other rules read too.

        With the value ``firing`` instead the rule would fire.
        """
        scalar, firing_scalar = _scalar(value), _scalar(firing)
        if scalar is None or firing_scalar is None:
            return None
        declared = self.inputs.types[name]
        argument = Variable(name, declared)
        known: dict[Term, Term] = {IsMissing(argument): Constant(False), argument: Constant(firing_scalar)}
        body = with_parts_changed(self.rule.body, known.get)
        guards = (Not(IsMissing(argument)),) if declared.optional else ()
        equal = Compare(Comparison.EQ, argument, Constant(scalar))
        return self.inputs.solve(And((*guards, equal, body, *self._others_silent())))

    def _uneven(self, facts: ArgumentFacts) -> Iterator[Case]:
        """Cases for comparisons other than of an argument with a constant: sides less, equal, greater."""
        for number, compare in enumerate(dict.fromkeys(facts.uneven), 1):
            known: list[dict[Term, Term]] = [{compare: Constant(truth)} for truth in (True, False)]
            holds, fails = (with_parts_changed(self.rule.body, one.get) for one in known)
            matters = Compare(Comparison.NE, holds, fails)
            for side, operator in (("under", Comparison.LT), ("at", Comparison.EQ), ("over", Comparison.GT)):
                side_comparison = _where_present(
                    Compare(operator, compare.left, compare.right), facts.arguments
                )
                side_alone = And((side_comparison, matters))
                best, first = self._search(
                    facts,
                    facts.arguments,
                    lambda arguments, term=side_alone: self.inputs.passes(
                        arguments, lambda tried: self.inputs.holds(term, tried)
                    ),
                    lambda arguments: not self._others_fire(arguments),
                )
                arguments = (
                    best
                    or self.inputs.solve(And((*side_alone.operands, *self._others_silent())))
                    or first
                    or self.inputs.solve(side_alone)
                    or self.inputs.solve(side_comparison)
                )
                if arguments is not None and self.inputs.possible(arguments):
                    where = {"under": "below", "at": "equal to", "over": "above"}[side]
                    reason = f"{render_term(compare.left)} {where} {render_term(compare.right)}"
                    yield self._case(f"boundary-{number}-{side}", arguments, reason)

    def _listed(self, facts: ArgumentFacts) -> Iterator[Case]:
        for place, listed in facts.sets:
            other_names = [name for name in facts.arguments if name != place.argument]
            for value in sorted(listed.values, key=str)[:_CHUNK]:
                member = cast("Value", frozenset({value})) if place.element else value
                context = self.inputs.search(
                    {**self.base, place.argument: member},
                    other_names,
                    lambda arguments: self.inputs.possible(arguments) and self._fires(arguments),
                )
                if context is not None:
                    label = f"{place.argument}-{_slug(value)}"
                    yield self._case(label, context, f"{_plain(value)} is one of the listed values")

    def _rows(self, row: TableRow) -> Iterator[Case]:
        entries = self.inputs.terms.tables[row.table].entries
        every = sorted(
            {
                str(value)
                for members in entries.values()
                if isinstance(members, frozenset)
                for value in members
            }
        )
        for key, members in list(entries.items())[:_MOST_ROWS]:
            if not isinstance(members, frozenset):
                continue
            listed = sorted(str(value) for value in members)
            unlisted = [value for value in every if value not in members]
            for name, group in _groups(listed)[:_MOST_GROUPS]:
                yield from self._row(row, key, name, group, f"all that is listed of {name}")
            for name, group in _groups(unlisted)[:_MOST_GROUPS]:
                yield from self._row(row, key, f"not-{name}", group[:1], f"{group[0]} is not listed")
            stranger = foreign_text(every)
            yield from self._row(row, key, "unknown", [stranger], f"{stranger} is in no row")
            if row.element and listed:
                mixed = [listed[0], (unlisted or [stranger])[0]]
                yield from self._row(row, key, "mixed", mixed, f"{mixed[0]} is listed, {mixed[1]} is not")

    def _row(self, row: TableRow, key: Scalar, name: str, members: Sequence[str], why: str) -> Iterator[Case]:
        values: list[Value] = [frozenset(members)] if row.element else list(members[:2])
        for value in values:
            arguments = {**self.base, row.key: key, row.item: value}
            if self.inputs.possible(arguments):
                yield self._case(f"{_slug(key)}-{_slug(name)}", arguments, f"{_plain(key)}: {why}")

    def _case(self, suffix: str, arguments: Arguments, reason: str) -> Case:
        kind = next(kind for kind in RULES if self.rule.name.startswith(kind))
        rule = self.rule.name.removeprefix(kind).replace("_", "-")
        requirements = _concerned(self.inputs, self.rule.requirements, arguments)
        ids = ", ".join(requirements)
        return Case(
            id=f"{rule}-{suffix}",
            arguments=self.inputs.in_order(arguments),
            expected=self.inputs.verdict(arguments),
            reason=f"{ids}: {reason}" if ids else reason,
            requirements=requirements,
        )


def _concerned(inputs: Inputs, requirements: tuple[str, ...], arguments: Arguments) -> tuple[str, ...]:
    """The requirements of a rule with a clause whose left side holds on this input; all if none has."""
    concerned_ids: set[str] = set()
    for clause in inputs.terms.clauses:
        if set(clause.requirements).isdisjoint(requirements):
            continue
        condition = clause.term.condition if isinstance(clause.term, ImpliesTerm) else Constant(True)
        about_result = any(isinstance(part, ResultTerm) for part in subterms(condition))
        if about_result or inputs.holds(condition, arguments):
            concerned_ids.update(clause.requirements)
    return tuple(item for item in requirements if item in concerned_ids) or requirements


def _scalar(value: Value) -> Scalar | None:
    """The value; None if it is no constant that a policy could name."""
    return None if isinstance(value, RecordValue | tuple | frozenset) else value


def _where_present(compare: Compare, arguments: Collection[str]) -> Term:
    """A comparison with tests that its parts are present: first the records, then their fields."""
    needed = [part for part in subterms(compare) if isinstance(part, Variable | Attribute)]
    optional = [part for part in needed if part.type.optional and root_and_path(part)[0].name in arguments]
    present = [Not(IsMissing(part)) for part in dict.fromkeys(reversed(optional))]
    return And((*present, compare)) if present else compare


def _groups(values: Sequence[str]) -> list[tuple[str, list[str]]]:
    """Values grouped by the part before their point, or in chunks of a few."""
    if values and all("." in value for value in values):
        groups: dict[str, list[str]] = {}
        for value in values:
            groups.setdefault(value.split(".", 1)[0], []).append(value)
        return list(groups.items())
    parts = [list(values[start : start + _CHUNK]) for start in range(0, len(values), _CHUNK)]
    return [(part[0], part) for part in parts]


def _plain(value: Value) -> str:
    """A value written for a person, without quotes and constructors."""
    match value:
        case frozenset():
            return ", ".join(map(str, sorted(value))) or "empty"
        case RecordValue():
            return f"{value.type} with {', '.join(f'{name} {_plain(held)}' for name, held in value.fields)}"
        case tuple():
            return "; ".join(map(_plain, value)) or "empty"
        case bool():
            return "true" if value else "false"
        case None:
            return "not known"
        case _:
            return str(value)


def _shown(name: str, value: Value) -> str:
    return f"{name} is {_plain(value)}"


def _slug(value: Value) -> str:
    text = str(value)
    dashed = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40]
    return f"minus-{dashed}" if text.startswith("-") else dashed or "empty"
