"""Attempts with another value, or a flag, by which a call does what a rule closes by one value."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from workbench.clarify.written.acts_of_tools import is_more, same_act
from workbench.clarify.written.asked import Effect, TriedCall
from workbench.clarify.written.attacked import Attacked, texts_held, words_of
from workbench.clarify.written.attempts import Attempt, Try, narrower, offering, saying
from workbench.clarify.written.attempts_at_texts import among
from workbench.clarify.written.book import at, places, replaced, without_methods
from workbench.dialect.call_fields import CallField
from workbench.language.trees import Tree, joined, with_instead
from workbench.model import Kind

_AS_IF_MISSING = frozenset(("default", "inherit", "inherited", "auto", "automatic"))
"""Choices that leave it to the tool what is chosen."""
_OF_VALUE = re.compile(r"[a-z0-9]+")
_MOST_NAMED = 6


def attempts_at_values(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts with other values of what a rule reads, and with flags that it does not read."""
    if attacked.rule.form == "permit":
        return
    for one in attacked.fields_read:
        if one.type.kind in (Kind.STR, Kind.ENUM) and not attacked.kind(one):
            yield from _other_values(attacked, one)
        if one.type.kind is Kind.STR and attacked.is_raw(one):
            yield from _longer_names(attacked, one)
    yield from _flags(attacked)


