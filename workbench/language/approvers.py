"""Who says yes in a foreign sentence: "the OK of a shift lead", "goes past Ann", "must be cleared with me".

Such a phrase asks for an approval, and its words name nothing else: a shift lead whose consent is needed is
no role of the user.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from workbench.language.vocabulary import GENERAL, words_named

_NAME = "^"
"""What stands before a word in capital letters that does not begin the sentence."""


@lru_cache(maxsize=1)
def _phrases() -> tuple[re.Pattern[str], ...]:
    roles = _either(words_named("approvers") | words_named("people"))
    person = rf"(?:me|us|\^[\w'-]+|{roles}s?)"
    of = r"(?:an?|the|my|our|your|their|its|one of (?:the|our)|at least one|some|another)"
    article = rf"(?:{of} (?:[\w-]+ ){{0,2}}?)?"
    who = rf"(?:me|us|{article}{person}(?: on (?:duty|call))?)"
    whose = rf"(?:my|our|{article}(?:\^[\w-]+|{roles})['’]s|{roles}s['’])"
    given = _either(words_named("consented"))
    yes = rf"(?:(?:prior|explicit|written|express|formal) )?{_either(words_named('consents'))}"
    first = r"(?: first| beforehand)?"
    ends = r"(?![\w'])"
    of_it = r"(?: (?:to )?(?:it|this|that|them))?"
    others = _either(frozenset(GENERAL["people"]) - words_named("approvers"))
    anybody = rf"the (?:[\w-]+ ){{0,2}}(?!{others}s?\b)[\w-]+"
    until = r"(?:without|unless|until|before|only if|only when|once)"
    demanded = r"(?<![\w])(?:be|been|being|get|gets|unless|until|only if|only when|only once|before)"
    return tuple(
        re.compile(one)
        for one in (
            rf"(?<!\w){until} (?P<said>{anybody} (?:has|have) (?:first )?"
            rf"(?:agreed|consented|okayed|approved|signed off|said yes){of_it}){ends}",
            rf"{demanded} (?P<said>{given}{first} (?:by|with) {who}{first}){ends}",
            rf"(?<!\w)(?P<said>(?:go|goes|run|runs|pass|passes) (?:past|by) {who}{first}){ends}",
            rf"(?<!\w)(?P<said>(?:go|goes|put|passed) (?:to|before) (?:me|us|{article}{roles}) first){ends}",
            rf"(?<!\w)(?P<said>{yes} (?:of|from|by) {who}){ends}",
            rf"(?<!\w)(?P<said>{whose} {yes}){ends}",
            rf"(?<!\w){until} (?P<said>(?:{who} (?:has |have |having )|(?:i|we) (?:have |had )?)"
            rf"(?:first )?(?:{given}|said (?:yes|so|ok|okay|fine)){of_it}){ends}",
        )
    )


def _either(words: frozenset[str]) -> str:
    return f"(?:{'|'.join(re.escape(one) for one in sorted(words, key=len, reverse=True))})"


def approvals(words: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where each phrase begins and ends, by the numbers of words, that says who is to approve."""
    marked = [
        f"{_NAME if number and one[:1].isupper() and not one.isupper() else ''}{one.casefold()}"
        for number, one in enumerate(words)
    ]
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    place = 0
    for number, one in enumerate(marked):
        starts[place] = number
        ends[place + len(one)] = number + 1
        place += len(one) + 1
    text = " ".join(marked)
    for phrase in _phrases():
        for found in phrase.finditer(text):
            first, after = starts.get(found.start("said")), ends.get(found.end("said"))
            if first is not None and after is not None:
                yield first, after
