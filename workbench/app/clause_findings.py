"""What no clause of the contract demands, as questions to a person and as what the session owes.

A requirement without a clause, and a tool of which no clause demands that a call is allowed, are findings:
the proof says nothing about them. A person writes the clause, or accepts the finding by an answer.
The answer holds for the words and the clauses as they are: the id of the question has their hash.
"""

from __future__ import annotations

import ast
import hashlib
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from workbench.app.as_proposed import PROPOSED
from workbench.app.outcomes import OUTCOME
from workbench.app.owed import Owed, OwedKind
from workbench.app.results import SHOWN_CALLS, Understanding
from workbench.app.surroundings import DIALECT, DISK, HOME, PATHS, REMOTE, SHELL
from workbench.app.time_zones import ZONE
from workbench.clean_text import listed, one_line
from workbench.model import Assumption, Doubt, Draft, Question, Requirement
from workbench.policy.rule_names import RULES
from workbench.policy.terms import (
    Compare,
    Constant,
    ConstantSet,
    Member,
    PolicyTerms,
    Quantified,
    Term,
    Variable,
)
from workbench.policy.walk import subterms

if TYPE_CHECKING:
    from workbench.check.undemanded import Undemanded
    from workbench.clarify.written import Asked
    from workbench.clarify.written.stated_amounts import StatedAmount
    from workbench.policy.written import TextTest


NO_CLAUSE, UNDEMANDED, UNSAID, RAW = "no-clause", "undemanded", "unsaid-number", "text-test"
_MEANT = "meant"
LAPSED = "no such call is asked about any more, as the policy is"
"""What is said of an answer that has lapsed."""
_SURROUNDINGS = {
    **dict.fromkeys((SHELL, PATHS, HOME), "what {name} does with its files is known"),
    REMOTE: "it is known to which host the remotes of git lead",
    DISK: "it is known whether case tells files apart",
    DIALECT: "it is known of which database the SQL is",
    OUTCOME: "{name} tells of each call whether it succeeded",
    ZONE: "the zone of times that name none is known",
}


def is_finding(question_id: str) -> bool:
    """Whether a question asks about a finding of this module; no author reads its answer."""
    kind = question_id.partition(":")[0]
    return kind in (NO_CLAUSE, UNDEMANDED, UNSAID, RAW, *_SURROUNDINGS, PROPOSED) or is_about_terms(
        question_id
    )


def is_about_terms(question_id: str) -> bool:
    """Whether a question asks about the terms of a policy of calls; its answer changes the policy."""
    from workbench.clarify.written.asked import KINDS

    return question_id.partition(":")[0] in KINDS


def has_lapsed(assumption: Assumption, questions: Iterable[Question]) -> bool:
    """Whether a call was answered to be meant that nothing asks about any more.

    ``questions`` are all that a policy raises, the answered ones among them.
    """
    is_of_call = assumption.question.startswith("witness:") and assumption.value == _MEANT
    return is_of_call and all(one.id != assumption.question for one in questions)


def understood(
    draft: Draft,
    assumptions: tuple[Assumption, ...],
    terms: PolicyTerms | None,
    asked: Sequence[Asked] | None,
    of_tools: Iterable[Doubt] = (),
) -> Understanding:
    """A policy of calls as understood: its findings, after the questions of a model that drafted it.

    ``terms`` are those of the policy, None if it is not in the dialect: then nothing is found. ``asked`` are
    the questions about its terms, None where nobody asks about them; ``of_tools`` are those about what the
    tools do not say.
    """
    understanding = Understanding(draft, draft.questions, assumptions)
    if terms is None:
        return understanding
    unsaid = (doubt for requirement in draft.requirements for doubt in unsaid_numbers(requirement, terms))
    asked_about = {test for one in asked or () for test in one.tests}
    chosen = _chosen_texts(assumptions)
    raw = groupby(
        (one for one in raw_texts(terms) if one not in asked_about and not _is_chosen(one, chosen)),
        key=attrgetter("rule"),
    )
    of_raw = (_of_raw_texts(rule, tuple(tests)) for rule, tests in raw)
    questions = None if asked is None else tuple(one.question for one in asked)
    return _with_findings(understanding, terms, (*unsaid, *of_raw), questions, of_tools)


