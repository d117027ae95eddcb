"""Comparisons of a text with what it never is: in a normal form, or as a part of a kind."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.dialect.call_fields import field_and_part, kind_of_field
from workbench.dialect.call_file import CallFile
from workbench.policy.literals import literal
from workbench.policy.terms import (
    Attribute,
    Compare,
    CompareFields,
    Comparison,
    Constant,
    ConstantSet,
    Count,
    Elements,
    FieldSet,
    Member,
    Not,
    Quantified,
    StringTest,
    Sum,
    Term,
    Variable,
)
from workbench.policy.types import STR
from workbench.policy.walk import BINDERS, children, subterms
from workbench.runs.kinds.kinds_by_name import KINDS, kind_of
from workbench.runs.values.found_value import Missing
from workbench.runs.values.normal_texts import CASELESS, TRIMMED, normal_text

if TYPE_CHECKING:
    from workbench.runs.kinds.value_kind import Form


def form_of(term: Term, calls: CallFile) -> str:
    """The normal form in which a field of a call or of a record is read; empty for any other term."""
    return _read_form(term, calls) or ""


def _read_form(term: Term, calls: CallFile) -> str | None:
    """The normal form of a field, empty for a text that is read as it is written; None for what is no field.

    Of a field that several classes have in different forms nothing is known.
    """
    owner = term.record.type.record if isinstance(term, Attribute) else None
    if owner is None or not isinstance(term, Attribute):
        return None
    forms = {calls.types.normal_forms.get((name, term.name)) for name in owner.name.split(" | ")}
    return forms.pop() if len(forms) == 1 else None


_COMPARING = (CompareFields, Member, StringTest, *BINDERS)


def may_compare_texts(term: Term) -> bool:
    """Whether a term, or what it is the contrary of, compares something itself that may be a text."""
    condition = term.operand if isinstance(term, Not) else term
    if not isinstance(condition, Compare):
        return isinstance(condition, _COMPARING)
    constants = [one for one in (condition.left, condition.right) if isinstance(one, Constant)]
    return not constants or any(isinstance(one.value, str) for one in constants)


def in_own_spelling(term: Term, calls: CallFile) -> Term:
    """A comparison with its constant texts as the field has them, whose case or outer blanks do not count."""

    def own(place: Term, text: str, *, is_part: bool = False) -> str:
        form = form_of(place, calls)
        return _in_form(text, form, is_part=is_part) if form in CASELESS | TRIMMED else text

    match term:
        case Not(operand):
            return Not(in_own_spelling(operand, calls))
        case Compare(operator, place, Constant(str(text))):
            return Compare(operator, place, Constant(own(place, text)))
        case Compare(operator, Constant(str(text)), place):
            return Compare(operator, Constant(own(place, text)), place)
        case StringTest(kind, place, text):
            return StringTest(kind, place, own(place, text, is_part=True))
        case Member(Constant(str(text)), Elements(place)):
            return replace(term, item=Constant(own(place, text)))
        case Member(place, ConstantSet(values)):
            owned = [own(place, each) if isinstance(each, str) else each for each in values]
            return term if owned == [*values] else Member(place, ConstantSet(tuple(dict.fromkeys(owned))))
        case _:
            return term


def say_other_spellings(node: ast.expr, term: Term, calls: CallFile) -> None:
    """Say that a comparison is with a text that the field never has: it would never find it."""
    condition = term.operand if isinstance(term, Not) else term
    for form, text, is_part in _compared(condition, calls):
        own = _in_form(text, form, is_part=is_part)
        if own == text:
            continue
        calls.file.say(
            node,
            f"`{ast.unparse(node)[:80]}` never finds {literal(text)}: the field is read in the normal form "
            f'"{form}".',
            f"Write {literal(own)}." if own else "Such a text is none in this form.",
        )


def say_no_such_part(node: ast.expr, term: Term, calls: CallFile) -> None:
    """Say that a part of a kind is compared with a text that it never is, and what its texts are like."""
    condition = term.operand if isinstance(term, Not) else term
    for place, text in _compared_places(condition):
        form = _form_of_part(place)
        if form is not None and not re.fullmatch(form.pattern, text):
            calls.file.say(
                node, f"`{ast.unparse(node)[:80]}` never finds {literal(text)}: it is always {form.words}.",
                "Write it so.",
            )  # fmt: skip
            return


def _form_of_part(place: Term) -> Form | None:
    """What each text of a part of a kind is like; None for any other term, and where any text is one."""
    if not isinstance(place, Attribute) or (holder := place.record.type.record) is None:
        return None
    name, part = field_and_part(place.name)
    kind = KINDS.get(kind_of_field(holder, name)) if part else kind_of(holder)
    return None if kind is None else kind.forms.get(part or name)


def _compared_places(condition: Term) -> Iterator[tuple[Term, str]]:
    """Yield each constant text with what it is compared with as a whole: a list, for one of its elements."""
    if isinstance(condition, Quantified) and isinstance(condition.collection, Elements):
        for part in subterms(condition.body):
            if not isinstance(part, StringTest):
                of_element = (text for place, text in _texts(part) if place == condition.variable)
                yield from ((condition.collection.term, text) for text in of_element)
    elif not isinstance(condition, StringTest):
        yield from _texts(condition)


def say_different_forms(node: ast.expr, term: Term, calls: CallFile) -> None:
    """Say that two fields are compared which are read in different forms: equal texts would differ."""
    condition = term.operand if isinstance(term, Not) else term
    binder = condition if isinstance(condition, BINDERS) else None
    for left, right in _compared_fields(condition, calls, {}, binder):
        if left == right:
            continue
        one, other = (f'in the form "{form}"' if form else "as it is written" for form in (left, right))
        calls.file.say(
            node,
            f"`{ast.unparse(node)[:80]}` compares a text that is read {one} with one that is read {other}: "
            "they differ for one thing.",
            f'Say normal = "{left or right}" for both fields in agent.toml.',
        )
        return


type _Forms = Mapping[str, str | None]
"""The forms of the texts that are elements in scope."""


def _compared_fields(
    term: Term, calls: CallFile, elements: _Forms, binder: Quantified | Count | Sum | None
) -> Iterator[tuple[str, str]]:
    """Yield the forms of two fields that are compared.

    Within a ``binder`` these are the comparisons of its element: others are said where they stand.
    """
    match term:
        case Compare(Comparison.EQ | Comparison.NE, left, right) | Member(left, Elements(right)):
            yield from _two_forms((left, right), calls, elements, binder)
        case CompareFields(_, left, right):
            for one, other in zip(_of_side(left), _of_side(right), strict=False):
                yield from _two_forms((one, other), calls, elements, binder)
        case _:
            pass
    if isinstance(term, BINDERS):
        of_collection = term.collection.term if isinstance(term.collection, Elements) else None
        form = None if of_collection is None else _form_in(of_collection, calls, elements)
        elements = {**elements, term.variable.name: form}
    if binder is not None:
        for part in children(term):
            yield from _compared_fields(part, calls, elements, binder)


def _two_forms(
    sides: tuple[Term, Term], calls: CallFile, elements: _Forms, binder: Quantified | Count | Sum | None
) -> Iterator[tuple[str, str]]:
    if binder is not None and binder.variable not in sides:
        return
    left, right = (_form_in(side, calls, elements) for side in sides)
    if left is not None and right is not None:
        yield left, right


def _form_in(term: Term, calls: CallFile, elements: _Forms) -> str | None:
    return elements.get(term.name) if isinstance(term, Variable) else _read_form(term, calls)


def _of_side(side: FieldSet) -> Iterator[Term]:
    """The texts of the elements of a list that are compared: the elements, or their fields."""
    place = side.collection.term
    element = place.type.element
    if not side.fields:
        yield place
    elif element is not None and element.record is not None:
        for name in side.fields:
            yield Attribute(Variable("", element), name, element.record.field(name) or STR)


def _compared(condition: Term, calls: CallFile) -> Iterator[tuple[str, str, bool]]:
    """Yield each constant text that is compared with a field in a normal form, and whether it is a part."""
    if isinstance(condition, Quantified) and isinstance(condition.collection, Elements):
        form = form_of(condition.collection.term, calls)
        for part in subterms(condition.body) if form else ():
            for place, text in _texts(part):
                if place == condition.variable:
                    yield form, text, isinstance(part, StringTest)
        return
    for place, text in _texts(condition):
        if form := form_of(place, calls):
            yield form, text, isinstance(condition, StringTest)


def _texts(condition: Term) -> Iterator[tuple[Term, str]]:
    """Yield each constant text of a comparison with what it is compared with."""
    match condition:
        case Compare(_, place, Constant(str(text))) | Compare(_, Constant(str(text)), place):
            yield place, text
        case StringTest(_, place, text):
            yield place, text
        case Member(Constant(str(text)), Elements(place)):
            yield place, text
        case Member(place, ConstantSet(values)):
            for value in values:
                if isinstance(value, str):
                    yield place, value
        case _:
            return


def _in_form(text: str, form: str, *, is_part: bool) -> str:
    """The text in a normal form; empty if it has none. A part keeps the blanks at its ends."""
    if is_part and form in ("statement", *TRIMMED):
        return text.casefold() if form in CASELESS else text
    try:
        return str(normal_text(text, form))
    except Missing:
        return ""
