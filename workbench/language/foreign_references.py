"""What a foreign sentence takes from the one before it: "they", "larger ones", "all others do not".

A sentence that points back is read with what it points to in its place; one that leaves its verb out, and
of which the sentence before does not tell it, says nothing that can be read.
"""

from __future__ import annotations

import re

from workbench.language.foreign.cues import Cue, CueAt
from workbench.language.foreign.sentence import ForeignSentence
from workbench.language.foreign.small_words import ENDS_OF_CLAUSE
from workbench.language.vocabulary import words_named

_VERBS = words_named("copulas") | {
    *("is", "are", "was", "were", "has", "have", "may", "can", "must", "should", "shall", "cannot", "can't"),
    *("need", "needs", "require", "requires", "do", "does", "don't", "doesn't", "isn't", "aren't", "mustn't"),
}
_POINTING = frozenset(
    ("they", "it", "these", "those", "he", "she", "nobody", "nothing", "no", "there", "that")
)
"""What begins a subject that names nothing, or nothing that a later sentence may be about."""
_MOST_OF_SUBJECT = 8
_SUBJECT = re.compile(r"(?:they|it|these|those)\s+(?=(?P<verb>[\w']+))", re.IGNORECASE)
_EMPTY_IT = re.compile(
    r"it\s+(?:(?!has\b|needs\b|must\b)[\w']+\s+){1,4}?(?:to|that)\b|it\s+(?:takes|depends|makes)\b",
    re.IGNORECASE,
)
"""An "it" that points forward: "it is forbidden to"."""
_POSSESSIVE = re.compile(r"(?:their|its)\s+(?=[a-z])", re.IGNORECASE)
_OBJECT = re.compile(
    r"((?:please\s+)?(?:do\s+not|don't|never|always)\s+[\w-]+)\s+(?:them|it)\b", re.IGNORECASE
)
_OTHERS = re.compile(r"(?:(?:all|any|the)\s+)?others?\b(?:\s+ones)?(?!\s+than)|the\s+rest\b", re.IGNORECASE)
_MORE = re.compile(r"(?:larger|higher|bigger|longer|dearer|heavier)\s+(?:ones|amounts)\b", re.IGNORECASE)
_LESS = re.compile(r"(?:smaller|lower|shorter|cheaper|lighter)\s+(?:ones|amounts)\b", re.IGNORECASE)
_ELSE = re.compile(
    r"(?:(?<=\bto )|(?<=\bwith ))"
    r"(?:(?:any|every|some)(?:body|one)\s+else\b|(?:all|any|every)\s+other\s+(?:people|person|address(?:es)?|recipients?)\b)",
    re.IGNORECASE,
)
"""Who is told by what the sentence before says: "mail to anybody else"."""
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w./-])(?:[\w-]+\.)+[a-z]{2,}(?![\w/])")
_ELLIPTIC = re.compile(
    r"(?P<subject>(?:(?!\b(?:where|that|which|who|what|as|than|how|is|are|if|when|only)\b)[^,;:—–])+?)"
    r"\s+(?P<verb>do|does|may|can|must|need|should)"
    r"(?P<denied>\s*not|n't|n’t)?(?:\s+(?:too|either|as\s+well|so))?[\s.!]*",
    re.IGNORECASE,
)
"""A sentence whose verb stands in the one before: "preliminary issues do not"."""
_MOST_OF_ELLIPTIC = 7
_THEN = re.compile(r"(?:then|in\s+that\s+case|if\s+so),?\s+", re.IGNORECASE)
_TURNED = {
    Cue.AT_MOST: "more than", Cue.LESS: "at least", Cue.MORE: "at most", Cue.AT_LEAST: "less than",
}  # fmt: skip