def _with_findings(
    understanding: Understanding,
    terms: PolicyTerms,
    further: Iterable[Doubt],
    asked: Sequence[Question] | None,
    first: Iterable[Doubt],
) -> Understanding:
    """An understanding with a question for each requirement and tool that no clause of the policy demands.

    These are asked as soon as no other question is open, whose answer would change the clauses. Requirements
    that another open question is about are none of them. ``further`` are findings of other kinds. ``asked``
    are those about a policy of calls, also about its tools. Those that come ``first`` keep most calls from
    being evaluated; then those that show a call which is allowed and hardly wanted.
    """
    from workbench.check.undemanded import rule_without_clause, without_clause
    from workbench.question_wording import question_about

    named = {name for clause in terms.clauses for name in clause.requirements}
    named |= {name for question in understanding.open for name in question.requirements}
    named |= set(understanding.draft.implied)
    besides = _beside_other_rules(terms)
    named -= besides.keys()
    without = (
        item for item in understanding.draft.requirements if item.quote.strip() and item.id not in named
    )
    shown = tuple(one for one in asked or () if one.id.startswith(SHOWN_CALLS))
    doubts = (
        *(
            rule_without_clause(one, terms, besides[one.id])
            if one.id in besides
            else without_clause(one, terms)
            for one in without
        ),
        *(tool.doubt for tool in (_undemanded(terms) if asked is None else ())),
        *further,
    )
    others = (one for one in asked or () if one not in shown)
    found = (*map(question_about, first), *shown, *map(question_about, doubts), *others)
    is_last, answered = not understanding.open, understanding.choices
    raised = (question for question in found if is_last or question.id in answered)
    return replace(understanding, questions=(*understanding.questions, *raised), findings=found)


def _beside_other_rules(terms: PolicyTerms) -> Mapping[str, str]:
    """The sentences whose clauses all follow from other rules than a prohibition that cites them, with it."""
    from workbench.language.own_clauses import OF_RULE, OTHERWISE

    lines = _functions(terms.file.text)
    names = set(lines.values())
    of_sentence: dict[str, list[str]] = {}
    for clause in terms.clauses:
        for name in clause.requirements:
            of_sentence.setdefault(name, []).append(lines.get(terms.file.part(clause).line, ""))
    return {
        name: rule.name
        for rule in terms.rules
        if rule.forbids and rule.name in names and f"{OF_RULE}{rule.name}" not in names
        for name in rule.requirements
        if of_sentence.get(name) and all(one.startswith((OF_RULE, OTHERWISE)) for one in of_sentence[name])
    }


@lru_cache(maxsize=8)
def _functions(text: str) -> Mapping[int, str]:
    """The function of a policy file that each of its lines stands in."""
    nodes = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    return {line: node.name for node in nodes for line in range(node.lineno, (node.end_lineno or 0) + 1)}


def owed_clauses(
    understanding: Understanding, terms: PolicyTerms, lost: Mapping[str, str], folder: str
) -> tuple[Owed, ...]:
    """What the contract owes: each finding, each answer about the terms, and a sentence for each citation.

    A finding is in force where a person accepted it. Those that are not asked yet, because another question
    is open whose answer would change the clauses, are none. An answer about the terms is in force as long as
    the policy does what was chosen: ``lost`` says of each question what became of the rules that did it.
    What a new session took as true of results owes nothing.
    """
    found = (one for one in understanding.findings if one.kind != PROPOSED)
    asked = tuple(question for question in found if question in understanding.questions)
    raised = {question.id for question in asked}
    return (
        *(_owed(question, understanding, terms, lost, folder) for question in asked),
        *(
            _owed_unasked(assumption, lost.get(assumption.question, ""), folder)
            for assumption in understanding.assumptions
            if is_about_terms(assumption.question) and assumption.question not in raised
        ),
        *_citations(understanding.draft.requirements),
    )


