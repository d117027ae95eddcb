"""Mutants of a policy: small wrong versions of it that a good contract should refuse.

The operators follow the literature on mutation testing (relational, logical and constant replacement,
statement deletion) and on access-control policies (rule deletion, rule always or never fires, default
flipped, table entries dropped, added and swapped). Mutants exist as terms only: their ``source`` is empty and
they carry no contract, so that a mutated table never changes the contract that judges it. A mutant
of a term changes one node of a rule's condition, and uses a value that can be None only where it has tested
that it is not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256

from workbench.engines.smt.ground_parts import known_words
from workbench.engines.smt.string_encoding import plain_words
from workbench.model import Kind, Scalar
from workbench.policy.boundary_values import neighbours, other_members, with_one_more, without_one
from workbench.policy.checker.scope import present_if
from workbench.policy.connectives import conjunction, is_true
from workbench.policy.literals import literal
from workbench.policy.term_text import render_term
from workbench.policy.terms import (
    And,
    Arithmetic,
    Attribute,
    Choice,
    Compare,
    CompareFields,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    ImpliesTerm,
    IsMissing,
    Lookup,
    Member,
    Not,
    Or,
    PolicyTerms,
    Quantified,
    Quantifier,
    Rule,
    StringTest,
    StringTestKind,
    Sum,
    Table,
    Term,
    Variable,
)
from workbench.policy.types import MOMENTS
from workbench.policy.walk import children, path_of, subterms, with_children, with_constant_sets

_MOST_ADDED = 200


@dataclass(frozen=True, slots=True)
class Mutant:
    """One wrong version. ``id`` depends only on the change, so that reasons can be stored by it.

    ``operator`` names the kind of change, ``where`` the rule, table or set, ``line`` its line in the
    policy, and ``description`` is the change in a few words.
    """

    id: str
    operator: str
    where: str
    line: int
    description: str
    terms: PolicyTerms


def mutants(terms: PolicyTerms) -> Iterator[Mutant]:
    """Yield the mutants of a policy, each change made alone; duplicates are not removed."""
    alike: Counter[tuple[str, str, str]] = Counter()
    for operator, where, line, description, mutated in _changes(terms):
        # One rule may have several places for the same change.
        alike[operator, where, description] += 1
        number = alike[operator, where, description]
        words = (operator, where, description, *([str(number)] if number > 1 else []))
        digest = sha256("\0".join(words).encode("utf-8", "surrogatepass")).hexdigest()[:12]
        mutant_terms = replace(mutated, interpreted=True, clauses=())
        yield Mutant(digest, operator, where, line, description, mutant_terms)


type _Change = tuple[str, str, int, str, PolicyTerms]


def _changes(terms: PolicyTerms) -> Iterator[_Change]:
    yield from _default(terms)
    for rule in terms.rules:
        yield from _rule(terms, rule)
    for table in terms.tables.values():
        for operator, description, entries in _table(table, known_words(terms)):
            swapped: dict[str, Table] = {**terms.tables, table.name: replace(table, entries=entries)}
            yield operator, table.name, table.line, description, replace(terms, tables=swapped)
    for name, constants in terms.sets.items():
        for operator, description, values in mutate_set(constants.values, known_words(terms)):
            yield operator, name, 0, description, _with_set(terms, name, values)


def _default(terms: PolicyTerms) -> Iterator[_Change]:
    says = "deny" if terms.default_allow else "allow"
    flipped = replace(terms, default_allow=not terms.default_allow)
    yield "flip the default", "allow", 0, f"{says} where no rule decides", flipped


def _rule(terms: PolicyTerms, rule: Rule) -> Iterator[_Change]:
    def put(body: Term) -> PolicyTerms:
        rules = tuple(
            replace(rule, body=body) if other_rule is rule else other_rule for other_rule in terms.rules
        )
        return replace(terms, rules=rules)

    yield "drop a rule", rule.name, rule.line, "never fires", put(Constant(False))
    yield "fire always", rule.name, rule.line, "always fires", put(Constant(True))
    tools = terms.file.part(rule).tools
    changes = _about_tools(rule.body, tools, terms) if tools else mutate_term(rule.body, terms)
    for operator, description, body in changes:
        yield operator, rule.name, rule.line, description, put(body)


def _about_tools(body: Term, tools: Sequence[str], terms: PolicyTerms) -> Iterator[TermChange]:
    """Change the conditions of a rule on the calls of some tools, or let it forget one of these tools.

    Which tools a rule is about, the type of its call says. The condition of one tool on the calls of another
    would read what such a call does not have, so it is no wrong version of a policy.
    """
    parts = body.operands if isinstance(body, Or) and len(tools) > 1 else (body,)
    for place, (tool, part) in enumerate(zip(tools, parts, strict=True)):
        before, after = parts[:place], parts[place + 1 :]
        if before or after:
            yield "drop an alternative", f"does not apply to calls of {tool}", _alternatives(*before, *after)
        test, condition = _apart(part)
        if condition is None:
            continue
        for operator, description, changed in mutate_term(condition, terms):
            yield operator, description, _alternatives(*before, conjunction((test, changed)), *after)


def _apart(part: Term) -> tuple[Term, Term | None]:
    """The test of the tool of a call, and the condition on its calls; None if it is about all of them."""
    if not isinstance(part, And):
        return part, None
    test, *operands = part.operands
    return test, operands[0] if len(operands) == 1 else And(tuple(operands))


def _alternatives(*parts: Term) -> Term:
    return parts[0] if len(parts) == 1 else Or(parts)


type _Entries = dict[Scalar, frozenset[Scalar] | Scalar]


def _table(table: Table, words: tuple[str, ...]) -> Iterator[tuple[str, str, _Entries]]:
    entries = dict(table.entries)
    everything = tuple(
        dict.fromkeys(
            value
            for entry in entries.values()
            if isinstance(entry, frozenset)
            for value in sorted(entry, key=str)
        )
    )
    for key, entry in entries.items():
        name = f"{table.name}[{literal(key)}]"
        if isinstance(entry, frozenset):
            for value in sorted(entry, key=str):
                yield (
                    "drop a table entry",
                    f"{name} without {literal(value)}",
                    {**entries, key: entry - {value}},
                )
            added = [value for value in everything if value not in entry]
            outside = [*(word for word in words if word not in everything), _unnamed(words)][:1]
            for value in (*added[:_MOST_ADDED], *outside):
                yield "add a table entry", f"{name} with {literal(value)}", {**entries, key: entry | {value}}
            yield from _whole_entries(table, key, entry, everything)
        else:
            for _, _, changed_term in mutate_term(Constant(entry), None):
                if isinstance(changed_term, Constant) and changed_term.value is not None:
                    description = f"{name} is {literal(changed_term.value)}"
                    yield "change a table entry", description, {**entries, key: changed_term.value}
    yield from _swapped_keys(table, entries)


def _whole_entries(
    table: Table, key: Scalar, entry: frozenset[Scalar], everything: tuple[Scalar, ...]
) -> Iterator[tuple[str, str, _Entries]]:
    """Yield the table with one entry empty, full, or with one of its values moved to the next key."""
    entries = dict(table.entries)
    name = f"{table.name}[{literal(key)}]"
    yield "empty a table entry", f"{name} is empty", {**entries, key: frozenset()}
    yield (
        "fill a table entry",
        f"{name} has every value of the table",
        {**entries, key: frozenset(everything)},
    )
    keys = list(entries)
    following = keys[(keys.index(key) + 1) % len(keys)]
    following_entry = entries[following]
    if following != key and isinstance(following_entry, frozenset):
        for value in sorted(entry - following_entry, key=str):
            description = f"{literal(value)} moved from {name} to {table.name}[{literal(following)}]"
            yield (
                "move a table entry",
                description,
                {**entries, key: entry - {value}, following: following_entry | {value}},
            )


def _swapped_keys(table: Table, entries: _Entries) -> Iterator[tuple[str, str, _Entries]]:
    keys = list(entries)
    for index, key in enumerate(keys):
        for other_key in keys[index + 1 :]:
            if entries[key] != entries[other_key]:
                description = f"{table.name}: {literal(key)} and {literal(other_key)} swapped"
                yield "swap keys", description, {**entries, key: entries[other_key], other_key: entries[key]}


def mutate_set(
    values: tuple[Scalar, ...], words: tuple[str, ...]
) -> Iterator[tuple[str, str, tuple[Scalar, ...]]]:
    """Yield a set of constants without each of its values, and with one more known word."""
    for value, remaining_values in without_one(values):
        yield "drop a set element", f"without {literal(value)}", remaining_values
    if values:  # the type of the values of an empty set is not known
        for word, extended_values in with_one_more(values, (*words, _unnamed(words))):
            yield "add a set element", f"with {literal(word)}", extended_values


def _unnamed(words: tuple[str, ...]) -> str:
    """Return a word that does not appear in the policy."""
    return next(word for word in plain_words() if word not in words)


def _with_set(terms: PolicyTerms, name: str, values: tuple[Scalar, ...]) -> PolicyTerms:
    def put(body: Term) -> Term:
        return with_constant_sets(
            body,
            lambda constant_set: ConstantSet(values, name) if constant_set.name == name else constant_set,
        )

    rules = tuple(replace(rule, body=put(rule.body)) for rule in terms.rules)
    return replace(terms, rules=rules)


type TermChange = tuple[str, str, Term]
"""The operator, the change in words, and the changed term."""

_GUARDING = (And, Or, Not, Choice, IsMissing)
_TESTS = {
    StringTestKind.PREFIX: StringTestKind.CONTAINS,
    StringTestKind.SUFFIX: StringTestKind.CONTAINS,
    StringTestKind.CONTAINS: StringTestKind.PREFIX,
}


def mutate_term(term: Term, terms: PolicyTerms | None) -> Iterator[TermChange]:
    """Yield the term with one node changed; ``terms`` gives words to replace words with.

    A change after which a value that can be None is used without a test is no wrong version of a policy: the
    checker refuses it.
    """
    words = () if terms is None else known_words(terms)
    places = 2 if terms is None else terms.places
    guarded = frozenset(_uses_of_value(term))
    for change in _everywhere(term, words, places, guarded):
        if not guarded or terms is None or _is_guarded(change[2]):
            yield change


def _uses_of_value(term: Term) -> Iterator[str]:
    """Yield optional arguments and fields with a use that a test for None has to guard."""
    match term:
        case Variable(name, type) if type.optional:
            yield name
        case Attribute(record, _, type):
            if type.optional:
                yield path_of(term)
            yield from _uses_of_value(record)
        case Compare(Comparison.EQ | Comparison.NE, left, right):
            for side in (left, right):
                if isinstance(side, Attribute):
                    yield from _uses_of_value(side.record)
                elif not isinstance(side, Variable):
                    yield from _uses_of_value(side)
        case _:
            for part in children(term):
                yield from _uses_of_value(part)


def _guards(term: Term, guarded: frozenset[str]) -> bool:
    """Whether a term has a test for None on which a guarded value depends: a change would be no policy."""
    tests = (part for part in subterms(term) if isinstance(part, IsMissing))
    return any(path_of(test.variable) in guarded for test in tests)


def _everywhere(
    term: Term, words: tuple[str, ...], places: int, guarded: frozenset[str]
) -> Iterator[TermChange]:
    guards = isinstance(term, _GUARDING) and _guards(term, guarded)
    for operator, new in _drops(term, guarded) if guards else _here(term, words, places):
        yield operator, f"{render_term(term)} became {render_term(new)}", new
    parts = children(term)
    for index, part in enumerate(parts):
        if is_true(part) and isinstance(term, Count | Sum):
            continue  # every element is counted: there is no condition
        for operator, description, new in _everywhere(part, words, places, guarded):
            yield operator, description, with_children(term, (*parts[:index], new, *parts[index + 1 :]))


def _here(  # noqa: C901, PLR0912 # one case for each kind of term
    term: Term, words: tuple[str, ...], places: int
) -> Iterator[tuple[str, Term]]:
    match term:
        case Constant(value):
            yield from _constant(value, words, places)
        case Not(operand):
            yield "negate a condition", operand
        case And(operands):
            yield "replace and by or", Or(operands)
            yield from _drops(term, frozenset())
        case Or(operands):
            yield "replace or by and", And(operands)
            yield from _drops(term, frozenset())
        case Compare(operator, left, right):
            yield "negate a condition", Not(term)
            if operator.other_bound is not operator:
                yield "move a boundary", replace(term, operator=operator.other_bound)
            yield from _other_member(left, right)
        case Member(_, collection):
            yield "negate a condition", Not(term)
            if isinstance(collection, ConstantSet) and collection.name is None:
                yield from _sets(term, collection, words)
        case Quantified(quantifier, _, collection, _):
            other_quantifier = Quantifier.ALL if quantifier is Quantifier.ANY else Quantifier.ANY
            yield f"replace {quantifier} by {other_quantifier}", replace(term, quantifier=other_quantifier)
            if isinstance(collection, ConstantSet) and collection.name is None:
                yield from _sets(term, collection, words)
        case Count(_, _, condition) | Sum(_, _, _, condition) if not is_true(condition):
            yield "drop a condition", replace(term, condition=Constant(True))
        case CompareFields():
            yield from _fields(term)
        case StringTest(kind):
            yield "negate a condition", Not(term)
            yield f"replace {kind} by {_TESTS[kind]}", replace(term, kind=_TESTS[kind])
        case Choice(condition, then, otherwise):
            yield "swap branches", Choice(condition, otherwise, then)
        case Arithmetic("-", left, right) if _is_moment(left) or _is_moment(right):
            yield "replace an operator", replace(term, left=right, right=left)
        case Arithmetic("+" | "-" as operator):
            yield "replace an operator", replace(term, operator="-" if operator == "+" else "+")
        case IsMissing():
            yield "negate a condition", Not(term)
        case Variable(_, type) | Attribute(_, _, type) if type.kind is Kind.BOOL and not type.optional:
            yield "negate a condition", Not(term)
        case _:
            return


def _is_moment(term: Term) -> bool:
    """Whether a term is a date or a datetime, which can only be subtracted."""
    match term:
        case Variable(_, type) | Attribute(_, _, type):
            return type.kind in MOMENTS
        case Constant(value):
            return isinstance(value, date)
        case Choice(_, then, _):
            return _is_moment(then)
        case Lookup():
            return True  # the operands are not known here, and a reversed difference is a mutant too
        case _:
            return False


def _fields(term: CompareFields) -> Iterator[tuple[str, Term]]:
    """Yield a comparison of field sets: negated, one way only or both, and without each of the fields."""
    yield "negate a condition", Not(term)
    if term.operator is Comparison.EQ:
        yield "replace == by <=", replace(term, operator=Comparison.LE)
        yield "replace == by >=", CompareFields(Comparison.LE, term.right, term.left)
    else:
        yield "replace <= by ==", replace(term, operator=Comparison.EQ)
        yield "replace <= by >=", CompareFields(Comparison.LE, term.right, term.left)
    for index in range(len(term.left.fields) if len(term.left.fields) > 1 else 0):
        sides = (replace(side, fields=_without(side.fields, index)) for side in (term.left, term.right))
        yield "drop a field", CompareFields(term.operator, next(sides), next(sides))


def _without(fields: tuple[str, ...], index: int) -> tuple[str, ...]:
    return (*fields[:index], *fields[index + 1 :])


def _drops(term: Term, guarded: frozenset[str]) -> Iterator[tuple[str, Term]]:
    """Yield a conjunction or disjunction without each part that guards nothing."""
    if not isinstance(term, And | Or):
        return
    operator = "drop a condition" if isinstance(term, And) else "drop an alternative"
    operands = term.operands
    for index, operand in enumerate(operands):
        if not _guards(operand, guarded):
            remaining_operands = operands[:index] + operands[index + 1 :]
            yield (
                operator,
                remaining_operands[0] if len(remaining_operands) == 1 else type(term)(remaining_operands),
            )


def _other_member(left: Term, right: Term) -> Iterator[tuple[str, Term]]:
    """Yield an equality with the other members of the enum that it tests."""
    for variable, constant in ((left, right), (right, left)):
        if (
            isinstance(variable, Variable | Attribute)
            and variable.type.kind is Kind.ENUM
            and isinstance(constant, Constant)
        ):
            for value in other_members(constant.value, variable.type.values):
                yield "swap roles", Compare(Comparison.EQ, variable, Constant(value))


def _sets(
    term: Member | Quantified, collection: ConstantSet, words: tuple[str, ...]
) -> Iterator[tuple[str, Term]]:
    for _, remaining_values in without_one(collection.values):
        yield "drop a set element", replace(term, collection=ConstantSet(remaining_values))
    for _, extended_values in with_one_more(collection.values, words):
        yield "add a set element", replace(term, collection=ConstantSet(extended_values))


def _constant(value: Scalar | None, words: tuple[str, ...], places: int) -> Iterator[tuple[str, Term]]:
    match value:
        case None:
            return
        case bool():
            yield "replace a constant", Constant(not value)
        case str():
            for word in [word for word in words if word != value][:1]:
                yield "replace a constant", Constant(word)
        case _:
            yield from (("move a boundary", Constant(near)) for near in neighbours(value, places))


def _is_guarded(term: Term, present: frozenset[str] = frozenset()) -> bool:
    """Whether every use of an optional value is guarded, as the checker demands of a policy's text.

    ``present`` are the optional arguments and fields that are known not to be None.
    """
    match term:
        case Variable(name, type):
            return not type.optional or name in present
        case Attribute(record, _, type):
            return (not type.optional or path_of(term) in present) and _is_guarded(record, present)
        case Compare(Comparison.EQ | Comparison.NE, left, right):
            return all(_may_be_none(side, present) for side in (left, right))
        case And(operands) | Or(operands):
            return _in_order(operands, isinstance(term, And), present)
        case ImpliesTerm(condition, consequence):
            return _in_order((condition, consequence), True, present)
        case Choice(condition, then, otherwise):
            return (
                _is_guarded(condition, present)
                and _is_guarded(then, present | present_if(condition, True))
                and _is_guarded(otherwise, present | present_if(condition, False))
            )
        case Sum(_, collection, value, condition):
            return _in_order((collection.term, condition, value), True, present)
        case _:
            return all(_is_guarded(part, present) for part in children(term))


def _may_be_none(term: Term, present: frozenset[str]) -> bool:
    """Whether a term is guarded where it may be None itself."""
    match term:
        case Variable():
            return True
        case Attribute(record, _, _):
            return _is_guarded(record, present)
        case _:
            return _is_guarded(term, present)


def _in_order(terms: tuple[Term, ...], truth: bool, present: frozenset[str]) -> bool:
    """Whether terms are guarded of which each is read only if those before it have this truth value."""
    for term in terms:
        if not _is_guarded(term, present):
            return False
        present |= present_if(term, truth)
    return True