def _other_values(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Values of a choice, of its schema or of logs, that come to the same as one that a rule closes."""
    closed = [*dict.fromkeys(text for _, texts in _closing(attacked, one) for text in texts)]
    known = [*map(str, one.type.values), *texts_held(attacked.logged, one)]
    if {*map(str.upper, closed)} & _METHODS and {*words_of(one.name)} & {"method", "verb"}:
        known += sorted(_METHODS)
    missing = one.type.optional and one.type.kind is Kind.ENUM
    others = [
        each for each in dict.fromkeys(known)
        if each not in closed and (_comes_to(each, closed) or (missing and each in _AS_IF_MISSING))
    ]  # fmt: skip
    stopped = attacked.stopped
    if not closed or not others or stopped is None or len(closed) > _MOST_NAMED:
        return
    name = one.name.replace("_", " ")
    tries = [
        Try(
            (attacked.with_value(stopped, one, each),),
            f"the {name} “{each}” may come to the same, or to more",
        )
        for each in others
    ]
    yield Attempt("other value", tries, partial(_also_closed, attacked, one, others), about=one.name)


def _closing(attacked: Attacked, one: CallField) -> Iterator[tuple[tuple[int, ...], Sequence[str]]]:
    """Yield the places where a rule compares a field with texts which it closes, each with these."""
    value = attacked.value_of(one)
    for path, atom in places(attacked.unfolded.condition):
        if atom[0] not in ("==", "in") or len(atom) != 3 or atom[1] != value:
            continue
        listed = atom[2][1:] if atom[2][0] == "set" else (atom[2],)
        texts = [str(each[2]) for each in listed if each[:2] == ("lit", "text")]
        if len(texts) == len(listed) and _is_closed(attacked, one, texts):
            yield path, texts


def _is_closed(attacked: Attacked, one: CallField, texts: Sequence[str]) -> bool:
    stopped = attacked.stopped
    return stopped is not None and any(
        attacked.stops(attacked.with_value(stopped, one, each)) for each in texts
    )


# --- a longer name of what a rule closes by a name


_PLACES = frozenset((
    "cluster", "context", "env", "environment", "namespace", "profile", "project", "realm", "stage", "tenant",
    "tier", "workspace",
))  # fmt: skip
"""Words of fields with names of which there are several with a part in common: “prod”, “prod-eu”."""
_SUBSTANCES = frozenset(("drug", "ingredient", "material", "medication", "medicine", "product", "substance"))
_BRANCHES = frozenset(("branch", "ref", "refspec"))
_TRUNKS = frozenset(("main", "master", "trunk", "develop", "dev", "head"))
_TABLES = frozenset(("table", "relation", "collection", "dataset"))
_WITH_LONGER_NAMES = _PLACES | _SUBSTANCES | _BRANCHES | _TABLES
_SHORT = {"prod": "production", "stage": "staging", "dev": "development"}
_OTHERWISE_CALLED = {**_SHORT, **{name: short for short, name in _SHORT.items()}}
_NAME = re.compile(r"\w+(?:[-_]\w+)*")
_EXACTLY = re.compile(r"\b(?:exactly|precisely|only the)\b")


def _longer_names(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """A longer name than the one that a rule closes: it may be of the same place, branch or table."""
    words, stopped = {*words_of(one.name)}, attacked.stopped
    if stopped is None or not words & _WITH_LONGER_NAMES or _EXACTLY.search(attacked.sentence):
        return
    for path, base, texts in [*_compared(attacked, one)]:
        found = [way for bare in texts for way in _longer(words, bare)]
        tries = [
            Try((attacked.with_value(stopped, one, way.text),), f"it may be “{way.bare}”, too")
            for way in found
        ]
        atom = at(attacked.unfolded.condition, path)
        said = joined("or", [atom, *dict.fromkeys(each for way in found for each in way.said(base))])
        tree = attacked.rule.with_condition(replaced(attacked.unfolded.condition, path, said))
        yield Attempt("longer name", tries, offering(Effect({attacked.rule.name: tree})), about=one.name)


@dataclass(frozen=True, slots=True)
class _Longer:
    """A longer name than a bare one, and when a value, called "it", is such a name."""

    text: str
    bare: str
    tests: Sequence[Tree]

    def said(self, value: Tree) -> Iterator[Tree]:
        """That a value is such a name."""
        for test in self.tests:
            yield with_instead(test, _IT, value)


_IT: Tree = ("name", "it")


def _begins(*texts: str) -> Sequence[Tree]:
    return [("method", _IT, "startswith", ("lit", "text", each)) for each in texts]


def _ends(*texts: str) -> Sequence[Tree]:
    return [("method", _IT, "endswith", ("lit", "text", each)) for each in texts]


def _longer(words: Collection[str], bare: str) -> Iterator[_Longer]:
    """Yield longer names of what a bare name may be of, in a field with some words in its name."""
    if _NAME.fullmatch(bare) is None:
        return
    if _PLACES & {*words}:
        yield _Longer(f"{bare}-eu", bare, _begins(f"{bare}-", f"{bare}_"))
        none_of = among(_IT, [f"{each}-{bare}" for each in _NONE_OF], negative=True)
        yield _Longer(f"eu-{bare}", bare, [joined("and", [*_ends(f"-{bare}"), none_of])])
        if other := _OTHERWISE_CALLED.get(bare):
            yield _Longer(other, bare, [("==", _IT, ("lit", "text", other))])
            yield _Longer(f"{other}-eu", bare, _begins(f"{other}-"))
    elif _SUBSTANCES & {*words}:
        yield _Longer(f"{bare} 500", bare, _begins(f"{bare} "))
        yield _Longer(f"{bare} (tablets)", bare, _begins(f"{bare} "))
    elif _BRANCHES & {*words} and bare.lower() not in _TRUNKS:
        yield _Longer(f"{bare}/1.2", bare, _begins(f"{bare}/"))
        yield _Longer(f"{bare}-1.2", bare, _begins(f"{bare}-"))
    elif _TABLES & {*words}:
        yield _Longer(f"public.{bare}", bare, _ends(f".{bare}"))
        yield _Longer(f'"{bare}"', bare, [("==", _IT, ("lit", "text", f'"{bare}"')), *_ends(f'."{bare}"')])


_NONE_OF = ("non", "not", "pre")
"""How names begin of what is not the place with which they end."""


def _compared(attacked: Attacked, one: CallField) -> Iterator[tuple[tuple[int, ...], Tree, Sequence[str]]]:
    """Yield the places where a rule closes a text: with the text as it is read, and what it is not to be.

    It may be read in small letters, or without what begins it.
    """
    for path, atom in places(attacked.unfolded.condition):
        if atom[0] not in ("==", "in") or len(atom) != 3:
            continue
        base = without_methods(atom[1])
        listed = atom[2][1:] if atom[2][0] == "set" else (atom[2],)
        texts = [str(each[2]) for each in listed if each[:2] == ("lit", "text")]
        if base == attacked.value_of(one) and len(texts) == len(listed) and _is_closed(attacked, one, texts):
            yield path, atom[1], texts[:_MOST_NAMED]


def closed_values(attacked: Attacked) -> Mapping[str, Sequence[str]]:
    """The texts that a rule closes, by the fields that it compares with them."""
    found: dict[str, list[str]] = {}
    for one in attacked.fields_read:
        is_text = one.type.kind in (Kind.STR, Kind.ENUM) and not attacked.kind(one)
        texts = [text for _, each in _closing(attacked, one) for text in each] if is_text else []
        found |= {one.name: texts} if texts else {}
    return found


def is_alike(value: str, closed: Collection[str]) -> bool:
    """Whether a value has a word for what one of some closed values stands for."""
    named = [word for each in closed for word in _OF_VALUE.findall(each.casefold())]
    return same_act(_OF_VALUE.findall(value.casefold()), named, of_values=True)


_METHODS = frozenset(("POST", "PUT", "PATCH", "DELETE"))
"""The methods of HTTP that change something."""


def _comes_to(value: str, closed: Collection[str]) -> bool:
    """Whether a value of a choice comes to the same as one of some closed values, or to more."""
    methods = {value.upper()} | {*map(str.upper, closed)}
    return is_alike(value, closed) or is_more(value, closed) or methods <= _METHODS


def _also_closed(attacked: Attacked, one: CallField, others: Sequence[str]) -> Sequence[Effect]:
    """The rule that closes other values, too."""
    said = attacked.unfolded.condition
    for path, texts in [*_closing(attacked, one)]:
        more = [each for each in others if _comes_to(each, texts) or each in _AS_IF_MISSING]
        said = replaced(said, path, among(attacked.value_of(one), [*texts, *more]))
    return [saying(attacked.rule, said)]


def _flags(attacked: Attacked) -> Iterator[Attempt]:
    """A flag of a tool that is named by a word of the sentence, or does what a value does that it closes."""
    stopped = attacked.stopped
    if stopped is None:
        return
    words = {*_OF_VALUE.findall(attacked.sentence)}
    read = [one for one in attacked.fields_read if one.type.kind in (Kind.STR, Kind.ENUM)]
    closed = [text for one in read for _, texts in _closing(attacked, one) for text in texts]
    for one in attacked.call_type.fields:
        named = {*words_of(one.name)}
        if one.type.kind is not Kind.BOOL or one.name in attacked.reading.parts or named & _NOT:
            continue
        if not is_alike(" ".join(named), [*closed, *(words & _ACTS)]):
            continue
        base = attacked.base
        call = TriedCall(attacked.tool, {**base.arguments, one.key: True})
        tries = [Try((call,), f"its {one.name.replace('_', ' ')} is set, and the rule does not look at it")]
        yield Attempt("flag", tries, partial(_flag_closed, attacked, one), about=one.name)


_NOT = frozenset(("no", "not", "skip", "without", "dry", "allow", "disable"))
_ACTS = frozenset(("force", "forced", "overwrite", "replace", "clobber"))
"""Words of sentences that name a flag."""


def _flag_closed(attacked: Attacked, one: CallField) -> Sequence[Effect]:
    """The rule that stops a call with a flag."""
    value: Tree = attacked.value_of(one)
    return [
        narrower(attacked.rule, joined("and", [("is some", value), value] if one.type.optional else [value]))
    ]