def with_reference(text: str, around: str) -> str:
    """A sentence with what it points to in the one before it, which ``around`` ends with.

    It is empty where it leaves out its verb and nothing tells that.
    """
    before = ForeignSentence(_before(around))
    subject = _subject(before)
    if (one := _SUBJECT.match(text)) is not None and subject and not _EMPTY_IT.match(text):
        text = f"{subject} {text[one.end() :]}"
    elif (one := _POSSESSIVE.match(text)) is not None and subject:
        text = f"{_owner(subject)} {text[one.end() :]}"
    elif (one := _OBJECT.match(text)) is not None and subject:
        text = f"{one[1]} {subject}{text[one.end() :]}"
    elif (one := _THEN.match(text)) is not None and around.rstrip().endswith("?"):
        text = f"if {before.text.rstrip('?')}, {text[one.end() :]}"
    text = _beside_limit(text, before, subject)
    found = _ELLIPTIC.fullmatch(text)
    if found is None or len(found["subject"].split()) > _MOST_OF_ELLIPTIC:
        return text
    return _with_verb(found, before)


def with_others(text: str, around: str) -> str:
    """A sentence that stops mail to "anybody else": whom the one before does not name, or all others."""
    one = _ELSE.search(text)
    said = ForeignSentence(text if one is not None else "")
    stops = (said.asks and not said.is_free) or (said.norm is not None and said.norm.cue is Cue.FORBID)
    if one is None or not stops:
        return text
    named = " or ".join(dict.fromkeys(_ADDRESS.findall(_before(around))))
    return f"{text[: one.start()]}{f'anybody other than {named}' if named else 'others'}{text[one.end() :]}"


def _before(around: str) -> str:
    """The sentence before one, with which what stands around it ends."""
    return around.splitlines()[-1].strip().rstrip(".!;") if around.strip() else ""


def _subject(sentence: ForeignSentence) -> str:
    """What a sentence is about: what stands before its verb, if that names something."""
    verb = next((word for word in sentence.words[1:] if word.low in _VERBS), None)
    words = sentence.words[: verb.number if verb is not None else 0]
    lows = {word.low for word in words}
    names = any(word.weight and word.literal is None for word in words)
    if not names or len(words) > _MOST_OF_SUBJECT or words[0].low in _POINTING or lows & ENDS_OF_CLAUSE:
        return ""
    if any(one.first < len(words) for one in sentence.at(Cue.IF, Cue.UNLESS)):
        return ""
    return sentence.text[: words[-1].end]


def _owner(subject: str) -> str:
    """Whose something is: what a subject says so of, or the subject itself."""
    owner = re.match(r".*?\w(?:['’]s|s['’])(?=\s)", subject)
    return owner.group() if owner is not None else subject + ("'" if subject.endswith("s") else "'s")


def _beside_limit(text: str, before: ForeignSentence, subject: str) -> str:
    """A sentence about what lies beyond the limit before, or else about what was not named there."""
    limits = [
        one for one in before.comparisons
        if one.cue in _TURNED and 0 < before.words[one.first].start < len(subject)
    ]  # fmt: skip
    wanted = {Cue.AT_MOST, Cue.LESS} if _MORE.match(text) else {Cue.MORE, Cue.AT_LEAST}
    beside = _MORE.match(text) or _LESS.match(text)
    others = _OTHERS.match(text)
    one = beside or others
    if one is None or len(limits) != 1 or (beside and limits[0].cue not in wanted):
        return text
    return f"{_turned(before, limits[0], subject)}{text[one.end() :]}"


def _turned(before: ForeignSentence, limit: CueAt, subject: str) -> str:
    first, last = before.words[limit.first], before.words[limit.after - 1]
    of = "" if before.words[limit.first - 1].low == "of" else "of "
    return f"{subject[: first.start]}{of}{_TURNED[limit.cue]}{subject[last.end :]}"


def _with_verb(found: re.Match[str], before: ForeignSentence) -> str:
    """An elliptic sentence with what the one before says, or denies; empty where that is not told.

    What "may not" something forbids it without that, too.
    """
    subject, denied = found["subject"], bool(found["denied"])
    untold = "" if found["verb"].casefold() in ("do", "does") else found.string
    if before.asks:
        return f"{subject} {'need no approval' if denied else 'need approval'}"
    norm = before.norm
    if norm is None or norm.cue is Cue.REQUIRE or not norm.first:
        return untold
    rest = before.text[before.words[norm.after - 1].end :].strip()
    if _OTHERS.fullmatch(subject):
        return f"only {before.text}" if denied and norm.cue is Cue.PERMIT else untold
    return f"{subject} {'must not' if denied else 'may'} {rest}" if rest else untold
