"""Attempts with another value, or a flag, by which a call does what a rule closes by one value."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import partial

from workbench.clarify.written.asked import Effect, TriedCall
from workbench.clarify.written.attacked import Attacked, texts_held, words_of
from workbench.clarify.written.attempts import Attempt, Try, narrower
from workbench.clarify.written.attempts_at_texts import among
from workbench.clarify.written.book import places, replaced
from workbench.dialect.call_fields import CallField
from workbench.language.trees import Tree, joined
from workbench.model import Kind

_ALIKE = tuple(
    frozenset(words.split())
    for words in (
        "closed close solved solve resolved resolve done completed complete finished archived archive",
        "deleted delete removed remove archived archive trashed trash purged purge destroyed erased hidden",
        "cancelled canceled cancel voided void revoked revoke terminated terminate withdrawn aborted abort",
        "deactivated deactivate disabled disable inactive suspended suspend blocked block banned locked lock",
        "approved approve accepted accept confirmed confirm authorized authorised signed granted",
        "rejected reject declined decline denied deny refused refuse",
        "paid pay settled settle refunded refund credited reimbursed",
        "public everyone anyone world anonymous external open unlisted",
        "admin administrator owner superuser superadmin root maintainer sudo",
        "production prod live main master release",
        "urgent critical highest emergency blocker p0 sev0 sev1",
        "published publish live released release public",
        "sent send delivered deliver dispatched dispatch shipped ship",
        "force forced overwrite replace clobber",
        "all everything any every",
        "write readwrite rw edit editor modify contribute",
    )
)
"""Words for states and choices that come to the same."""
_OF_VALUE = re.compile(r"[a-z0-9]+")
_MOST_NAMED = 6


def attempts_at_values(attacked: Attacked) -> Iterator[Attempt]:
    """Yield the attempts with other values of what a rule reads, and with flags that it does not read."""
    if attacked.rule.form == "permit":
        return
    for one in attacked.fields_read:
        if one.type.kind in (Kind.STR, Kind.ENUM) and not attacked.kind(one):
            yield from _other_values(attacked, one)
    yield from _flags(attacked)


def _other_values(attacked: Attacked, one: CallField) -> Iterator[Attempt]:
    """Values of a choice, of its schema or of logs, that come to the same as one that a rule closes."""
    closed = [*dict.fromkeys(text for _, texts in _closing(attacked, one) for text in texts)]
    known = [*map(str, one.type.values), *texts_held(attacked.logged, one)]
    others = [each for each in dict.fromkeys(known) if each not in closed and _is_alike(each, closed)]
    stopped = attacked.stopped
    if not closed or not others or stopped is None or len(closed) > _MOST_NAMED:
        return
    name = one.name.replace("_", " ")
    tries = [
        Try((attacked.with_value(stopped, one, each),), f"the {name} “{each}” may come to the same")
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


def _is_alike(value: str, closed: Collection[str]) -> bool:
    words = {*_OF_VALUE.findall(value.casefold())}
    named = {word for each in closed for word in _OF_VALUE.findall(each.casefold())}
    return any(words & group and named & group for group in _ALIKE)


def _also_closed(attacked: Attacked, one: CallField, others: Sequence[str]) -> Sequence[Effect]:
    """The rule that closes other values, too."""
    said = attacked.unfolded.condition
    for path, texts in [*_closing(attacked, one)]:
        more = [each for each in others if _is_alike(each, texts)]
        said = replaced(said, path, among(attacked.value_of(one), [*texts, *more]))
    return [Effect({attacked.rule.name: attacked.rule.with_condition(said)})]


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
        if not _is_alike(" ".join(named), [*closed, *(words & _ACTS)]):
            continue
        base = attacked.base
        call = TriedCall(attacked.tool, {**base.arguments, one.key: True})
        tries = [Try((call,), f"its {one.name.replace('_', ' ')} is set, and the rule does not look at it")]
        yield Attempt("flag", tries, partial(_flag_closed, attacked, one), about=one.name)


_NOT = frozenset(("no", "not", "skip", "without", "dry", "allow", "disable"))
_ACTS = _ALIKE[13]
"""Words of sentences that name a flag."""


def _flag_closed(attacked: Attacked, one: CallField) -> Sequence[Effect]:
    """The rule that stops a call with a flag."""
    value: Tree = attacked.value_of(one)
    return [
        narrower(attacked.rule, joined("and", [("is some", value), value] if one.type.optional else [value]))
    ]
