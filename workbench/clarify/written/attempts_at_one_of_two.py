"""Attempts at rules for which one of two conditions is enough, where the sentence asks for both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from workbench.clarify.written.asked import Effect, TriedCall
from workbench.clarify.written.attacked import EVIL_HOST, Attacked, host_in
from workbench.clarify.written.attempts import Attempt, Try, saying
from workbench.clarify.written.book import SaidRule, places
from workbench.clarify.written.tried_calls import said_of_runs
from workbench.language.trees import CALL, Tree, canonical, is_tree, joined
from workbench.language.words import listed

_OR = re.compile(r"\b(or|either|unless|except|nor|otherwise|too|also|as well|any of|one of|neither)\b")
_NEGATIVE = re.compile(r"\b(?:not|never|no|nobody|nothing|none|don't|cannot|forbidden|denied|refused)\b")
_EXCEPT = re.compile(r"\b(?:unless|without|until|before|except|only|but|other than|all|every|each)\b")
_BOTH = re.compile(r"\b(and|both)\b|,")
_AND = re.compile(r"\b(and|both|by|with|at|within|,)\b|,")


def attempts_at_one_of_two(attacked: Attacked) -> Iterator[Attempt]:
    """A call for which one condition holds and the other does not, where either of them lets it pass."""
    sentence = attacked.sentence
    values = "|".join(re.escape(one.casefold()) for one in attacked.texts if one)
    if values:  # "small or medium" are values of one condition
        sentence = re.sub(rf"\b(?:{values})\b(?:,| or| and (?=(?:{values})\b))", " ", sentence)
    if not sentence or _OR.search(sentence) or not _AND.search(sentence):
        return
    if is_prohibition(attacked.sentence) and not _BOTH.search(sentence):
        return  # “must not go by air” names one thing that is not to be, in two parts
    rule = attacked.rule
    open_ = rule.condition if rule.form == "permit" else opposite(rule.condition)
    if open_[0] != "or":
        return
    parts = list(open_[1:])
    subjects = [_subject(part) for part in parts]
    if len(set(subjects)) != len(parts) or not all(subjects):
        return
    if any(
        part[0] == "and" and any(one[0] == "is some" for one in part[1:] if is_tree(one)) for part in parts
    ):
        return  # a value that is given and fits is one condition, which the rule demands in the other's case
    heads = {str(part[0]) for part in parts}
    if rule.form != "permit" and rule.condition[0] == "and" and heads & {"!=", "not in"}:
        return  # the rule is about some of the things alone
    if heads & {"!=", "not in"} and heads & {"<", "<=", ">", ">="}:
        return  # a bound for some of the things alone
    asked = [canonical(one.condition) for one in attacked.book.rules if one.form == "ask"]
    if any(canonical(part) in asked for part in parts):
        return  # what a person approves is an exception
    both = joined("and", parts)
    said = both if rule.form == "permit" else opposite(both)
    effect = saying(rule, said)
    turned, harmless = _turned(attacked, effect)
    why = partial(_why, attacked, parts)
    tries = (Try((one,), why(one) if at == 0 else _IN_GENERAL) for at, one in enumerate(turned))
    yield Attempt(
        "either of two conditions", tries, lambda: [effect], harmless=() if harmless is None else (harmless,)
    )


_IN_GENERAL = "one of two conditions is enough"


def is_prohibition(sentence: str) -> bool:
    """Whether a sentence says what must not be, and not what has to be so."""
    return _NEGATIVE.search(sentence) is not None and _EXCEPT.search(sentence) is None


def _why(attacked: Attacked, parts: Sequence[Tree], call: TriedCall) -> str:
    """Which condition lets a call pass, and which it does not meet; in general words if nothing tells."""
    rule, met, unmet = attacked.rule, list[str](), list[str]()
    for part in parts:
        said = said_of_runs(attacked.book, Effect(new=((rule.name, _on(rule, "forbid", part)),)), [(call,)])
        is_met = bool(said) and not said[0][0][0]
        sentence = attacked.book.sentence(_on(rule, "permit", part if is_met else opposite(part)))
        _, _, condition = sentence.rstrip(".").partition(" if ")
        (met if is_met else unmet).append(condition)
    if not met or not unmet or not all((*met, *unmet)):
        return _IN_GENERAL
    return f"{listed(met, 'and')}, which is enough for the rule, though {listed(unmet, 'and')}"


def _on(rule: SaidRule, form: str, condition: Tree) -> Tree:
    """A rule of a form for the calls of another."""
    return ("call", form, condition, *rule.tree[3:])


def _turned(attacked: Attacked, effect: Effect) -> tuple[Sequence[TriedCall], TriedCall | None]:
    """The calls that pass now, and would not if both conditions had to hold; one that passes then too."""
    calls = [one for one in _candidates(attacked) if attacked.passes(one)]
    said = said_of_runs(attacked.book, effect, [(one,) for one in calls]) if calls else ()
    turned: list[TriedCall] = []
    harmless: TriedCall | None = None
    for one, ((lets_through, permits),) in zip(calls, said, strict=False):
        if not (permits if attacked.rule.form == "permit" else lets_through):
            turned.append(one)
        elif harmless is None and attacked.may_pass(one):
            harmless = one
    return turned, harmless


def _candidates(attacked: Attacked) -> Iterator[TriedCall]:
    yield from attacked.made
    if (allowed := attacked.allowed) is not None:
        for one in attacked.fields_of("url"):
            for url in _near_urls(attacked):
                yield attacked.with_value(allowed, one, url)


def _near_urls(attacked: Attacked) -> Iterator[str]:
    for host in filter(None, map(host_in, attacked.texts)):
        yield from (f"http://{host}/", f"https://{EVIL_HOST}/", f"https://{host}:8443/")


_OPPOSITES: Mapping[str, str] = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
    "in": "not in",
    "not in": "in",
    "is none": "is some",
    "is some": "is none",
}


def opposite(tree: Tree) -> Tree:
    """What holds where a condition does not, with "not" before single conditions alone."""
    match tree:
        case ("not", inner):
            return inner
        case ("and" | "or" as word, *parts):
            return joined("or" if word == "and" else "and", [*map(opposite, parts)])
        case (str(word), left, right) if word in _OPPOSITES and not (word == "<=" and right[0] == "set"):
            return (_OPPOSITES[word], left, right)
        case (str(word), inner) if word in _OPPOSITES:
            return (_OPPOSITES[word], inner)
        case _:
            return ("not", tree)


def _subject(tree: Tree) -> str:
    """What a condition is about: the field and part of the call that it names, if it is one."""
    found = {repr(part) for _, part in places(tree) if part[0] == "attr" and _root(part)}
    longest = [one for one in found if not any(one != other and one in other for other in found)]
    return longest[0] if len(longest) == 1 else ""


def _root(tree: Tree) -> bool:
    while tree[0] == "attr":
        tree = tree[1]
    return tree == CALL
