"""A sentence as the statements that it makes: “S may V, but not W” is a permission and a prohibition.

Each splitter gives the *ways* in which a sentence can be taken apart; every way is a tuple of
statements that all hold. What is left out of an ellipsis may be completed in several ways: a way counts
only if every word of each of its statements is accounted for, and where ways that count differ in
meaning, the reader asks which is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from workbench.author.rules.spelling import normalised

type Way = tuple[str, ...]

_MAY = r"(?:may|can|(?:is|are)\s+(?:allowed|permitted)\s+to)"
_NOT = r"(?:(?:may|must|can|should)\s+(?:not|never)|cannot|can['’]t|mustn['’]t)"
_MODAL = r"(?:may|can|must|shall|should)"
_TAIL = re.compile(r"\b(?:if|unless|when|except|once|while)\b|\buntil\s+(?!noon|midnight)[a-z]", re.I)
_NEGATIVE = re.compile(r"not|never|n['’]t", re.I)
_PREPOSITIONS = r"(?:to|for|from|in|on|with|by|at|between|during|within|under|outside)"
_BUT_NOT = re.compile(
    rf"^(?P<who>.+?)\s+(?P<may>{_MAY}(?:\s+be)?)\s+(?P<what>.+?),?\s+but\s+(?:(?:it|they|he|she)\s+)?"
    rf"(?P<not>not|never|{_NOT})\s+(?P<be>be\s+)?(?P<other>.+)$",
    re.I,
)
_SOME_NOT = re.compile(
    rf"^(?P<who>.+?),\s*but\s+not\s+(?P<spared>[^,]+?),?\s+(?P<may>{_MAY})\s+(?P<what>.+)$", re.I
)
_NEITHER_SUBJECT = re.compile(
    rf"^neither\s+(?P<a>.+?)\s+nor\s+(?P<b>.+?)\s+(?:{_MODAL}|(?:is|are)\s+(?:allowed|permitted)\s+to)\s+"
    r"(?P<what>(?!not\b|only\b).+)$",
    re.I,
)
_NEITHER_VERB = re.compile(
    rf"^(?P<who>.+?)\s+{_MODAL}\s+(?P<be>be\s+)?neither\s+(?P<be_too>be\s+)?(?P<a>.+?)\s+nor\s+(?:be\s+)?"
    r"(?P<b>.+)$",
    re.I,
)
_NEITHER_IMPERATIVE = re.compile(r"^neither\s+(?P<a>[\w-]+)\s+nor\s+(?P<b>.+)$", re.I)
_AND_ONLY = re.compile(
    rf"^(?P<only>only\s+)?(?P<who>.+?)\s+(?P<may>{_MAY})\s+(?P<mid>only\s+)?(?P<what>.+?),?\s+(?:and|but)\s+only\s+"
    rf"(?P<kind>if|when|while|after|once|{_PREPOSITIONS})\s+(?P<rest>.+)$",
    re.I,
)
_AND_ONLY_OWN = re.compile(
    rf"^(?P<who>.+?)\s+(?P<may>{_MAY})\s+(?:only\s+)?(?P<verb>[\w-]+)\s+(?P<what>.+?),?\s+(?:and|but)\s+only\s+"
    r"(?P<own>(?:their|his|her|its|your)\s+own)$",
    re.I,
)
_AND_NEVER = re.compile(
    rf"^(?P<first>(?:.+?)\s+{_MAY}\s+(?P<verb>[\w-]+)\s+.+?),?\s+(?:and|but)\s+never\s+(?P<rest>.+)$", re.I
)
_ALSO = re.compile(
    rf"^(?P<a>.+?)\s+(?P<may>{_MAY})\s+(?!only\b|not\b)(?P<what>(?P<verb>[\w-]+)\s+[^,;]+?)[,;]\s*(?:and\s+|but\s+|while\s+)?"
    rf"(?P<b>[^,;]+?)\s+(?:{_MAY}\s+)?(?:also|too|additionally|in\s+addition)\s+(?P<more>[^,;]+)$",
    re.I,
)
_OTHERS_NOT = re.compile(
    rf"^(?P<a>[^,;]+?)\s+(?P<may>{_MAY})\s+(?!only\b|not\b)(?P<what>[^,;]+?)[,;]\s*(?:and\s+|but\s+|while\s+|whereas\s+)?"
    rf"(?P<b>(?:(?!\b{_MODAL}\b)[^,;])+?)\s+(?:{_NOT}|(?:is|are)\s+not)$",
    re.I,
)
_OTHERS_MAY = re.compile(
    rf"^(?P<a>[^,;]+?)\s+{_NOT}\s+(?P<what>[^,;]+?)[,;]\s*(?:and\s+|but\s+|while\s+|whereas\s+)?"
    rf"(?P<b>(?:(?!\b{_MODAL}\b)[^,;])+?)\s+(?:may|can|(?:is|are)(?:\s+allowed\s+to)?)$",
    re.I,
)
_ANY_BUT = re.compile(
    rf"^(?P<who>.+?)\s+(?P<may>{_MAY})\s+(?P<verb>\w+)\s+(?:any\s+(?P<what>\w+)|everything|anything)\s+"
    r"(?:but|except|other\s+than)\s+(?!not\b)(?!\w+\s+nothing\b)"
    r"(?P<spared>[^,]+)$",
    re.I,
)
_EVERYTHING = re.compile(
    rf"^(?P<who>.+?)\s+(?P<may>{_MAY})\s+(?P<verb>\w+)\s+(?:everything|anything),?\s+but\s+"
    r"(?:may\s+)?(?P<other>\w+)\s+nothing$",
    re.I,
)
_NOTHING_ELSE = re.compile(
    rf"^(?P<who>.+?)\s+{_MAY}\s+(?P<what>.+?)(?:,?\s+(?:but|and)|,)\s+(?:they\s+|he\s+|she\s+|it\s+)?"
    r"(?:nothing\s+else|(?:can['’]t|cannot|(?:may|can|must)\s+not)\s+do\s+anything\s+else)$",
    re.I,
)
_CLAUSES = re.compile(
    rf"^(?P<who>(?:(?!\b{_MODAL}\b).)+?)\s+(?P<first>{_NOT}|{_MAY}|must)\s+(?P<a>.+?),?\s+(?:and|or|but)\s+"
    rf"(?:(?:it|they|he|she)\s+)?(?P<second>{_NOT}|{_MAY})\s+(?P<b>.+)$",
    re.I,
)
_CLAUSE = re.compile(
    rf"^(?!(?:{_MODAL}|not|never|only\s+(?:if|after|for|in|to))\b)\S.*?\s(?:{_MODAL}|cannot|can['’]t|"
    r"(?:is|are)\s+(?:not\s+)?(?:allowed|permitted|forbidden|prohibited))\b",
    re.I,
)
# Words that point back at another part of the sentence.
_BACK = re.compile(
    r"\b(?:it|they|them|this|that|these|those|he|she|its|their|neither|both|either|so|also|too|else|others?|ones?|"
    r"do|does|same|such|former|latter)\b",
    re.I,
)
_TRAILING = re.compile(r"^(?P<core>.+?),?\s+(?P<tail>(?:if|unless|until|when|except)\s+.+)$", re.I)


def _neither(text: str) -> Iterator[Way]:
    """“Neither A nor B may V”, “S may neither V nor W”, “Neither V nor W”."""
    if found := _NEITHER_SUBJECT.match(text):
        yield tuple(
            f"{who} may not {found['what']}" for who in (found["a"], *re.split(r"\s+nor\s+", found["b"]))
        )
    elif found := _NEITHER_VERB.match(text):
        be = "be " if found["be"] or found["be_too"] else ""
        listed = [found["a"], *re.split(r"\s+nor\s+(?:be\s+)?", found["b"])]
        yield (f"{found['who']} may not {be}{' or '.join(listed)}",)
    elif found := _NEITHER_IMPERATIVE.match(text):
        yield (f"never {found['a']} or {found['b']}",)


def _but_not(text: str) -> Iterator[Way]:
    """“S may V, but not W”; where W is no action of its own, it is done as V is."""
    found = _BUT_NOT.match(text)
    if found is None or _TAIL.search(text):
        return
    passive = "be " if found["may"].lower().endswith("be") or found["be"] else ""
    first = f"{found['who']} {found['may']} {found['what']}"
    yield first, f"{found['who']} may not {passive}{found['other']}"
    verb, *whatever = found["what"].split()
    if not passive and whatever and re.fullmatch(r"[\w-]+(?:\s+or\s+[\w-]+)?", found["other"]):
        yield first, f"{found['who']} may not {found['other']} {' '.join(whatever)}"
    if found["not"].lower() == "not" and re.match(rf"{_PREPOSITIONS}\b|\w+$", found["other"], re.I):
        yield first, f"{found['who']} may not {passive}{verb} {found['other']}"


def _some_not(text: str) -> Iterator[Way]:
    """“Managers, but not guests, may V”: a permission for the ones, a prohibition for the others."""
    if found := _SOME_NOT.match(text):
        yield (
            f"{found['who']} {found['may']} {found['what']}",
            f"{found['spared']} may not {found['what']}",
        )


def _and_only(text: str) -> Iterator[Way]:
    """“Only S may V, and only if C”: the second part restricts those whom the first allows."""
    if found := _AND_ONLY_OWN.match(text):
        only = "only " if re.search(rf"{_MAY}\s+only\s", text, re.I) else ""
        first = f"{found['who']} {found['may']} {only}{found['verb']} {found['what']}"
        yield first, f"{found['who']} may {found['verb']} only {found['own']} {found['what']}"
    elif found := _AND_ONLY.match(text):
        who = re.sub(r"^(?:nobody|no\s+one)\s+(?:but|except)\s+", "", found["who"], flags=re.I)
        mid = found["mid"] or ""
        first = f"{found['only'] or ''}{found['who']} {found['may']} {mid}{found['what']}"
        kind, rest = found["kind"].lower(), found["rest"]
        if kind in ("after", "once"):
            if not re.search(r"\b(?:the|a)\s+\w+\s+(?:has\s+|have\s+)?\w+ed$", rest, re.I):
                return
            kind = "if"
        what = re.sub(r"\s+by\s+.+$", "", found["what"]) if found["what"].startswith("be ") else found["what"]
        yield first, f"{who} may {what} only {kind} {rest}"


def _and_never(text: str) -> Iterator[Way]:
    """“Only S may delete data, and never more than 100 rows”: the verb is the first part's."""
    if found := _AND_NEVER.match(text):
        yield found["first"], f"never {found['verb']} {found['rest']}"
        yield found["first"], f"never {found['rest']}"


