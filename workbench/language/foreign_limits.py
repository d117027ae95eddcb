"""A number of which the end of a sentence says that it is a limit: "five crates and not one more".

And one beyond which the end of a sentence leaves out what is so: "up to 500 you need not ask, above always".
"""

from __future__ import annotations

import re
from datetime import timedelta

from workbench.language.foreign.cues import Cue
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.vocabulary import words_named

_MORE = (
    r"more|longer|later|further|higher|larger|bigger|greater|above|over|beyond|two|three|four|five|several"
)
_LESS = r"less|fewer|sooner|earlier|shorter|lower|smaller|cheaper|below|under|before"
_SIDE = rf"(?:{_MORE}|{_LESS})"
_ENDS = r"(?=[\s.;!]*$)"
_CONTRAST = re.compile(
    rf"(?:,?\s+(?P<joined>and|but)|,)\s+(?:no|not|never)\s+(?:an?\s+(?:\w+\s+){{0,2}}?|one\s+|any\s+)?"
    rf"(?P<side>{_SIDE}(?:\s+(?:than\s+)?(?:that|this))?"
    rf"(?:,?\s+(?:(?:and|or|nor)\s+)?(?:(?:no|not|never)\s+)?{_SIDE})?){_ENDS}"
    r"|\s+and\s+not\s+(?:one|a\s+single(?:\s+one)?)\s+(?P<within>more)\b(?!\s+than)",
    re.IGNORECASE,
)
_ONLY = re.compile(rf"\s+only{_ENDS}", re.IGNORECASE)
_PERMITTING = re.compile(r"\b(?:may|can|fine|ok|okay|allowed|permitted)\b", re.IGNORECASE)
_SIGN = re.compile(r"[€$£¥₹]\s*$")
_FIGURE = r"\d[\d.,]*(?:\s*%)?"
_FARTHEST = 120
"""How many characters behind a limit its clause ends at most."""
_BEYOND = re.compile(
    rf"(?P<first>.*?\b(?:up\s+to|until|under|below|at\s+most)\s+(?:an?\s+\w+\s+of\s+)?"
    rf"(?P<figure>{_FIGURE})(?P<unit>\s+\w+)?[^,;—–]{{0,{_FARTHEST}}}?)\s*[,;—–]\s+(?:and\s+|but\s+)?"
    rf"(?:(?:above|over|beyond)(?:\s+(?:that|this|it|{_FIGURE}(?:\s+\w+)?))?|more(?:\s+than\s+(?:that|{_FIGURE}))?)\s+"
    r"(?P<then>(?:(?:you|we|it|they|nobody)\s+)?(?:do|does|must|may|need|don't|doesn't|(?:do|does|must|may|need)\s+not)"
    rf"|always|never|nobody|no\s+one|nothing|not){_ENDS}",
    re.IGNORECASE,
)
_NOTHING_MORE = re.compile(
    rf"(?:,?\s+(?:and\s+)?)(?:without\s+(?:(?:any|further|more|much|the|usual|of|this|that)\s+){{0,3}}"
    rf"(?:{'|'.join(words_named('formalities'))})(?:\s+(?:on|to|for|as\s+to)\s+[^,;.]+)?"
    r"|like\s+(?:everybody|everyone|anybody|anyone)\s+else|(?:instead|in\s+place)\s+of\s+(?:(?:an?|the)\s+)?[\w-]+"
    r"|at\s+any\s+(?:time|hour))\b",
    re.IGNORECASE,
)
"""What says of what is permitted that nothing else is asked for it: "without any limit on meals"."""
_DENIED = re.compile(r"\b(?:no|nobody|nothing|never|not|don't|doesn't)\b", re.IGNORECASE)


def without_formalities(text: str) -> str:
    """A sentence that permits something, without what says that nothing limits that."""
    bare = _NOTHING_MORE.sub("", text)
    norm = ForeignSentence(bare).norm if bare != text else None
    return bare if norm is not None and norm.cue is Cue.PERMIT else text


def with_other_side(text: str) -> str:
    """A sentence that leaves out what is so beyond its limit, as one of the limit alone."""
    if (found := _BEYOND.match(text)) is None:
        return text
    first = ForeignSentence(found["first"])
    denied = _DENIED.search(found["then"]) is not None
    if first.is_free and not denied:
        beyond = found.start("figure"), found.end("unit") if found["unit"] else found.end("figure")
        return f"over {text[slice(*beyond)]} needs approval"
    if denied and not first.asks and (first.norm is None or first.norm.cue is Cue.PERMIT):
        return f"only {found['first']}"
    return found["first"]


def with_limit(text: str) -> str:
    """A sentence whose end says that its number is the most or the least, with that before the number."""
    if (only := _ONLY.search(text)) is not None:
        return _bounded(text[: only.start()], text[only.end() :], "at most", lengths=True) or text
    if (found := _CONTRAST.search(text)) is None:
        return text
    rest, after = text[: found.start()], text[found.end() :]
    if ForeignSentence(rest).has(Cue.MORE, Cue.AT_LEAST, Cue.LESS, Cue.AT_MOST, Cue.EXACTLY):
        ends = not found["joined"] and _PERMITTING.search(rest) is not None
        return f"{rest}{' and nowhere else' if ends else ''}{after}"
    side = found["side"] or found["within"]
    more, less = (re.search(rf"\b(?:{one})\b", side, re.IGNORECASE) for one in (_MORE, _LESS))
    bound = "exactly" if more and less else "at most" if more else "at least"
    return _bounded(rest, after, bound, lengths=False) or f"{rest}{after}"


def _bounded(rest: str, after: str, bound: str, *, lengths: bool) -> str:
    """A sentence with what its last number is; empty if it has none. With ``lengths`` that ends it."""
    words = ForeignSentence(rest).words
    number = next((one for one in reversed(words) if one.literal is not None and _counts(one.literal)), None)
    if number is None:
        return ""
    if lengths and (not isinstance(number.literal, timedelta) or number.end < len(rest.rstrip())):
        return ""
    sign = _SIGN.search(rest[: number.start])
    start = sign.start() if sign is not None else number.start
    return f"{rest[:start]}{bound} {rest[start:]}{after}"


def _counts(literal: object) -> bool:
    return not isinstance(literal, str)
