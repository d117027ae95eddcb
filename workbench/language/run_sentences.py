"""Sentences about whole runs in everyday words, each as the rule that every run would keep.

"Every order that is cancelled was looked up before" wants of a call what "An order must not be cancelled
unless the order was looked up" says of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_OF_RUNS = re.compile(
    r"\b(?:in|of|per|within|during) (?:a|any|one|no|each|every|the same)(?: single)? run\b"
    r"|^(?:no|a|any|each|every) run(?:'s)?\b",
    re.IGNORECASE,
)
_NO_RUN = (
    (
        re.compile(r"^(?:in )?no run (?:may|can|should|does) (?:the agent )?(?:ever )?", re.IGNORECASE),
        "never may ",
    ),
    (re.compile(r"^(?:in no run (?=is |are |has |have )|no run )", re.IGNORECASE), "never in a run "),
)
_ANY_WINDOW = re.compile(
    r"^(?:within|in|during) (?:any|every|each|the same)(?: single| one)?(?: \d+| \w+)? "
    r"(?:minute|hour|day|week|month|year)s?\b",
    re.IGNORECASE,
)
_WAS = r"(?:is|are|was|were|has been|have been|had been)"
_SEEN_BEFORE = re.compile(
    rf"^(?:in every run )?(?:every|each|any) (?P<thing>[\w -]+?) (?:that|which|who) {_WAS} (?P<done>[\w ]+?) "
    rf"{_WAS} (?P<seen>[\w ]+?) (?:before(?:hand)?|first|earlier)\W*$",
    re.IGNORECASE,
)
_NOT_BEFORE = re.compile(
    rf"^in no run {_WAS} an? (?P<thing>[\w -]+?) (?P<done>\w+) before (?:it|that|the (?P=thing)) {_WAS} "
    r"(?P<seen>[\w ]+?)\W*$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    rf"^in no run (?P<is>{_WAS}) (?P<thing>an? \w+|any \w+|\w+) (?P<done>.+?) (?:after|once) "
    rf"(?P<seen>.+? {_WAS} [\w ]+?)"
    r"(?P<unless>,? (?:unless|without)\b.*\b(?:person|approv|consent|agree).*)?\W*$",
    re.IGNORECASE,
)
_MUCH = re.compile(
    r"^(?:in no run (?:is|are)|no run \w+|in no run does the agent \w+) (?:more than|over|above)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AsRule:
    """What a sentence about runs wants of a call: a sentence with a norm, which begins with ``tools``.

    The words of this beginning alone name the tools. ``joint`` is the word of the sentence about runs that
    joins it with the rest.
    """

    text: str
    tools: str
    joint: str


def is_of_runs(text: str) -> bool:
    """Whether a sentence says something of whole runs: "in no run", "within any hour", "every … before"."""
    return any(one.search(text.strip()) is not None for one in (_OF_RUNS, _ANY_WINDOW, _SEEN_BEFORE))


def without_run(text: str) -> Sequence[str]:
    """A sentence about whole runs as one about what must not be done: at all, and in one run."""
    for pattern, norm in _NO_RUN:
        text = pattern.sub(norm, text.strip())
    plain = " ".join(_OF_RUNS.sub(" ", text).split())
    return tuple(dict.fromkeys((plain, text)))


def is_of_a_sum(text: str) -> bool:
    """Whether a sentence says how much there is of something: "in no run is more than 5,000 EUR paid"."""
    return _MUCH.search(text.strip()) is not None


def in_order(text: str) -> Iterator[AsRule]:
    """Yield the rules about a call and what was before it that a sentence about whole runs says."""
    for pattern, joint in ((_SEEN_BEFORE, "before"), (_NOT_BEFORE, "before")):
        if found := pattern.search(text.strip()):
            thing = found["thing"]
            tools = f"{_with_article(thing)} must not be {found['done']}"
            yield AsRule(f"{tools} unless the {thing} was {found['seen']}.", tools, joint)
            return
    if found := _AFTER.search(text.strip()):
        head = "It is forbidden if" if found["unless"] is None else "A person must approve if"
        tools = f"{head} {found['thing']} {found['is']} {found['done']}"
        yield AsRule(f"{tools} and {found['seen']} before.", tools, "after")


def _with_article(thing: str) -> str:
    return f"{'An' if thing[:1].casefold() in tuple('aeiou') else 'A'} {thing}"