def _also(text: str) -> Iterator[Way]:
    """“Nurses may read allergies, doctors also diagnoses”: who comes second may do both."""
    if found := _ALSO.match(text):
        base = (f"{found['a']} {found['may']} {found['what']}", f"{found['b']} may {found['what']}")
        whatever = found["what"].removeprefix(found["verb"]).strip()
        more = re.sub(r"\b(?:them|it)\b", whatever, found["more"])
        yield *base, f"{found['b']} may {more}"
        yield *base, f"{found['b']} may {found['verb']} {more}"


def _clauses(text: str) -> Iterator[Way]:
    """“S may not V and may not W if C”: the condition belongs to the last part, or to both."""
    found = _CLAUSES.match(text)
    if found is None or re.search(r"\bbut\s+(?:not|only)\b", text, re.I):
        return
    first, second = (f"{found['who']} {found[modal]} " for modal in ("first", "second"))
    if " " not in found["a"] and " " in found["b"]:
        if _NEGATIVE.search(found["first"]) and _NEGATIVE.search(found["second"]):
            yield (f"{first}{found['a']} or {found['b']}",)  # “may not read and may not export invoices”
        return
    trailing = _TRAILING.match(found["b"])
    if _TAIL.search(found["a"]):
        return
    if trailing is None:
        yield first + found["a"], second + found["b"]
    elif not _TAIL.search(trailing["tail"][3:]):
        tail = f" {trailing['tail']}"
        yield first + found["a"], second + trailing["core"] + tail
        yield first + found["a"] + tail, second + trailing["core"] + tail