def _owed_unasked(assumption: Assumption, lost: str, folder: str) -> Owed:
    """An answer about the terms whose question the policy does not raise: its rules stand, or it is lost."""
    statement = one_line(assumption.statement or assumption.value)
    if not lost:
        return Owed(OwedKind.ANSWER, assumption.question, statement)
    retract = shlex.join(["workbench", "answer", folder, assumption.question, "--retract"])
    mend = f"edit policy.py so that it does what was chosen, or take the answer back: {retract}"
    return Owed(OwedKind.ANSWER, assumption.question, statement, lost, mend)


def _citations(requirements: Sequence[Requirement]) -> Iterator[Owed]:
    """The labels of a written policy whose words no sentence of the request has."""
    from workbench.author.citations import difference, nearest

    said = [requirement.text for requirement in requirements if requirement.quote]
    for requirement in requirements:
        if requirement.quote:
            continue
        near = one_line(nearest(requirement.text, said))
        reason = "no sentence of the request has these words"
        if near:
            reason += f"; “{near}” is near, with {one_line(difference(requirement.text, near))}"
        mend = "cite the sentence by its words in policy.py, or write it into request.md"
        yield Owed(OwedKind.REQUIREMENT, requirement.id, one_line(requirement.text), reason, mend)


def _unlabelled(quote: str, terms: PolicyTerms) -> str:
    """The clause of a written policy that has the words of a sentence above it and no label before them."""
    from workbench.author.citations import folded
    from workbench.policy.checker.syntax_tree import split_requirements

    words = folded(split_requirements(one_line(quote))[1])
    same = (one.id for one in terms.clauses if not one.requirements and folded(one.comment) == words)
    return next(same, "")


def _finding(question: Question) -> str:
    """What a question says was found, as a part of a sentence."""
    return question.text.partition(" Is that meant?")[0].strip().removesuffix(".")


def _owed_answer(question: Question, understanding: Understanding, lost: str, folder: str) -> Owed:
    """An answer about the terms of a policy: the policy does what was chosen, or it is not in force."""
    value, statement = understanding.choices.get(question.id), one_line(question.text)
    labels = {option.value: one_line(option.label) for option in question.options}
    answer = shlex.join(["workbench", "answer", folder, question.id])
    values = " or ".join(map(shlex.quote, labels))
    if value is None:
        mend = f"{answer} {values}"
        return Owed(OwedKind.ANSWER, question.id, statement, "it is not answered", mend, question.id)
    mend = f"answer again: {answer} {values}, or take it back: {answer} --retract"
    at_present = question.default or _MEANT
    if value == at_present:
        return Owed(OwedKind.ANSWER, question.id, statement, lost, mend if lost else "")
    now = labels[at_present]
    if value in labels:
        reason = f"it was answered with {value} ({labels[value]}), and policy.py says otherwise: {now}"
    else:  # an answer about one of several rules leaves the question about the others
        stands = "" if lost else ", which stands"
        again = f"it is asked again about the rest, of which policy.py says: {now}"
        reason = f"it was answered with {value}{stands}; {again}"
    return Owed(OwedKind.ANSWER, question.id, statement, f"{reason}; {lost}" if lost else reason, mend)


