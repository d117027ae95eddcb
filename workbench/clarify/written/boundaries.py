"""Whether a bound itself is on this side or the other: “more than” or “at least”."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from workbench.clarify.written.asked import BOUND, Asked, Effect, identity
from workbench.clarify.written.book import Book, SaidRule, places, replaced
from workbench.clarify.written.stated_bounds import HIGH, LOW, stated_side
from workbench.language.trees import Tree, canonical
from workbench.language.words import clock_text, date_text, duration_text, moment_text, number_text
from workbench.model import Arguments, Doubt
from workbench.policy.terms import And, Compare, Comparison, Constant, Not, Or, Term
from workbench.policy.walk import children, with_children
from workbench.question_wording import question_about

_OTHER = {">": ">=", ">=": ">", "<": "<=", "<=": "<"}
_NAMES = {">": "more-than", ">=": "at-least", "<": "less-than", "<=": "at-most"}
_MIRRORED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}
_BOUNDS = ("int", "dec", "dur", "clock", "date", "moment")


def boundaries(book: Book) -> Iterator[Asked]:
    """Yield a question for each bound of a rule of which its sentence does not say whether it is included."""
    for rule in book.rules:
        if (
            not rule.quote
            or book.is_pinned(rule)
            or book.sentence(rule.tree).casefold() == rule.quote.casefold()
        ):
            continue
        asked: set[str] = set()
        for path, atom in places(rule.condition):
            found = _asked(book, rule, path, atom)
            if found is not None and found.question.id not in asked:
                asked.add(found.question.id)
                yield found


def _asked(book: Book, rule: SaidRule, path: tuple[int, ...], atom: Tree) -> Asked | None:
    if len(atom) != 3 or atom[0] not in _OTHER:  # operator, left, right
        return None
    operator, left, right = atom
    if right[0] != "lit" and left[0] == "lit":
        operator, left, right = _MIRRORED[operator], right, left
    if right[0] != "lit" or right[1] not in _BOUNDS or left[0] == "lit" or right[2] == 0:
        return None
    side = LOW if operator in (">", "<=") else HIGH
    if stated_side(rule.quote, right[2]) == side:
        return None
    other = rule.with_condition(replaced(rule.condition, path, (_OTHER[operator], left, right)))
    now, then = book.sentence(rule.tree), book.sentence(other)
    if not now or not then:
        return None
    known, example = _example(book, rule.rule.body, operator, right[2])
    if known is False:  # no input is decided otherwise
        return None
    present, chosen = _NAMES[operator], _NAMES[_OTHER[operator]]
    doubt = Doubt(
        id=identity(BOUND, rule.quote, canonical(left), right[2], sorted((operator, _OTHER[operator]))),
        kind=BOUND,
        quote=rule.quote,
        span=rule.span,
        values=tuple(sorted((present, chosen))),
        default=present,
        requirements=rule.requirements,
        facts={"bound": _said(right)},
        value_facts={present: {"meaning": now}, chosen: {"meaning": then}},
    )
    return Asked(question_about(doubt, example), {chosen: Effect({rule.name: other})})


def _said(bound: Tree) -> str:
    """A bound as sentences have it."""
    sort, value = bound[1:]
    texts = {"dur": duration_text, "clock": clock_text, "date": date_text, "moment": moment_text}
    return texts[sort](value) if sort in texts else number_text(value)


def _example(book: Book, body: Term, operator: str, bound: object) -> tuple[bool | None, Arguments | None]:
    """Whether an input is decided otherwise by the rule with the other comparison, and such an input.

    The first is None where the comparison is inside an expression over the run, which is one argument.
    """
    other = _with_other(body, Comparison(operator), bound)
    if other == body:
        return None, None
    differing = Or((And((body, Not(other))), And((other, Not(body)))))
    if book.holds(differing) is False:
        return False, None
    return True, book.example(differing)


def _with_other(term: Term, operator: Comparison, bound: object) -> Term:
    """A term with the other comparison wherever something is compared with this bound."""
    if isinstance(term, Compare):
        mirrored = Comparison(_MIRRORED[operator])
        if term.operator is operator and isinstance(term.right, Constant) and term.right.value == bound:
            return replace(term, operator=Comparison(_OTHER[operator]))
        if term.operator is mirrored and isinstance(term.left, Constant) and term.left.value == bound:
            return replace(term, operator=Comparison(_OTHER[mirrored]))
        if (
            term.operator is _negated(operator)
            and isinstance(term.right, Constant)
            and term.right.value == bound
        ):
            return replace(term, operator=_negated(Comparison(_OTHER[operator])))
    return with_children(term, tuple(_with_other(part, operator, bound) for part in children(term)))


def _negated(operator: Comparison) -> Comparison:
    return operator.negated
