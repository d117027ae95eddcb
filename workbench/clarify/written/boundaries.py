"""Whether a bound itself is on this side or the other: “more than” or “at least”.

On which side of a bound the words of a sentence put the bound itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import chain

from workbench.clarify.written.asked import BOUND, MEANT, UNIT, Asked, Effect, identity
from workbench.clarify.written.book import MIRRORED, Book, Path, SaidRule, doubt_about, places, replaced
from workbench.clarify.written.holes import shape
from workbench.clarify.written.stated_amounts import (
    COUNTS,
    StatedAmount,
    Unit,
    agreeing,
    counts_of,
    meant_instead,
    unit_counted,
    value_of,
)
from workbench.clean_text import counted
from workbench.language.trees import Tree, canonical, text_of
from workbench.language.words import clock_text, date_text, duration_text, listed, moment_text, number_text
from workbench.model import Arguments, Doubt, Value
from workbench.policy.terms import And, Compare, Comparison, Constant, Not, Or, Term
from workbench.policy.types import LONGEST_DURATION
from workbench.policy.walk import children, with_children
from workbench.question_wording import phrase, question_about

_OTHER = {">": ">=", ">=": ">", "<": "<=", "<=": "<"}
_NAMES = {">": "more-than", ">=": "at-least", "<": "less-than", "<=": "at-most"}
_FROM_ON = {">": ">=", ">=": ">=", "<": "<", "<=": "<"}
"""The comparison whose bound is the first number for which it holds, or the first for which it does not."""
_BOUNDS = ("int", "dec", "dur", "clock", "date", "moment")

_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
STATED = "stated"
MOST_OPEN = 8
"""How many open questions there are at a time about the bounds of one sentence."""


@dataclass(frozen=True, slots=True)
class _Bound:
    """A bound at a place of a rule, and how what is left of it is compared with it."""

    rule: SaidRule
    path: Path
    left: Tree
    operator: str
    bound: Tree
    unit: Unit | None = None
    is_one_more: bool = False
    """Whether calls before this one are counted where its sentence counts this one, too."""

    @property
    def instead(self) -> Tree | None:
        """The bound in the unit of the sentence, where the rule has its number in another one."""
        number = meant_instead(self.rule.quote, self.bound[2], self.unit)
        if number is None:
            return None
        sort = self.bound[1]
        if sort == "dur":
            is_long = abs(number) > LONGEST_DURATION // timedelta(seconds=1)
            return None if is_long else ("lit", sort, timedelta(microseconds=int(number * 10**6)))
        exact = Decimal(number.numerator) / Decimal(number.denominator)
        if sort == "int" and number.denominator != 1:
            return None
        return ("lit", sort, int(number) if sort == "int" else exact)

    @property
    def _forms(self) -> Sequence[tuple[str, Value]]:
        """The comparisons of what the sentence counts that say the same."""
        written = self.operator, self.bound[2]
        if self.bound[1] != "int":
            return (written,)
        return said_otherwise(*written, is_one_more=self.is_one_more)

    @property
    def stated(self) -> tuple[str, Value]:
        """The comparison by a number of the sentence that says the same, or would of the calls before."""
        known = replace(self, is_one_more=False)._forms if self.is_one_more else ()
        text = self.rule.quote.casefold()
        return next((one for one in (*self._forms, *known) if [*_numbers_at(text, one[1])]), self._forms[0])

    @property
    def sides(self) -> Mapping[str, Tree]:
        """The two sides on which the number of the sentence may be, each as the rule says it.

        That may be none of what the rule says: calls before this one are counted up to the number for this
        one.
        """
        (operator, number), literal = self.stated, self.bound[:2]
        both = {_NAMES[one]: (one, self.left, (*literal, number)) for one in (operator, _OTHER[operator])}
        if not isinstance(number, int):
            return both
        if self.is_one_more:
            first = _FROM_ON[operator]
            both = {
                name: (first, self.left, (*literal, number - (side_of(one[0]) == _HIGH)))
                for name, one in both.items()
            }
        own = self.operator, self.left, self.bound
        return {name: own if _first_held(one) == _first_held(own) else one for name, one in both.items()}

    def side(self, name: str) -> Tree:
        """What the rule says with the bound on a side; as it stands, where that is none."""
        return self.sides.get(name, (self.operator, self.left, self.bound))

    @property
    def present(self) -> str:
        """The name of what the rule says; that it is meant where it is neither side."""
        own = self.operator, self.left, self.bound
        return next((name for name, one in self.sides.items() if one == own), MEANT)

    @property
    def is_stated(self) -> bool:
        """Whether the sentence of the request puts the bound on the side on which the rule has it."""
        return any(self._is_stated(*form) for form in self._forms)

    def _is_stated(self, operator: str, bound: Value) -> bool:
        if isinstance(bound, int | Decimal) and bound < 0:  # “at most 5” says as much of -5
            operator, bound = MIRRORED[operator], -bound
        is_day = self.left[0] == "attr" and self.left[-1] == "weekday"
        side = (
            side_of_day(self.rule.quote, bound)
            if is_day
            else stated_side(self.rule.quote, bound, [*agreeing(self.rule.quote, bound, self.unit)])
        )
        return side == side_of(operator)

    @property
    def identity(self) -> str:
        """The id of the question, which is the same for all rules of a sentence with this bound."""
        return identity(BOUND, self.rule.quote, canonical(self.left), self.stated[1], self._operators)

    @property
    def _operators(self) -> Sequence[str]:
        return sorted((self.operator, _OTHER[self.operator]))

    @property
    def wording(self) -> str:
        """The id of one question about bounds after the same word, also of sentences with other constants."""
        texts = {str(part[2]) for _, part in places(self.rule.condition) if part[:2] == ("lit", "text")}
        words = self.rule.quote.casefold()
        for text in sorted(texts, key=len, reverse=True):
            words = words.replace(text.casefold(), "#") if text.strip() else words
        before = _word_before(self.rule.quote.casefold(), self.stated[1]) or repr(shape(self.left))
        return identity(BOUND, "alike", _DIGITS.sub("#", words), before, self._operators)


def next_to(operator: str, bound: int) -> tuple[str, int]:
    """The other comparison of whole numbers that says the same: at least 21 is more than 20."""
    return _OTHER[operator], bound + (1 if operator in (">", "<=") else -1)


def said_otherwise(operator: str, bound: int, *, is_one_more: bool) -> Sequence[tuple[str, int]]:
    """A comparison of whole numbers and the other that says the same, in terms of what a sentence counts.

    Where earlier calls are counted, the call itself ``is_one_more``: with 20 of them it is the twenty-first.
    """
    bound += is_one_more
    return (operator, bound), next_to(operator, bound)


_COUNTED_CALLS = re.compile(
    r"(?:len\(|sum\(1 for \w+ in |len\(\{\w+(?:\.\w+)+ for \w+ in )run\.earlier\((?P<classes>[\w, ]+)\)"
)
"""Calls before a call, or the different values of a parameter that they have."""
_CALLS_BEFORE = re.compile(
    r"(?<!without )(?<!with )(?<!no )\b(?:earlier|previous|prior|preceding)\b(?! than| to)"
    r"|\b(?:already|previously|so far)\b|\bbefore\b(?=\s*(?:$|[.,;:)])| (?:it|this|that|then|now)\b)"
)
"""How a sentence speaks of the calls before a call alone."""


def counts_this_call_too(sentence: str, counted: str, classes: Set[str]) -> bool:
    """Whether a sentence counts a call of some classes, too, where an expression counts those before it."""
    found = _COUNTED_CALLS.match(counted)
    is_own = found is not None and classes <= {*re.findall(r"\w+", found["classes"])}
    return is_own and _CALLS_BEFORE.search(sentence.casefold()) is None


def _first_held(comparison: Tree) -> int:
    """From which number on a comparison of whole numbers holds, or the first for which it does not."""
    operator, _, (_, _, bound) = comparison
    return bound + (operator in (">", "<="))


def side_of(operator: str) -> str:
    """The side on which a comparison puts its bound."""
    return _LOW if operator in (">", "<=") else _HIGH


def boundaries(book: Book) -> Iterator[Asked]:
    """Yield a question for each bound of a sentence that does not say whether it is included.

    What is settled by the sentence or by a person's clause is asked only where it was answered: the rule may
    have been turned since. A question is about all rules of the sentence that have such a bound, and of
    sentences that differ from it in constants alone; its answer changes each of them. Of one sentence few are
    open at a time: each writes its rules whole, twice, and the next are asked when these are answered.
    """
    found: dict[str, list[_Bound]] = {}
    yield from _units(book)
    for rule in book.rules:
        asked = [
            one
            for one in _bounds(book, rule)
            if one.identity in book.answered or not (one.is_stated or one.instead)
        ]
        said = book.sentence(rule.tree) if asked and rule.quote else ""
        if not said:
            continue
        settled = book.is_pinned(rule) or said.casefold() == rule.quote.casefold()
        for one in asked:
            if one.identity in book.answered or not settled:
                found.setdefault(one.identity, []).append(one)
    open_of: Counter[str] = Counter()
    for name, bounds in _alike(book, found):
        quote, is_open = bounds[0].rule.quote, name not in book.answered
        if is_open and open_of[quote] >= MOST_OPEN:
            continue
        if (asked := _asked(book, name, bounds)) is not None:
            open_of[quote] += is_open
            yield asked


def _bounds(book: Book, rule: SaidRule) -> Iterator[_Bound]:
    """Yield the bounds of a rule, each with the unit in which it counts."""
    for path, atom in places(rule.condition):
        one = _bound(rule, path, atom)
        if one is not None and (rule.name, one.bound) not in book.chosen:
            texts = [_counted(book, each) for each in _addends(one.left)]
            is_one_more = any(counts_this_call_too(rule.quote, each, {*rule.classes}) for each in texts)
            yield replace(one, unit=unit_counted(book, rule, one.left), is_one_more=is_one_more)


def _addends(tree: Tree) -> Sequence[Tree]:
    """What is added up, or what is compared alone."""
    return [one for part in tree[1:] for one in _addends(part)] if tree[0] == "+" else [tree]


def _counted(book: Book, tree: Tree) -> str:
    """What is compared with a bound, with what its fact says in the place of the fact."""
    while tree[0] == "call" and (meaning := book.meaning(tree)) is not None:
        tree = meaning
    return text_of(tree) if tree[0] == "call" else ""


def _units(book: Book) -> Iterator[Asked]:
    """Yield a question for each bound that has the number of its sentence in another unit."""
    for rule in book.rules:
        for one in _bounds(book, rule) if not book.is_pinned(rule) else ():
            if (instead := one.instead) is None:
                continue
            said = rule.with_condition(replaced(rule.condition, one.path, (one.operator, one.left, instead)))
            if meaning := book.sentence(said):
                yield _asked_of_unit(book, one, instead, said, meaning)


def _asked_of_unit(book: Book, one: _Bound, instead: Tree, tree: Tree, meaning: str) -> Asked:
    """The question which unit is meant, with an input between the two."""
    rule = one.rule
    between, example = _between(book, one, instead)
    doubt = doubt_about(
        [rule],
        UNIT,
        identity(UNIT, rule.quote, canonical(one.left), one.bound[2]),
        (STATED, MEANT),
        facts={
            "says": book.says(rule),
            "now": _said(one),
            "then": _said(replace(one, bound=instead)),
            "between": between,
        },
        value_facts={STATED: {"meaning": meaning}},
    )
    effect = Effect({rule.name: tree}, about=(rule.name,))
    return Asked(question_about(doubt, example), {STATED: effect}, (rule.name,))


def _between(book: Book, one: _Bound, instead: Tree) -> tuple[str, Arguments | None]:
    """What the rule does to an input that it would decide otherwise with another bound, and that input."""
    body = one.rule.rule.body
    other = _with_bound(body, one.bound[2], instead[2])
    is_permit = one.rule.form == "permit"
    for holds, term in ((True, And((body, Not(other)))), (False, And((other, Not(body))))):
        if book.holds(term) is not False and (example := book.example(term)) is not None:
            shown = ", ".join(f"{name} {value}" for name, value in example.items())
            if holds is is_permit:
                return phrase("unit", "passes", input=shown), example
            return phrase("unit", "stopped", input=shown), example
    return "", None


def _as_sort_of(value: Value, other: Value) -> Value:
    """Another number in the sort of a value: a decimal number is compared with such ones only."""
    return Decimal(other) if isinstance(value, Decimal) and isinstance(other, int) else other


def _with_bound(term: Term, bound: Value, other: Value) -> Term:
    """A term with another constant wherever something is compared with a bound."""
    if isinstance(term, Compare):
        sides = (term.left, term.right)
        left, right = (
            replace(side, value=_as_sort_of(side.value, other))
            if isinstance(side, Constant) and side.value == bound
            else side
            for side in sides
        )
        if (left, right) != sides:
            return replace(term, left=left, right=right)
    return with_children(term, tuple(_with_bound(part, bound, other) for part in children(term)))


def _alike(book: Book, found: Mapping[str, Sequence[_Bound]]) -> Iterator[tuple[str, Sequence[_Bound]]]:
    """Yield the bounds that a question is about: all of one wording, but for those that have an answer."""
    groups: dict[str, list[Sequence[_Bound]]] = {}
    for name, bounds in found.items():
        groups.setdefault(name if name in book.answered else bounds[0].wording, []).append(bounds)
    for name, several in groups.items():
        is_one = len(several) == 1 and name not in book.answered
        yield several[0][0].identity if is_one else name, [*chain.from_iterable(several)]


def _bound(rule: SaidRule, path: Path, atom: Tree) -> _Bound | None:
    if len(atom) != 3 or atom[0] not in _OTHER:  # operator, left, right
        return None
    operator, left, right = atom
    if right[0] != "lit" and left[0] == "lit":
        operator, left, right = MIRRORED[operator], right, left
    if right[0] != "lit" or right[1] not in _BOUNDS or left[0] == "lit" or right[2] == 0:
        return None
    return _Bound(rule, path, left, operator, right)


def _asked(book: Book, identity_: str, bounds: Sequence[_Bound]) -> Asked | None:
    by_rule: dict[str, list[_Bound]] = {}
    for one in bounds:
        by_rule.setdefault(one.rule.name, []).append(one)
    names = tuple(sorted(bounds[0].sides))
    asked: list[SaidRule] = []
    saying: dict[str, dict[str, Tree]] = {name: {} for name in names}
    present: set[str] = set()
    examples: dict[Tree, tuple[bool | None, Arguments | None]] = {}
    for same_rule in by_rule.values():
        rule = same_rule[0].rule
        trees = {name: _saying(same_rule, name) for name in names}
        if not all(book.sentence(tree) for tree in trees.values()):
            continue
        form = shape(rule.tree)
        if form not in examples:
            known = (_example(book, one, side) for one in same_rule for side in one.sides.values())
            examples[form] = next((one for one in known if one[0] is not False), (False, None))
        if examples[form][0] is False:  # no input is decided otherwise
            continue
        asked.append(rule)
        present |= {one.present for one in same_rule}
        for name, tree in trees.items():
            saying[name][rule.name] = tree
    example = next((one for _, one in examples.values() if one is not None), None)
    told = [one for one in bounds if one.rule.quote == bounds[0].rule.quote]
    return _question(book, identity_, told, asked, saying, present, example) if asked else None


def _left_named(book: Book, bound: _Bound) -> str:
    """What is compared with a bound, where the rule compares another value with it too; else nothing."""
    others = (one for one in _bounds(book, bound.rule) if one.bound == bound.bound)
    if all(one.left == bound.left for one in others):
        return ""
    tools = [book.tool_of(name) for name in bound.rule.classes]
    named = book.language.value(text_of(bound.left), tools)
    return f" ({named})" if named else ""


def _question(
    book: Book,
    identity_: str,
    told: Sequence[_Bound],
    rules: Sequence[SaidRule],
    saying: Mapping[str, Mapping[str, Tree]],
    present: Set[str],
    example: Arguments | None,
) -> Asked:
    """The question about the rules of a sentence; its default is that each stays, if they say both sides."""
    now = {rule.name: rule.tree for rule in rules}
    meant = {} if len(present) == 1 and MEANT not in present else {MEANT: now}
    changed = {
        name: {rule: tree for rule, tree in trees.items() if tree != now[rule]}
        for name, trees in saying.items()
    }
    own = [*dict.fromkeys(_said(replace(one, bound=(*one.bound[:2], one.stated[1]))) for one in told)]
    quotes = list(dict.fromkeys(rule.quote for rule in rules))
    others = phrase("bound", "alike", number=counted(len(quotes) - 1, "sentence")) if quotes[1:] else ""
    itself = f"{listed(own, 'and')} {'themselves' if own[1:] else 'itself'}{_left_named(book, told[0])}"
    doubt = Doubt(
        id=identity_,
        kind="bound-counted" if told[0].is_one_more else BOUND,
        quote=told[0].rule.quote,
        span=told[0].rule.span,
        values=(*saying, *meant),
        default=MEANT if meant else next(iter(present)),
        requirements=tuple(dict.fromkeys(name for rule in rules for name in rule.requirements)),
        facts={"bound": itself, "more": others},
        value_facts={
            name: {"meaning": _meaning(book, trees, quotes, rules), "outcome": _outcome(told, name, itself)}
            for name, trees in {**saying, **meant}.items()
        },
    )
    about = tuple(now)
    effects = {name: Effect(said, about=about) for name, said in changed.items() if said}
    return Asked(question_about(doubt, example), effects, about)


def _meaning(book: Book, trees: Mapping[str, Tree], quotes: Sequence[str], rules: Sequence[SaidRule]) -> str:
    """What the rules of the first sentence say; those of others like it say it likewise."""
    first = [book.sentence(trees[rule.name]) for rule in rules if rule.quote == quotes[0]]
    return " ".join(first) + (phrase("bound", "likewise") if quotes[1:] else "")


def _outcome(bounds: Sequence[_Bound], name: str, itself: str) -> str:
    """What the rules do to the bounds themselves with them on one side: nothing where that is not one thing.

    Where they count the calls before a call it is what they do from which of the calls on, or up to which.
    """
    first = bounds[0]
    effects = {_effect(one, name) for one in bounds}
    if len(effects) > 1:
        return ""
    ((does, form),) = effects
    if first.is_one_more:
        begins = _FROM_ON[first.operator] == ">="
        number = number_text(_first_held(first.side(name)) + begins)
        itself = phrase("bound-counted", "from" if begins else "up-to", number=number)
    decided = _DECIDED[form][0 if does else 1]
    return phrase("bound", "outcome", bound=f"{itself[0].upper()}{itself[1:]}", decided=decided)


def _effect(one: _Bound, name: str) -> tuple[bool, str]:
    """Whether a rule does what it is for with the bound on a side, and what; or whether it counts there."""
    does, form = one.is_one_more or one.side(name)[0] in (">=", "<="), one.rule.form
    condition, outer = one.rule.condition, ""
    for number in one.path:
        match condition[0]:
            case "and" | "or" | "call" | "gen" if condition[:2] not in _COUNTING:
                does ^= condition[0] == "gen" and number == _GIVEN and outer == "all"
            case "not":
                does = not does
            case _:
                does, form = one.side(name)[0] in (">=", "<="), "counted"
        condition, outer = condition[number], str(condition[1])
    return does, form


_DECIDED = {
    "forbid": ("denied", "not denied"), "ask": ("a person is asked", "nobody is asked"),
    "permit": ("allowed", "not allowed"), "counted": ("counted", "not counted"),
}  # fmt: skip
"""What a rule does, by its form, and what it leaves open."""
_GIVEN = 4
"""The place of the condition under which a generator has an element."""
_COUNTING = (("call", "len"), ("call", "sum"), ("call", "min"), ("call", "max"))


def _saying(bounds: Sequence[_Bound], name: str) -> Tree:
    """The rule of some bounds, with each of them on a side."""
    rule = bounds[0].rule
    condition = rule.condition
    for one in bounds:
        condition = replaced(condition, one.path, one.sides[name])
    return rule.with_condition(condition)


def _said(of: _Bound) -> str:
    """A bound as sentences have it; a day of the week with its name, as rules have only its number."""
    sort, value = of.bound[1:]
    if sort == "int" and of.left[0] == "attr" and of.left[-1] == "weekday" and value in _DAYS:
        return f"{_DAYS[value]} ({value})"
    texts = {"dur": duration_text, "clock": clock_text, "date": date_text, "moment": moment_text}
    return texts[sort](value) if sort in texts else number_text(value)


def _example(book: Book, one: _Bound, side: Tree) -> tuple[bool | None, Arguments | None]:
    """Whether an input is decided otherwise by the rule with a side of a bound, and such an input.

    The first is None where the comparison is inside an expression over the run, which is one argument.
    """
    body = one.rule.rule.body
    if side == (one.operator, one.left, one.bound):
        return False, None
    other = _with_other(body, (one.operator, one.bound[2]), (side[0], side[2][2]))
    if other == body:
        return None, None
    differing = Or((And((body, Not(other))), And((other, Not(body)))))
    if book.holds(differing) is False:
        return False, None
    return True, book.example(differing)


type _Comparison = tuple[str, Value]
"""An operator and the bound after it."""


def _with_other(term: Term, own: _Comparison, other: _Comparison) -> Term:
    """A term with another comparison wherever something is compared with this bound."""
    (operator, bound), (changed, new) = own, other
    if isinstance(term, Compare):
        for each, instead in (
            (Comparison(operator), Comparison(changed)),
            (Comparison(operator).negated, Comparison(changed).negated),
        ):
            if term.operator is each and isinstance(term.right, Constant) and term.right.value == bound:
                right = replace(term.right, value=_as_sort_of(term.right.value, new))
                return replace(term, operator=instead, right=right)
            if term.operator is each.turned and isinstance(term.left, Constant) and term.left.value == bound:
                left = replace(term.left, value=_as_sort_of(term.left.value, new))
                return replace(term, operator=instead.turned, left=left)
    return with_children(term, tuple(_with_other(part, own, other) for part in children(term)))


_DAYS = dict(
    enumerate(("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"), start=1)
)
_LOW, _HIGH = "low", "high"
_NUMBER = re.compile(rf"(?<![\w.,])(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d+)?(?!\w)|\b(?:{'|'.join(COUNTS)})\b")
_BEFORE = {
    _LOW: (
        *(
            "more than",
            "over",
            "exceed(?:s|ed|ing)?",
            "above",
            "beyond",
            "at most",
            "up to",
            "within",
            "first",
        ),
        "(?:older|longer|greater|higher|larger|later) than",
        "(?:not|never) (?:\\w+ing )?(?:after|beyond|past)",
        *("not? (?:more|later|longer|older) than", "maximum(?: of)?", "max", "limit(?: of)?"),
        "up to and including",
    ),
    _HIGH: (
        *("less than", "fewer than", "under", "below", "at least", "minimum(?: of)?", "min"),
        *("(?:younger|shorter|smaller|lower|earlier) than", "not? (?:less|fewer|earlier|younger) than"),
        "(?:not|never) (?:\\w+ing )?before",
    ),
}
"""The words before a number that put it on a side."""
_AFTER = {
    _LOW: ("or (?:less|fewer|younger|earlier|sooner)", "at (?:the )?most", "(?:as a )?maximum"),
    _HIGH: ("or (?:more|older|later)", "at (?:the )?least", "(?:as a )?minimum"),
}
"""The words after a number, or after what it counts, that put it on a side."""
_IS_BEFORE = {
    side: re.compile(rf"\b(?:{'|'.join(words)})\W+(?:\w+\W+){{0,2}}$") for side, words in _BEFORE.items()
}
_IS_AFTER = {
    side: re.compile(rf"^\W*(?:\w+\W+){{0,2}}(?:{'|'.join(words)})\b") for side, words in _AFTER.items()
}
_FROM, _ON = re.compile(r"\b(?:from|starting|as of)\W+$"), re.compile(r"^\W*(?:on|onwards?|upwards?)\b")
_AT_A_TIME = {_LOW: re.compile(r"\bafter\W+$"), _HIGH: re.compile(r"\bbefore\W+$")}
"""The words before a point in time that put it on a side."""
_CLOCK = re.compile(r"(?<![\w:.])(?P<hour>\d\d?):(?P<minute>\d\d)(?![\w:])(?! ?[ap]\.?m)")
_A_DAY = f"({'|'.join(_DAYS.values())})".casefold()
_FROM_DAY_TO_DAY = re.compile(rf"\b{_A_DAY}(?: to | through | - |-|–| – ){_A_DAY}\b")
_NAMED_DAYS = {
    r"(?:week|work|working|business)[ -]?days?\b": ("monday", "friday"),
    r"weekends?\b": ("saturday", "sunday"),
}
"""The first and the last of the days that a word names."""
_MONTHS = re.compile(r"^\W*months?\b")
_DAYS_OF_A_MONTH = (28, 31)


def stated_side(sentence: str, bound: object, agreeing: Sequence[StatedAmount] = ()) -> str:
    """The side on which a sentence puts a bound, ``low`` for “more than” and “at most”; empty if it is open.

    It is open too where the sentence has the number twice, with different words. ``agreeing`` are the amounts
    of the sentence that are the bound in another unit.
    """
    text = sentence.casefold()
    if isinstance(bound, date | time) and not isinstance(bound, datetime):
        at_points = {*_points(text, bound)}
        return at_points.pop() if len(at_points) == 1 else ""
    sides = {_side(text[: one.start()], text[one.end() :]) for one in _numbers_at(text, bound)}
    sides |= {_side(text[: one.start], text[one.end :]) for one in agreeing}
    return sides.pop() if len(sides) == 1 else ""


def _points(text: str, bound: date | time) -> Iterator[str]:
    """Yield the side on which a text puts a time of the day or a date, at each place that has it."""
    if isinstance(bound, time):
        found = [
            one
            for one in _CLOCK.finditer(text)
            if (int(one["hour"]), int(one["minute"]), 0) == (bound.hour, bound.minute, bound.second)
        ]
    else:
        written = (bound.isoformat(), date_text(bound).casefold())
        found = [one for form in written for one in re.finditer(rf"(?<!\w){re.escape(form)}(?!\w)", text)]
    for one in found:
        before, after = text[: one.start()], text[one.end() :]
        sides = (side for side, word in _AT_A_TIME.items() if word.search(before))
        yield next(sides, "") or _side(before, after)


def side_of_day(sentence: str, day: object) -> str:
    """The side on which “Monday to Friday”, or “weekdays”, puts its two days; empty for another day."""
    text = sentence.casefold()
    found = _FROM_DAY_TO_DAY.findall(text)
    found += [pair for words, pair in _NAMED_DAYS.items() if re.search(rf"\b{words}", text)]
    name = _DAYS[day].casefold() if isinstance(day, int) and day in _DAYS else ""
    sides = {side for pair in found for side, own in zip((_HIGH, _LOW), pair, strict=True) if own == name}
    return sides.pop() if len(sides) == 1 else ""


_NEAR = 80
"""The characters beside a number in which the words that put it on a side stand."""


def _side(before: str, after: str) -> str:
    before, after = before[-_NEAR:], after[:_NEAR]
    if _FROM.search(before) and _ON.search(after):
        return _HIGH
    for side in (_LOW, _HIGH):
        if _IS_BEFORE[side].search(before) or _IS_AFTER[side].search(after):
            return side
    return ""


def _word_before(text: str, bound: object) -> str:
    """The word before a bound in a sentence; empty if the sentence does not have its number."""
    words = (re.findall(r"\w+", text[: found.start()])[-1:] for found in _numbers_at(text, bound))
    return next((one[0] for one in words if one), "")


def _numbers_at(text: str, bound: object) -> Iterator[re.Match[str]]:
    """Yield the places of a text that have a bound as a number, or a duration in months."""
    numbers = {*_numbers_of(bound)}
    for found in _NUMBER.finditer(text):
        if value_of(found.group()) in numbers or _is_months(found.group(), text[found.end() :], bound):
            yield found


def _is_months(number: str, after: str, bound: object) -> bool:
    """Whether a number of months, which a rule can only say in days, is a bound."""
    if not isinstance(bound, timedelta) or not _MONTHS.search(after):
        return False
    least, most = (days * value_of(number) for days in _DAYS_OF_A_MONTH)
    return least <= bound.days <= most and not bound % timedelta(days=1)


def _numbers_of(bound: object) -> Iterator[Fraction]:
    """The numbers by which a bound may be said; of a duration in each of its units."""
    if isinstance(bound, int | Decimal):
        yield Fraction(bound)
    elif isinstance(bound, timedelta):
        yield from map(Fraction, counts_of(bound))