def _owed(
    question: Question,
    understanding: Understanding,
    terms: PolicyTerms,
    lost: Mapping[str, str],
    folder: str,
) -> Owed:
    if is_about_terms(question.id):
        return _owed_answer(question, understanding, lost.get(question.id, ""), folder)
    if question.kind == NO_CLAUSE:
        kind, name = OwedKind.REQUIREMENT, ", ".join(question.requirements)
        unlabelled = _unlabelled(question.quote, terms)
        cited = any(set(question.requirements) & set(clause.requirements) for clause in terms.clauses)
        missing = _finding(question) if cited else "no clause cites this sentence"
        statement, reason, clause = (
            question.quote,
            f"{unlabelled} has its words without a label" if unlabelled else missing,
            "with a label and these words above it, such as “# R1: …”,",
        )
    elif question.kind == UNSAID:
        kind, name, clause = OwedKind.REQUIREMENT, ", ".join(question.requirements), "that has it"
        statement, reason = question.quote, _finding(question)
    elif question.kind == RAW:
        kind, name, clause = OwedKind.DEMAND, question.id.split(":")[1], ""
        statement, reason = f"{name} tests no raw text", _finding(question)
    elif question.kind in _SURROUNDINGS:
        kind, name, clause = OwedKind.DEMAND, question.id.partition(":")[2], ""
        statement, reason = _SURROUNDINGS[question.kind].format(name=name), _finding(question)
    else:
        kind, name = OwedKind.DEMAND, question.id.removeprefix(f"{UNDEMANDED}:").rpartition(":")[0]
        about = f"any call of {name}" if name else "any call"
        statement, reason, clause = f"{about} is allowed", f"no clause demands that {about} is allowed", ""
    if understanding.choices.get(question.id) == _MEANT:  # no other value accepts a finding
        return Owed(kind, name, one_line(statement))
    answer = shlex.join(["workbench", "answer", folder, question.id])
    accept = f"{answer} {_MEANT}"
    mend = f"write a clause {clause or 'that demands it'} in policy.py, or accept it: {accept}"
    if question.kind == RAW:
        mend = f"{question.text.partition('If not, ')[2].strip().removesuffix('.')}, or accept it: {accept}"
    if question.kind in _SURROUNDINGS:
        mend = f"{answer} VALUE"
    if question.kind == UNSAID:
        mend = f"correct policy.py, or accept it: {accept}"
    return Owed(kind, name, one_line(statement), reason, mend, question.id)


@lru_cache(maxsize=64)
def _undemanded(terms: PolicyTerms) -> tuple[Undemanded, ...]:
    from workbench.check.undemanded import undemanded

    return undemanded(terms)


def raw_texts(terms: PolicyTerms) -> Iterator[TextTest]:
    """The tests of raw text that may be meant otherwise.

    A clause that is derived from the rules tests what they test, which is asked of them; so does one that
    has a test of the rule of its sentence.
    """
    from workbench.language.own_clauses import OF_RULE, OTHERWISE

    tests = [one for one in terms.file.text_tests if not one.rule.startswith((OF_RULE, OTHERWISE))]
    of_rules = {
        (one.text, label) for one in tests if one.rule.startswith(RULES) for label in one.requirements
    }
    return (
        one
        for one in tests
        if one.rule.startswith(RULES) or not any((one.text, label) in of_rules for label in one.requirements)
    )


def _chosen_texts(assumptions: Sequence[Assumption]) -> Mapping[str, frozenset[tuple[str, str, str]]]:
    """The tests of texts in rules since somebody chose so where a call was shown, by the rule."""
    found: dict[str, frozenset[tuple[str, str, str]]] = {}
    for one in assumptions:
        if one.question.startswith("witness:") and one.value != _MEANT:
            before = frozenset(test for rule in one.replaced for test in _tested(rule))
            for rule in one.rests_on:
                said = re.search(r"^def (\w+)", rule, re.MULTILINE)
                name = "" if said is None else said[1]
                found[name] = found.get(name, frozenset()) | (_tested(rule) - before)
    return found


_TESTED = re.compile(
    r'(?P<held>"(?:[^"\\]|\\.)*") (?P<how>(?:not )?in) (?P<whole>[\w.()]+)'
    r'|(?P<value>[\w.()]+)\.(?P<end>starts|ends)with\((?P<text>"(?:[^"\\]|\\.)*")'
)
"""What a value is tested for: that it has a text, or begins or ends with it."""


