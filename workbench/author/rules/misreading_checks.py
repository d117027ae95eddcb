"""Checks against misreading: words that resemble known words, or resemble words that add nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.author.argument_terms import Listing, argument_of, conjuncts, is_truth, value_listing
from workbench.author.rules.argument_binding import AGGREGATE, UnreadableError, is_aggregate, words_of
from workbench.author.rules.lexicon import GENERIC_VALUES, Lexicon, Meaning, Reference
from workbench.author.rules.words import ARTICLES, PEOPLE, POSSESSIVES, split_words, stem, word_set
from workbench.model import Argument, Kind
from workbench.policy.terms import (
    Term,
)

_CLIENTS = word_set("user users customer customers client clients")
_MOST_TITLE = 2
"""The most words of a person's title, such as “the head”, after “the approval of”."""
_ACTS = re.compile(r"\b(approv|confirm|consent|agree|authori[sz]|request|sign|verif|allow|permit)\w*", re.I)
_TOWARDS = word_set("with to from about of for against")
_TOWARD = re.compile(r"\b(recipient|receiv|to whom|with whom|for whom|owner|patient's|target)", re.I)
_ACTOR = re.compile(r"whether\s+(?:the|an?|all|any)\s+(?P<who>\w+)\b", re.I)


def is_what_people_do(before: Sequence[str]) -> bool:
    """Whether “own” is a verb after people (“what they own”); after “their” it is a possessive."""
    words = [word.lower().replace("’", "'") for word in before]
    return bool(words) and words[-1] in PEOPLE - POSSESSIVES and POSSESSIVES.isdisjoint(words)


def check_generic(
    lexicon: Lexicon, meaning: Meaning, words: tuple[str, ...], beside: Sequence[str], reference: str | None
) -> None:
    """Refuse a generic value such as “other” without a word for its argument next to it: “other users”."""
    listing = _listing(meaning)
    if listing is None or listing.argument == reference:
        return
    if len(words) != 1 or words[0].lower() not in GENERIC_VALUES:
        return
    argument_words = words_of(lexicon.argument(listing.argument), described=False)
    if not argument_words & {stem(word.lower()) for word in beside if word.lower() not in ARTICLES}:
        raise UnreadableError(f"“{words[0]}” does not say what it is of", words[0], "undefined")


def check_role(lexicon: Lexicon, meaning: Meaning, before: Sequence[str]) -> None:
    """Refuse “share it with marketing” if the agent only knows the role of the person who shares."""
    words = [word.lower() for word in before if word.lower() not in ARTICLES]
    listing = _listing(meaning)
    if listing is None or not words or words[-1] not in _TOWARDS:
        return
    argument = lexicon.argument(listing.argument)
    if "role" in split_words(argument.name) and not _TOWARD.search(argument.description):
        phrase = f"{words[-1]} {listing.values[0]}"
        raise UnreadableError(f"“{phrase}” is not who {argument.name} speaks of", phrase, "undefined")


def check_pronoun(lexicon: Lexicon, word: str, parts: Sequence[Term]) -> None:
    """Refuse “export them” if the action's name has no object."""
    action = lexicon.action()
    listings = [listing for part in parts if (listing := value_listing(part)) is not None]
    acts = [listing for listing in listings if action and listing.argument == action.name]
    if any(len(split_words(value)) == 1 for listing in acts for value in listing.values):
        raise UnreadableError(f"“{word}” points at another sentence", word)


def check_belongs(lexicon: Lexicon, argument: Argument, around: Sequence[str]) -> None:
    """Refuse “refunds of 20 percent” if the only argument in percent belongs to another action."""
    action = lexicon.action()
    named = words_of(argument, described=False)
    stems_around = {stem(word.lower()) for word in around}
    for value in action.type.values if action is not None else ():
        about = {stem(word) for word in split_words(value)}
        if named & about and not about & stems_around:
            raise UnreadableError(f"it is open what {argument.name} has to do with it", argument.name)


