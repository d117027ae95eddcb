"""Terms as Nagini expressions over ints, bools and sets of ints."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date, datetime

from workbench.engines.nagini.lowering.lowered_pieces import (
    LoweredNames,
    Number,
    both,
    constant,
    either,
    fresh,
    no,
    pick,
    ranges,
)
from workbench.engines.nagini.lowering.simplify import optional, string_test
from workbench.engines.nagini.lowering.string_codes import (
    StringFamilies,
    StringFamily,
    is_text,
    length_test,
)
from workbench.engines.nagini.lowering.string_regions import LoweringFault, LoweringLimit
from workbench.model import Kind, Scalar
from workbench.policy.terms import (
    And,
    Arithmetic,
    Choice,
    Compare,
    Comparison,
    Constant,
    ConstantSet,
    Elements,
    ImpliesTerm,
    IsMissing,
    Length,
    Lookup,
    Member,
    Not,
    Or,
    PolicyTerms,
    Quantified,
    Quantifier,
    ResultTerm,
    SetVariable,
    StringTest,
    Term,
    Variable,
)

# --- tests for the kinds of terms that a program writes in another way: conditions and days


def _is_condition(terms: PolicyTerms, term: Term) -> bool:
    """Whether a term is boolean."""
    match term:
        case Constant(value):
            return isinstance(value, bool)
        case Variable(_, kind):
            return kind.kind is Kind.BOOL
        case Choice(_, then, otherwise):
            return _is_condition(terms, then) or _is_condition(terms, otherwise)
        case Lookup(table):
            return any(isinstance(entry, bool) for entry in terms.tables[table].entries.values())
        case Length() | Arithmetic():
            return False
        case _:
            return True


def _is_day(terms: PolicyTerms, term: Term) -> bool:
    """Whether a term is a date, whose differences are durations."""
    match term:
        case Constant(value):
            return isinstance(value, date) and not isinstance(value, datetime)
        case Variable(_, kind):
            return kind.kind is Kind.DATE
        case Choice(_, then, otherwise):
            return _is_day(terms, then) or _is_day(terms, otherwise)
        case Lookup(table):
            entries = terms.tables[table].entries.values()
            return any(
                _is_day(terms, Constant(value)) for value in entries if not isinstance(value, frozenset)
            )
        case _:
            return False


_COMPARE: dict[Comparison, Callable[[int, int], bool]] = {
    Comparison.EQ: lambda a, b: a == b,
    Comparison.NE: lambda a, b: a != b,
    Comparison.LT: lambda a, b: a < b,
    Comparison.LE: lambda a, b: a <= b,
    Comparison.GT: lambda a, b: a > b,
    Comparison.GE: lambda a, b: a >= b,
}


DAY = 24 * 60 * 60 * 1_000_000
"""The microseconds of a day."""


class ExpressionWriter:
    """Writes the terms of one program as text."""

    def __init__(self, terms: PolicyTerms, strings: StringFamilies) -> None:
        self.terms = terms
        self.strings = strings
        self.result = "Result()"

    # --- conditions ----------------------------------------------------------------

    def condition(self, term: Term, names: LoweredNames) -> str:
        """The expression for a boolean term.

        Raises:
            LoweringLimit: the term has no exact counterpart in the program.
        """
        match term:
            case Constant(value):
                return str(bool(value))
            case ResultTerm():
                return self.result
            case Not(operand):
                return no(self.condition(operand, names))
            case And(operands):
                return both(self.condition(operand, names) for operand in operands)
            case Or(operands):
                return either(self.condition(operand, names) for operand in operands)
            case ImpliesTerm(condition, consequence):
                return f"Implies({self.condition(condition, names)}, {self.condition(consequence, names)})"
            case Quantified():
                return self._quantified(term, names)
            case IsMissing(variable):
                return self.missing(variable, names)
            case _:
                return self._test(term, names)

    def _test(self, term: Term, names: LoweredNames) -> str:
        match term:
            case Compare():
                return self._compare(term, names)
            case Member():
                return self._member(term, names)
            case StringTest(kind, text, tested_text):
                family = self.strings.of(text, names.scope)
                return self.among(text, family, family.where(string_test(kind, tested_text)), names)
            case Variable(name):
                return names.text[name]
            case Choice(condition, then, otherwise):
                return pick(
                    self.condition(condition, names),
                    self.condition(then, names),
                    self.condition(otherwise, names),
                )
            case Lookup(table, key, default):
                held = [entry_key for entry_key, value in self._entries(table) if value is True]
                is_listed = self._matches(key, held, names)
                if default is not None and default.value is True:
                    absent = [entry_key for entry_key, value in self._entries(table) if value is False]
                    return no(self._matches(key, absent, names))
                return is_listed
            case _:
                raise LoweringFault(f"{type(term).__name__} is not a condition.")

    def _quantified(self, term: Quantified, names: LoweredNames) -> str:
        if not isinstance(term.collection, SetVariable):
            raise LoweringFault("A quantifier over a constant set was not written out.")
        bound = fresh(term.variable.name, set(names.text.values()))
        inner = names.bind(term.variable.name, bound, term.collection.name)
        body = self.condition(term.body, inner)
        if term.quantifier is Quantifier.ANY:
            body = no(body)
        whole = f"Forall(int, lambda {bound}: Implies({bound} in {names.text[term.collection.name]}, {body}))"
        return f"(not {whole})" if term.quantifier is Quantifier.ANY else whole

    def _compare(self, term: Compare, names: LoweredNames) -> str:
        if term.operator in {Comparison.EQ, Comparison.NE}:
            equality = self._equal(term.left, term.right, names)
            return equality if term.operator is Comparison.EQ else no(equality)
        length = self._length(term, names)
        if length is not None:
            return length
        left, right = self.number(term.left, names), self.number(term.right, names)
        scale = max(left.scale, right.scale)
        return f"{left.at(scale)} {term.operator.value} {right.at(scale)}"

    def _length(self, term: Compare, names: LoweredNames) -> str | None:
        test = length_test(term.operator, term.left, term.right)
        if test is None:
            return None
        text, operator, bound = test
        family = self.strings.of(text, names.scope)
        codes = family.where(lambda word: _COMPARE[operator](len(word), bound))
        return self.among(text, family, codes, names)

    def _equal(self, left: Term, right: Term, names: LoweredNames) -> str:
        if isinstance(left, Constant):
            left, right = right, left
        left_missing, right_missing = self.missing(left, names), self.missing(right, names)
        if isinstance(right, Constant) and right.value is None:
            return left_missing
        equality = self._same(left, right, names)
        present = both((no(left_missing), no(right_missing), equality))
        return either((both((left_missing, right_missing)), present))

    def _same(self, left: Term, right: Term, names: LoweredNames) -> str:
        """The expression for equality of two present terms."""
        if is_text(self.terms, left) or is_text(self.terms, right):
            family = self.strings.of(left, names.scope)
            if isinstance(right, Constant) and isinstance(right.value, str):
                return self.among(left, family, [family.codes[right.value]], names)
            return f"{self.code(left, family, names)} == {self.code(right, family, names)}"
        if _is_condition(self.terms, left) or _is_condition(self.terms, right):
            return f"({self.condition(left, names)}) == ({self.condition(right, names)})"
        length = self._length(Compare(Comparison.EQ, left, right), names)
        if length is not None:
            return length
        left_number, right_number = self.number(left, names), self.number(right, names)
        scale = max(left_number.scale, right_number.scale)
        return f"{left_number.at(scale)} == {right_number.at(scale)}"

    def missing(self, term: Term, names: LoweredNames) -> str:
        """The expression for whether an optional term is missing."""
        if not optional(term):
            return "False"
        match term:
            case Variable(name):
                return f"{names.text[name]}_missing"
            case Choice(condition, then, otherwise):
                then_text, otherwise_text = self.missing(then, names), self.missing(otherwise, names)
                return pick(self.condition(condition, names), then_text, otherwise_text)
            case _:
                return "True"

    # --- membership ----------------------------------------------------------------

    def _member(self, term: Member, names: LoweredNames) -> str:
        item, collection = term.item, term.collection
        if isinstance(collection, SetVariable):
            family = self.strings.family(names.scope[collection.name])
            return f"{self.code(item, family, names)} in {names.text[collection.name]}"
        if isinstance(collection, ConstantSet):
            return self._matches(item, collection.values, names)
        if isinstance(collection, Elements):
            raise LoweringFault("A list was not made flat.")
        parts: list[str] = []
        groups: dict[frozenset[Scalar], list[Scalar]] = {}
        for key, value in self._entries(collection.table):
            if isinstance(value, frozenset) and value:
                groups.setdefault(value, []).append(key)
        for values, keys in groups.items():
            parts.append(
                both((self._matches(collection.key, keys, names), self._matches(item, values, names)))
            )
        return either(parts)

    def _entries(self, table: str) -> Iterable[tuple[Scalar, frozenset[Scalar] | Scalar]]:
        return self.terms.tables[table].entries.items()

    def _matches(self, item: Term, values: Iterable[Scalar], names: LoweredNames) -> str:
        """The expression for whether a term equals one of the constants."""
        listed = list(values)
        if is_text(self.terms, item):
            family = self.strings.of(item, names.scope)
            return self.among(
                item, family, [family.codes[value] for value in listed if isinstance(value, str)], names
            )
        if _is_condition(self.terms, item):
            text = self.condition(item, names)
            return either(f"({text})" if value else no(text) for value in listed)
        number = self.number(item, names)
        constants = [constant(value) for value in listed]
        scale = max([number.scale, *(lowered.scale for lowered in constants)])
        return ranges(
            [int(lowered.literal or 0) * 10 ** (scale - lowered.scale) for lowered in constants],
            number.at(scale),
        )

    def among(self, term: Term, family: StringFamily, codes: Iterable[int], names: LoweredNames) -> str:
        """The expression for whether the code of a string term is one of ``codes``."""
        wanted_codes = frozenset(codes)
        match term:
            case Constant(value):
                return str(isinstance(value, str) and family.codes[value] in wanted_codes)
            case Choice(condition, then, otherwise):
                then_text = self.among(then, family, wanted_codes, names)
                return pick(
                    self.condition(condition, names),
                    then_text,
                    self.among(otherwise, family, wanted_codes, names),
                )
            case _:
                text = self.code(term, family, names)
        if len(wanted_codes) == len(family.words):
            return "True"
        remaining_codes = frozenset(range(1, len(family.words) + 1)) - wanted_codes
        plain, negated = ranges(wanted_codes, text), ranges(remaining_codes, text)
        return plain if len(plain) <= len(negated) + 6 else no(negated)

    def code(self, term: Term, family: StringFamily, names: LoweredNames) -> str:
        """The expression for the code of a string term's value."""
        match term:
            case Constant(value):
                return str(family.codes[value]) if isinstance(value, str) else "1"
            case Variable(name):
                return names.text[name]
            case Choice(condition, then, otherwise):
                then_text = self.code(then, family, names)
                return pick(self.condition(condition, names), then_text, self.code(otherwise, family, names))
            case Lookup():
                return self._chosen(term, lambda value: str(family.codes[str(value)]), names)
            case _:
                raise LoweringFault(f"{type(term).__name__} is not a string.")

    def _chosen(self, term: Lookup, write: Callable[[Scalar], str], names: LoweredNames) -> str:
        """A table of scalars as nested conditional expressions, one per distinct value."""
        groups: dict[str, list[Scalar]] = {}
        for key, value in self._entries(term.table):
            if not isinstance(value, frozenset):
                groups.setdefault(write(value), []).append(key)
        if term.default is not None and term.default.value is not None:
            text = write(term.default.value)
            groups.pop(text, None)
        else:
            text, _ = groups.popitem()
        for value, keys in groups.items():
            text = pick(self._matches(term.key, keys, names), value, text)
        return text

    # --- numbers -------------------------------------------------------------------

    def number(self, term: Term, names: LoweredNames) -> Number:
        """The expression for a number, date or time as a scaled int.

        Raises:
            LoweringLimit: the length of a string is not compared with a constant.
        """
        match term:
            case Constant(value):
                return constant(value)
            case Variable(name):
                return Number(names.text[name], names.scale[name])
            case Arithmetic():
                return self._arithmetic(term, names)
            case Choice(condition, then, otherwise):
                then_number, otherwise_number = self.number(then, names), self.number(otherwise, names)
                scale = max(then_number.scale, otherwise_number.scale)
                return Number(
                    pick(self.condition(condition, names), then_number.at(scale), otherwise_number.at(scale)),
                    scale,
                )
            case Lookup(table, _, default):
                values = [value for _, value in self._entries(table) if not isinstance(value, frozenset)]
                values += [default.value] if default is not None and default.value is not None else []
                scale = max(constant(value).scale for value in values)
                return Number(self._chosen(term, lambda value: constant(value).at(scale), names), scale)
            case Length():
                raise LoweringLimit(
                    "The length of a string is compared with something other than a constant, "
                    "which the proof cannot translate; compare it with a number."
                )
            case _:
                raise LoweringFault(f"{type(term).__name__} is not a number.")

    def _arithmetic(self, term: Arithmetic, names: LoweredNames) -> Number:
        left, right = self.number(term.left, names), self.number(term.right, names)
        match term.operator:
            case "*":
                text = f"({left.at(left.scale)} * {right.at(right.scale)})"
                return Number(text, left.scale + right.scale)
            case "-" if _is_day(self.terms, term.left) and _is_day(self.terms, term.right):
                return Number(f"(({left.at(0)} - {right.at(0)}) * {DAY})")
            case "+" | "-":
                scale = max(left.scale, right.scale)
                return Number(f"({left.at(scale)} {term.operator} {right.at(scale)})", scale)
            case _:
                return Number(f"({left.at(0)} {term.operator} {right.at(0)})")