def _tested(source: str) -> frozenset[tuple[str, str, str]]:
    """The tests of texts in a rule: how, of which value, and for what."""
    return frozenset(
        (one["end"] or one["how"], one["whole"] or one["value"], one["held"] or one["text"])
        for one in _TESTED.finditer(source)
    )


def _is_chosen(test: TextTest, chosen: Mapping[str, frozenset[tuple[str, str, str]]]) -> bool:
    tests = _tested(test.text)
    return bool(tests) and chosen.get(test.rule, frozenset()).issuperset(tests)


def _of_raw_texts(rule: str, tests: Sequence[TextTest]) -> Doubt:
    """Whether the texts that a rule tests are meant as they are written."""
    material = hashlib.sha256("\0".join((rule, *(one.text for one in tests))).encode()).hexdigest()[:8]
    return Doubt(
        id=f"text-test:{rule}:{material}",
        kind="text-test",
        values=("meant",),
        requirements=tests[0].requirements,
        facts={
            "rule": rule,
            "test": listed([f"`{one_line(one.text)}`" for one in tests]),
            "typed": listed([f"`{one_line(one.typed)}`" for one in tests]),
        },
    )


# --- Numbers of a sentence that its rules or clauses lack
#
# A rule and a clause with the same wrong number agree with each other: no proof sees it, the sentence does.


_NUMBER = re.compile(
    r"(?<![\w.,#:-])(?P<number>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)(?P<cents>,\d\d(?!\d))?"
    r"(?P<clock>:\d\d)?(?P<unit>\s?%|\s?[kKMG]i?B\b|\s?[ap]\.?m\b\.?|\s(?:months?|years?)\b)?(?![\w-])"
)
_SIZES = {"k": 1, "m": 2, "g": 3}
_DAYS = {"month": (30, 31), "year": (365, 366)}
_NOON = 12


def _spellings(found: re.Match[str]) -> frozenset[Decimal]:
    """The numbers by which a policy may say that of a sentence; a time of the day as its hour and minute."""
    rest = ((found["cents"] or "") + (found["clock"] or "")).replace(":", ".").replace(",", ".")
    number = Decimal(found["number"].replace(",", "") + rest)
    unit = (found["unit"] or "").strip().casefold()
    spelt = {number}
    if unit == "%":
        spelt.add(number / 100)
    elif unit.endswith("b"):
        spelt |= {number * kilo ** _SIZES[unit[0]] for kilo in (1_000, 1_024)}
    elif unit.startswith("p"):
        spelt.add(number % _NOON + _NOON)
    else:
        spelt |= {number * days for days in _DAYS.get(unit.removesuffix("s"), ())}
    return frozenset(spelt)


def _in_other_units(stated: StatedAmount | None) -> frozenset[Decimal]:
    """An amount of a sentence in each unit that a policy may count it in: 500 EUR are 50,000 cents."""
    found = () if stated is None else stated.conversions
    return frozenset(Decimal(one.numerator) / Decimal(one.denominator) for one in found)


def unsaid_numbers(requirement: Requirement, terms: PolicyTerms) -> Iterator[Doubt]:
    """The questions about the numbers of a sentence that its rules lack, or its clauses."""
    from workbench.clarify.written.stated_amounts import stated_amounts

    amounts = {one.start: one for one in stated_amounts(requirement.quote)}
    said = {
        _spellings(found) | _in_other_units(amounts.get(found.start("number"))): found.group().strip()
        for found in _NUMBER.finditer(requirement.quote)
    }
    parts = {
        "rule": [rule.body for rule in terms.rules if requirement.id in rule.requirements],
        "clause": [clause.term for clause in terms.clauses if requirement.id in clause.requirements],
    }
    for part, bodies in parts.items():
        numbers = frozenset(
            (
                *_numbers(bodies),
                *_in_expressions(bodies, terms),
                *_said_otherwise(bodies, terms, requirement.quote),
            )
        )
        for spelt, text in said.items() if bodies else ():
            if not spelt & numbers:
                yield _doubt(requirement, text, part, numbers)