def check_actor(lexicon: Lexicon, meaning: Meaning, words: tuple[str, ...], around: Sequence[str]) -> None:
    """Refuse “the customer's approval” if the agent only knows whether a manager approved."""
    if isinstance(meaning, Reference) or not is_truth(meaning):
        return
    argument = lexicon.argument(argument_of(meaning))
    actor = _ACTOR.match(argument.description)
    if actor is None or not _ACTS.search(argument.description) or actor["who"].lower() in _CLIENTS:
        return
    if stem(actor["who"].lower()) in {stem(word.lower()) for word in (*words, *around)}:
        return
    clients = [word for word in around if word.lower().removesuffix("'s") in _CLIENTS]
    if clients:
        raise UnreadableError(
            f"“{clients[0]}” is not who {argument.name} ({argument.description}) speaks of",
            clients[0],
            "undefined",
        )


def check_window(argument: Argument, around: Sequence[str]) -> None:
    """Refuse “more than 3 refunds” if the argument counts the refunds of a day."""
    stems_around = {stem(word.lower()) for word in around}
    if is_aggregate(argument) and not stems_around & AGGREGATE:
        raise UnreadableError("it names no window", argument.name, "stateful")


def check_whose(
    lexicon: Lexicon, meaning: Meaning, words: Sequence[str], before: Sequence[str], after: Sequence[str]
) -> None:
    """Refuse “a manager's approval”, “approved by a manager” if only the acting person's role is known."""
    action = lexicon.action()
    listing = _listing(meaning)
    if listing is None or (action is not None and listing.argument == action.name):
        return
    last = words[-1].lower().replace("’", "'")
    around = [word.lower() for word in before if word.lower() not in ARTICLES]
    possessed = last.endswith(("'s", "s'")) and bool(after) and _ACTS.match(after[0])
    by = _of_whom(around)
    if possessed or by:
        phrase = f"{words[-1]} {after[0]}" if possessed else f"{by} {words[-1]}"
        why = f"“{phrase}”: {listing.argument} says who acts, not whose consent there is"
        raise UnreadableError(why, phrase, "undefined")


def _of_whom(before: Sequence[str]) -> str:
    """The words “approved by” or “the approval of the head” before a person; empty without such an act."""
    for place in range(len(before) - 1, max(len(before) - 2 - _MOST_TITLE, 0), -1):
        if before[place] in ("by", "from", "of"):
            return " ".join(before[place - 1 :]) if _ACTS.match(before[place - 1]) else ""
        if not before[place].isalpha() or before[place] in ("and", "or"):
            return ""
    return ""


def check_values(condition: Term) -> None:
    """Refuse a phrase that gives one argument two different values."""
    listing_by_argument: dict[str, Listing] = {}
    for part in conjuncts(condition):
        listing = value_listing(part)
        if listing is None:
            continue
        if listing.negated and listing.argument in listing_by_argument:
            raise UnreadableError(f"it says two things of {listing.argument}", listing.argument)
        if not listing.negated:
            first_listing = listing_by_argument.setdefault(listing.argument, listing)
            if not set(first_listing.values) & set(listing.values):
                raise UnreadableError(
                    f"{listing.argument} cannot be {first_listing.values[0]} and {listing.values[0]} at once",
                    kind="undefined",
                )


def _listing(meaning: Meaning) -> Listing | None:
    return None if isinstance(meaning, Reference) else value_listing(meaning)


def check_command(lexicon: Lexicon, condition: Term, text: str) -> None:
    """Refuse to forbid a literal command if all commands that begin with it may be meant."""
    listing = value_listing(condition)
    if listing is None or lexicon.argument(listing.argument).type.kind is not Kind.STR:
        return
    if stem("command") in words_of(lexicon.argument(listing.argument), described=False):
        why = f"it is open whether “{text}” alone is meant, or every command that starts with it"
        raise UnreadableError(why, text, "undefined")
