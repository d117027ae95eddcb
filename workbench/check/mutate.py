"""Mutants of a policy: small wrong versions of it that a good contract should refuse.

The operators follow the literature on mutation testing (relational, logical and constant replacement,
statement deletion) and on access-control policies (rule deletion, rule always or never fires, default
flipped, table entries dropped, added and swapped). Mutants exist as terms only: their ``source`` is empty and
they carry no contract, so that a mutated table or helper never changes the contract that judges it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from workbench.check.mutate_terms import TermChange, mutate_term
from workbench.engines.smt.ground_parts import known_words
from workbench.engines.smt.string_encoding import plain_words
from workbench.model import Scalar
from workbench.policy.boundary_values import with_one_more, without_one
from workbench.policy.connectives import conjunction
from workbench.policy.render import literal
from workbench.policy.terms import (
    And,
    Constant,
    ConstantSet,
    Helper,
    Member,
    Or,
    PolicyTerms,
    Quantified,
    Rule,
    Table,
    Term,
)
from workbench.policy.walk import children, with_children

_MOST_ADDED = 200


@dataclass(frozen=True, slots=True)
class Mutant:
    """One wrong version. ``id`` depends only on the change, so that reasons can be stored by it.

    ``operator`` names the kind of change, ``where`` the rule, helper, table or set, ``line`` its line in the
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
        mutant_terms = replace(mutated, source="", clauses=())
        yield Mutant(digest, operator, where, line, description, mutant_terms)


type _Change = tuple[str, str, int, str, PolicyTerms]


def _changes(terms: PolicyTerms) -> Iterator[_Change]:
    yield from _default(terms)
    for rule in terms.rules:
        yield from _rule(terms, rule)
    for helper in terms.helpers.values():
        for operator, description, body in mutate_term(helper.body, terms):
            changed: dict[str, Helper] = {**terms.helpers, helper.name: replace(helper, body=body)}
            yield operator, helper.name, helper.line, description, replace(terms, helpers=changed)
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
    yield "flip the default", "allow", terms.line, f"{says} where no rule decides", flipped


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
        return _map_sets(
            body,
            lambda constant_set: ConstantSet(values, name) if constant_set.name == name else constant_set,
        )

    rules = tuple(replace(rule, body=put(rule.body)) for rule in terms.rules)
    helpers = {key: replace(helper, body=put(helper.body)) for key, helper in terms.helpers.items()}
    return replace(terms, rules=rules, helpers=helpers)


def _map_sets(term: Term, change: Callable[[ConstantSet], ConstantSet]) -> Term:
    if isinstance(term, Member | Quantified) and isinstance(term.collection, ConstantSet):
        term = replace(term, collection=change(term.collection))
    parts = children(term)
    mapped = tuple(_map_sets(part, change) for part in parts)
    unchanged = all(old is new for old, new in zip(parts, mapped, strict=True))
    return term if unchanged else with_children(term, mapped)