def _any_but(text: str) -> Iterator[Way]:
    """“S may V any X but Y”: V-ing Y is forbidden, or the sentence says nothing of it."""
    if found := _ANY_BUT.match(text):
        what = f"{found['verb']} {found['what'] or ''}"
        permitted = f"{found['who']} {found['may']} {what} not {found['spared']}"
        yield permitted, f"{found['who']} may not {found['verb']} {found['spared']}"
        yield (permitted,)


def _all_or_nothing(text: str) -> Iterator[Way]:
    """“S may V everything, but W nothing”; “S may V, but nothing else”."""
    if found := _EVERYTHING.match(text):
        yield (
            f"{found['who']} {found['may']} {found['verb']} anything",
            f"{found['who']} may not {found['other']} anything",
        )
    elif found := _NOTHING_ELSE.match(text):
        yield (f"{found['who']} may only {found['what']}",)


def _others_not(text: str) -> Iterator[Way]:
    """“A may V, B may not”, “A cannot V, B can”: what B may is what A may not."""
    if _TAIL.search(text):
        return
    if found := _OTHERS_NOT.match(text):
        first = f"{found['a']} {found['may']} {found['what']}"
        yield first, f"{found['b']} may not {found['what']}"
    elif found := _OTHERS_MAY.match(text):
        yield f"{found['a']} may not {found['what']}", f"{found['b']} may {found['what']}"


def _two_sentences(text: str) -> Iterator[Way]:
    """“A may not V and B may not W”: two subjects, each with its own verb, and no word for the other part."""
    for joint in re.finditer(r",?\s+(?:and|but|though|while|whereas)\s+", text, re.I):
        first, second = text[: joint.start()], text[joint.end() :]
        if not (_CLAUSE.match(first) and _CLAUSE.match(second)):
            continue
        if _TAIL.search(text) or _BACK.search(second):
            continue
        yield first, second


_SPLITTERS: tuple[Callable[[str], Iterator[Way]], ...] = (
    _neither,
    _any_but,
    _all_or_nothing,
    _some_not,
    _and_only,
    _and_never,
    _also,
    _but_not,
    _others_not,
    _clauses,
    _two_sentences,
)


@lru_cache(maxsize=4096)
def ways(text: str) -> tuple[Way, ...]:
    """The ways to take a sentence apart, without repetitions; one statement is one way."""
    plain = normalised(text)
    for splitter in _SPLITTERS:
        found = dict.fromkeys(tuple(map(normalised, way)) for way in splitter(plain))
        if found:
            return tuple(found)
    return ((plain,),)
