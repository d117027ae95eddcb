"""Sentences with the parts of a form of the grammar in another order, rearranged into that form.

“Refunds must be approved by managers” is “only managers may approve refunds”: the tree names the parts, and
each form here puts them in the order of the other one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import cast

from lark import Token, Tree

from workbench.author.rules.argument_binding import UnreadableError
from workbench.author.rules.quantities import UPPER_BOUNDS, without_copula
from workbench.author.rules.sentences import (
    BE,
    IT_IS,
    KEPT,
    MORE_THAN,
    OF_MORE_THAN,
    OTHER_ORDERS,
    Chunk,
    SentenceWord,
    Skeleton,
    is_statement,
    led,
    named_parts,
    names_any,
    parse_sentence,
    parse_tree,
    sentence_tokens,
    skeleton_of,
    without_words,
    words_of_part,
)
from workbench.author.rules.words import PEOPLE

_USERS: Chunk = (SentenceWord("WORD", "users"),)
_WITH, _TO = SentenceWord("WORD", "with"), SentenceWord("WORD", "to")
_NO_VERBS = frozenset(["the", "a", "an", "be", "have"])
_BOUND_MONEY = ["COMPARATOR", "MONEY"]
_EXCEEDING = frozenset(["exceed", "more than", "larger than", "higher than", "greater than"])
_WAS = frozenset(["was", "were", "been"])
NO_PAST = "the agent spec has no argument that says what was done earlier"


def statement_forms(text: str, plain: str) -> Iterator[tuple[Skeleton, ...]]:
    """The skeletons of a statement and of its ``plain`` words, form by form.

    Raises UnreadableError for one that begins with an earlier action.
    """
    as_it_stands = (parse_sentence(text), parse_sentence(plain))
    if _begins_with_past(plain):
        raise UnreadableError(NO_PAST, kind="stateful")
    yield from dict.fromkeys(filter(None, as_it_stands))
    rearranged = parse_rearranged(plain)
    if rearranged:
        yield rearranged
    implied = (_implied(skeleton) for skeletons in (*as_it_stands, rearranged) for skeleton in skeletons)
    if supplied := tuple(dict.fromkeys(skeleton for skeleton in implied if skeleton is not None)):
        yield supplied


@lru_cache(maxsize=KEPT)
def parse_rearranged(text: str) -> tuple[Skeleton, ...]:
    """Every skeleton of a sentence whose parts are in another order; none if it has no such form."""
    skeleton = _parse(text)
    return (skeleton,) if skeleton else led(text, _parse)


def _parse(text: str) -> Skeleton | None:
    for start in OTHER_ORDERS:
        tree = parse_tree(text, start)
        skeleton = None if tree is None else _skeleton(tree)
        if skeleton is not None:
            return skeleton
    return None


def _skeleton(tree: Tree[Token]) -> Skeleton | None:
    form, parts = str(tree.data), [*named_parts(tree)]
    match form, parts:
        case "moment_first", [moment, core]:
            parted = len(tree.children) > len(parts) or isinstance(core.children[0], Token)
            day = words_of_part(moment)[0].kind == "WORD"
            return (
                _with_condition(_skeleton(core), (*IT_IS, *words_of_part(moment)))
                if parted or not day
                else None
            )
        case "past_first", _:
            return None
        case _ if form in _FORMS:
            return _FORMS[form](tree, *map(words_of_part, parts))
        case _:
            return skeleton_of(tree)


def _begins_with_past(text: str) -> bool:
    """Whether a sentence begins with an earlier action: “After reading a file, S may not V”."""
    tokens = sentence_tokens(text)
    tree = parse_tree(text, "other") if tokens and tokens[0].type in ("AFTER", "ONCE") else None
    if tree is None or tree.data != "past_first":
        return False
    past = words_of_part(next(named_parts(tree)))
    texts = [word.text.lower() for word in past]
    return bool(_WAS & {*texts}) or texts[0].endswith(("ing", "n", "d", "t"))


def _implied(skeleton: Skeleton) -> Skeleton | None:
    """The rule that a sentence implies: “refunds must not exceed 50 EUR”, “a single refund …”; or None."""
    first, *tail = skeleton.chunks or ((),)
    noun_chunk = without_words(first, ("a", "an", "any", "each", "every"))
    single = bool(noun_chunk) and noun_chunk[0].text.lower() in ("single", "individual")
    subject = noun_chunk[1:] if single else first
    if skeleton.form == "forbid" and [[word.kind for word in chunk] for chunk in tail] == [_BOUND_MONEY]:
        bound, amount = tail[0]
        if without_copula(bound.text) in _EXCEEDING:
            return replace(skeleton, form="forbid_passive", chunks=((*subject, OF_MORE_THAN, amount),))
    return replace(skeleton, chunks=(subject, *tail)) if single else None


def _joined(chunks: Iterable[Chunk]) -> Chunk:
    return tuple(word for chunk in chunks for word in chunk)


def _only_by(subject: Chunk, verb: Chunk, done_to: Chunk) -> Skeleton:
    return Skeleton("only_subject", (subject, (*verb, *done_to)))


def _only_with(subject: Chunk, action: Chunk, restriction: Chunk) -> Skeleton:
    return Skeleton("only_object", (subject, action, restriction))


def _done_only_by(_: Tree[Token], done_to: Chunk, verb: Chunk, subject: Chunk) -> Skeleton:
    """“X may only be V-ed by S”: only S may V X."""
    return _only_by(subject, verb, done_to)


def _any_but_by(_: Tree[Token], noun: Chunk, spared: Chunk, verb: Chunk, subject: Chunk) -> Skeleton | None:
    """“Any X but Y may be V-ed by S”."""
    return Skeleton("permit_any_but", (subject, verb, noun, spared)) if names_any(noun) else None


def _restricted(_: Tree[Token], subject: Chunk, action: Chunk, *adjuncts: Chunk) -> Skeleton:
    """“S may V in P only”, “X may be V-ed by S only”."""
    last = adjuncts[-1]
    if len(adjuncts) == 1 and len(action) == 2 and action[0] == BE and last[0].text.lower() == "by":
        return _only_by(last[1:], action[1:], subject)
    return _only_with(subject, (*action, *_joined(adjuncts[:-1])), last)


def _imperative(_: Tree[Token], action: Chunk, *adjuncts: Chunk) -> Skeleton | None:
    """“Edit files in P only”, which begins with a verb."""
    return None if is_statement(action) else _only_with(_USERS, action, _joined(adjuncts))


def _done_only(_: Tree[Token], done_to: Chunk, verb: Chunk, *adjuncts: Chunk) -> Skeleton:
    """“X are V-ed in P only”."""
    return _only_with(done_to, (BE, *verb, *_joined(adjuncts[:-1])), adjuncts[-1])


def _condition_first(_: Tree[Token], condition: Chunk, done_to: Chunk, verb: Chunk) -> Skeleton:
    """“Only if C may X be V-ed”."""
    return Skeleton("permit_only_if", (done_to, (BE, *verb), condition))


def _demanded(tree: Tree[Token], subject: Chunk, demanded: Chunk, act: Chunk) -> Skeleton | None:
    """“S needs C to V”: S may V only with C. “S must have C before V-ing” means the same."""
    kinds = [child.type for child in tree.children if isinstance(child, Token)]
    if kinds[0] == "MUST":
        if demanded[0].text.lower() != "have":
            return None
        demanded = demanded[1:]
    if not demanded or demanded[-1].text.lower() in PEOPLE:
        return None
    verb = act[0].text.lower()
    acts = verb.endswith("ing") or (kinds[-1] == "TO" and verb not in _NO_VERBS)
    return _only_with(subject, act, (_WITH, *demanded)) if acts else None


def _purpose(_: Tree[Token], act: Chunk, state: Chunk) -> Skeleton | None:
    """“To V, X must be C”: split at the last comma, as the action may be a list."""
    commas = [place for place, word in enumerate(act) if word.kind == "COMMA"]
    if not commas or commas[-1] + 1 == len(act):
        return None
    return Skeleton("must", (act[commas[-1] + 1 :], (*state, _TO, *act[: commas[-1]])))


def _largest(tree: Tree[Token], *parts: Chunk) -> Skeleton | None:
    """“The maximum refund is 50 EUR”: refunds above that are forbidden."""
    chunk = _joined(parts)
    texts = [word.text.lower() for word in chunk]
    if texts[0] != "the" or texts[1:2] not in (["maximum"], ["max"], ["highest"]):
        return None
    noun_chunk = without_words(chunk[2:], ("amount", "of", "for", "a", "an"))
    noun_chunk = noun_chunk[:-1] if noun_chunk and noun_chunk[-1].text.lower() == "amount" else noun_chunk
    amount = SentenceWord("MONEY", str(tree.children[-1]))
    return Skeleton("forbid_passive", ((*noun_chunk, OF_MORE_THAN, amount),)) if noun_chunk else None


def _quota(tree: Tree[Token], *_: Chunk) -> Skeleton | None:
    """“At most 3 refunds per day”, “the daily limit is 3 refunds”: more of them are forbidden."""
    first = cast("Token", tree.children[0])
    quota, limit_words = words_of_part(tree)[1:], first.split()
    if first.type == "THE_LIMIT" and len(limit_words) > 3:
        quota = (*quota, SentenceWord("WINDOW", limit_words[1].lower()))
    if quota[-1].kind != "WINDOW" or (
        first.type == "COMPARATOR" and without_copula(first) not in UPPER_BOUNDS
    ):
        return None
    return Skeleton("forbid_passive", ((MORE_THAN, *quota),))


def _with_condition(core: Skeleton | None, condition: Chunk) -> Skeleton | None:
    """“On Sundays, nobody may V”: the condition, added to a sentence without one."""
    if core is None or core.condition or core.exception:
        return None
    return replace(core, condition=condition)


_FORMS: dict[str, Callable[..., Skeleton | None]] = {
    "done_only_by": _done_only_by,
    "any_but_by": _any_but_by,
    "restricted_last": _restricted,
    "imperative_last": _imperative,
    "done_only": _done_only,
    "condition_first": _condition_first,
    "demanded": _demanded,
    "purpose_first": _purpose,
    "largest": _largest,
    "quota": _quota,
}
"""The forms of the grammar, each with the function that rearranges its parts into another form."""
