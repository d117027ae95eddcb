"""Comparisons of a text that is read in a normal form with one that never has this form."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.dialect.call_file import CallFile
from workbench.policy.literals import literal
from workbench.policy.terms import (
    Attribute,
    Compare,
    Constant,
    ConstantSet,
    Elements,
    Member,
    Not,
    Quantified,
    StringTest,
    Term,
)
from workbench.policy.walk import subterms
from workbench.runs.values.found_value import Missing
from workbench.runs.values.normal_texts import normal_text


def form_of(term: Term, calls: CallFile) -> str:
    """The normal form in which a field of a call or of a record is read; empty for any other term."""
    owner = term.record.type.record if isinstance(term, Attribute) else None
    if owner is None or not isinstance(term, Attribute):
        return ""
    return calls.types.normal_forms.get((owner.name, term.name), "")


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
    """The text in a normal form; empty if it has none. A part of a statement is as it is."""
    if form == "statement" and is_part:
        return text
    try:
        return str(normal_text(text, form))
    except Missing:
        return ""