def _numbers(bodies: Iterable[Term]) -> Iterator[Decimal]:
    for body in bodies:
        for part in subterms(body):
            values: tuple[object, ...] = (part.value,) if isinstance(part, Constant) else ()
            if isinstance(part, Member | Quantified) and isinstance(part.collection, ConstantSet):
                values = part.collection.values
            for value in values:
                yield from _as_numbers(value)


def _said_otherwise(bodies: Iterable[Term], terms: PolicyTerms, sentence: str) -> Iterator[Decimal]:
    """The bounds of a sentence that a comparison of whole numbers has as the number next to it."""
    from workbench.clarify.written.boundaries import (
        counts_this_call_too,
        said_otherwise,
        side_of,
        stated_side,
    )

    counted = {one.name: one.expression.text for one in terms.sources if one.expression is not None}
    for part in (part for body in bodies for part in subterms(body) if isinstance(part, Compare)):
        left, right, operator = part.left, part.right, part.operator
        if isinstance(left, Constant):
            left, right, operator = right, left, operator.turned
        bound = right.value if isinstance(right, Constant) and operator is not operator.other_bound else None
        if isinstance(bound, int) and not isinstance(bound, bool):
            text = counted.get(left.name, "") if isinstance(left, Variable) else ""
            is_one_more = counts_this_call_too(sentence, text, frozenset())
            for other, same in said_otherwise(operator.value, bound, is_one_more=is_one_more):
                if stated_side(sentence, same) == side_of(other):
                    yield Decimal(same)


def _in_expressions(bodies: Iterable[Term], terms: PolicyTerms) -> Iterator[Decimal]:
    """The numbers in the expressions over the run that the arguments of these bodies stand for."""
    named = {part.name for body in bodies for part in subterms(body) if isinstance(part, Variable)}
    for argument in terms.sources:
        if argument.expression is None or argument.name not in named:
            continue
        for node in ast.walk(ast.parse(argument.expression.text, mode="eval")):
            for value in _constants(node):
                yield from _as_numbers(value)


def _constants(node: ast.AST) -> Iterator[object]:
    match node:
        case ast.Constant(value):
            yield value
        case ast.Call(ast.Name("Decimal"), [ast.Constant(str() as digits)]):
            yield Decimal(digits)
        case ast.Call(ast.Name("time"), [ast.Constant(int() as hour), ast.Constant(int() as minute), *_]):
            yield time(hour, minute)
        case ast.Call(ast.Name("timedelta"), [], keywords):
            units = {word.arg: word.value.value for word in keywords if isinstance(word.value, ast.Constant)}
            yield timedelta(
                **{unit: value for unit, value in units.items() if unit and isinstance(value, int)}
            )
        case _:
            return


def _as_numbers(value: object) -> Iterator[Decimal]:
    """The numbers by which a constant may be said; a duration in each of its units, 18:30 as 18.30."""
    from workbench.clarify.written.stated_amounts import counts_of

    if isinstance(value, Decimal):
        yield value
    elif isinstance(value, int) and not isinstance(value, bool):
        yield Decimal(value)
    elif isinstance(value, timedelta):
        yield from map(Decimal, counts_of(value))
    elif isinstance(value, time | datetime):
        yield Decimal(f"{value.hour}.{value.minute:02}")
    if isinstance(value, date):
        yield from map(Decimal, (value.year, value.month, value.day))


def _doubt(requirement: Requirement, number: str, part: str, numbers: frozenset[Decimal]) -> Doubt:
    words = (" ".join(requirement.quote.split()), number, part, *sorted(map(str, numbers)))
    material = hashlib.sha256("\0".join(words).encode()).hexdigest()[:8]
    return Doubt(
        id=f"unsaid-number:{requirement.id}:{material}",
        kind="unsaid-number",
        quote=requirement.quote,
        span=requirement.span,
        values=("meant",),
        requirements=(requirement.id,),
        facts={"number": number, "part": part, "requirement": requirement.id},
    )
