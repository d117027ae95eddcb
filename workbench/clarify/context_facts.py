"""Facts from the run's context, which only the program around the agent knows: “if the customer is angry”.

Some conditions, approvals and persons are in no call and no earlier result, so the context has to provide
them. The sentence is read with the fact in place of the words, so that all other words are accounted for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.author.rules.everyday_sentences import everyday_sentence
from workbench.author.rules.lexicon import Lexicon
from workbench.author.rules.modal_words import (
    MODAL_VERBS,
    NEGATIONS,
    SUBJECT_NEGATIONS,
    VERB_NEGATIONS,
    any_of,
)
from workbench.author.rules.words import ARTICLES, USERS, split_words, stem, word_set
from workbench.clarify.person_rule import PersonRule
from workbench.clarify.restated_rule import restated_rule
from workbench.clarify.reversing_words import turns
from workbench.clarify.sayable_facts import FactSource, SayableFact
from workbench.clarify.word_meanings import OpenedWord, WordRole
from workbench.model import AgentSpec, Argument, ArgumentType, Draft, Extraction, Kind
from workbench.runs.extract.propose import free_name, name_of
from workbench.runs.proposals.proposed_names import singular

_WHOSE = r"(?:(?:an?|the|my|your|our|some|another|any) )?(?:[a-z]+ ){0,2}?[a-z]{2,}"
_PERSON = re.compile(_WHOSE, re.I)
_CONSENT = (
    r"(?:approval|permission|consent|confirmation|agreement|authori[sz]ation|sign[- ]?off|ok(?:ay)?|"
    r"go[- ]ahead)"
)
_CONSENT_OF = re.compile(
    rf"(?:(?:an?|the|any|prior|explicit|written) )*(?:{_CONSENT} (?:by|of|from) (?P<by>{_WHOSE})"
    rf"|(?P<whose>{_WHOSE})['’]s? {_CONSENT}|{_CONSENT})",
    re.I,
)
_WHO_AGREES = word_set(
    "human person someone somebody boss lead head chief manager supervisor superior director officer owner "
    "admin administrator colleague coworker operator engineer developer moderator editor organizer doctor "
    "nurse pharmacist therapist teacher parent guardian lawyer accountant librarian user customer client "
    "member patient"
)
"""People whose agreement is needed if the sentence forbids an action without them."""
_CONDITION = re.compile(r"\b(?P<how>only if|only when|if|when|whenever|while|unless|as long as) ", re.I)
_WITHOUT = re.compile(r"\bwithout (?P<what>[^,;]+)$", re.I)
_EVERYONE = USERS | ARTICLES | word_set("agent assistant bot it you we")
_NEGATES = re.compile(rf"\b{any_of(NEGATIONS)}\b", re.I)
# Before “without …” only words that negate the whole sentence make it a demand: “neither” may negate a part.
_FORBIDS = re.compile(rf"\b{any_of(VERB_NEGATIONS | SUBJECT_NEGATIONS)}\b", re.I)
_OPEN_ELSEWHERE = re.compile(
    r"\b(?:it|its|they|them|their|this|that|these|those|he|she|his|her|more|less|fewer|most|least|than|same|"
    r"other|each|every|all|any|before|after|first|already|until|or|and|but|only|ago|yet|earlier|later|last|"
    rf"previous\w*|today|\w+days?|{any_of(MODAL_VERBS | NEGATIONS)})\b|[\d:;,()\"“%$€£]",
    re.I,
)
_MOST_WORDS = 7
_MOST_OF_A_NAME = 3


@dataclass(frozen=True, slots=True)
class _Circumstance:
    """A fact that the context has to provide, and the sentence with ``{}`` in place of the fact's words."""

    says: str
    template: str


def context_rules(
    text: str,
    words: Sequence[OpenedWord],
    lexicon: Lexicon,
    spec: AgentSpec,
    draft: Callable[[str, AgentSpec], Draft],
    question: str,
) -> tuple[PersonRule, ...]:
    """The rule that a sentence states with an added fact of the run's context; none if it cannot be read.

    ``draft`` drafts a request of one sentence for an agent. ``question`` is the question that the new words
    of the sentence answer.
    """
    action, plain_text = lexicon.action(), " ".join(text.split()).rstrip(".!;")
    if action is None:
        return ()
    tool = action.name
    for circumstance in _circumstances(plain_text, action.type.values):
        if _is_of_the_call(circumstance.says, words):
            continue
        fact = _fact(circumstance.says, spec)
        declared = replace(spec, arguments=(*spec.arguments, *fact.declared))
        name = fact.name

        def read(restated: str, declared: AgentSpec = declared) -> Draft:
            return draft(restated, declared)

        sentence = circumstance.template.format(name)
        statement = f"It is taken as “{sentence}”, where the context says whether {circumstance.says}."
        rule = restated_rule(sentence, read, question, tool, statement)
        if rule is not None and _reads(rule, name):
            return (replace(rule, needs=(fact,), assumed=(_assumption_text(fact, circumstance.says),)),)
    return ()


def _assumption_text(fact: SayableFact, says: str) -> str:
    return f"the context of a run says whether {says}, as {fact.phrase}"


def _reads(rule: PersonRule, name: str) -> bool:
    """Whether the rule mentions the fact."""
    return " ".join(split_words(name)) in rule.aloud


def _fact(says: str, spec: AgentSpec) -> SayableFact:
    """The fact that the context confirms a statement; its argument has a name that no request uses."""
    place = name_of(tuple(word for word in split_words(says) if word not in ARTICLES))[:50].strip("_")
    name = free_name(f"{place}_in_context", {argument.name for argument in spec.arguments})
    source = Extraction("jsonpath", {"path": f"$.context.{place}"})
    argument = Argument(name, ArgumentType(Kind.BOOL), f"{says}: the context of the run says so", source)
    return SayableFact(place, FactSource.CONTEXT, argument)


def _is_of_the_call(says: str, words: Sequence[OpenedWord]) -> bool:
    """Whether words are about the contents of a call, or about anything in the agent spec."""
    if _OPEN_ELSEWHERE.search(says) or not 1 < len(says.split()) <= _MOST_WORDS:
        return True
    parts = set(split_words(says))
    known_words = (word for word in words if word.role in (WordRole.TOOL, WordRole.ARGUMENT, WordRole.VALUE))
    return any(parts & set(split_words(word.text)) for word in known_words)


def _circumstances(text: str, tools: Sequence[str]) -> Iterator[_Circumstance]:
    """Yield the facts that the context may have to provide for a sentence, the likeliest first."""
    yield from _of_consent(text)
    yield from _of_who(text, frozenset(stem(word) for tool in tools for word in split_words(tool)))
    yield from _of_conditions(text)


def _of_conditions(text: str) -> Iterator[_Circumstance]:
    """“If the customer is angry, do not refund”, “… unless the shop is closed”."""
    matches = [*_CONDITION.finditer(text)]
    if len(matches) != 1:
        return
    start, end = matches[0].span()
    if not start:
        says, comma, rest = text[end:].partition(",")
        if comma and rest.strip():
            yield _Circumstance(says.strip(), f"{text[:end]}{{}},{rest}")
    else:
        yield _Circumstance(text[end:].strip(), f"{text[:end]}{{}}")


def _of_consent(text: str) -> Iterator[_Circumstance]:
    """“… without a manager's approval”, “… need the approval of a manager”, “ask before you …”."""
    without, needed = _WITHOUT.search(text), everyday_sentence(text, "needed")
    if without is not None and _FORBIDS.search(text[: without.start()]):
        phrase = without["what"].strip()
        if (says := _agreed(phrase)) is not None:
            yield _Circumstance(says, f"{text[: without.start()]}without {{}}")
    says = None if needed is None or _NEGATES.search(text) else _agreed(needed.part("consent"))
    if needed is not None and says is not None:
        yield _Circumstance(says, f"{needed.part('whatever')} requires {{}}")
    yield from _of_asking(text)


def _of_asking(text: str) -> Iterator[_Circumstance]:
    """“Ask the manager for approval before you …”."""
    asked = everyday_sentence(text, "asked")
    if asked is None:
        return
    who, asked_for = asked.part("asked_person"), asked.part("asked_for")
    if (who and not _PERSON.fullmatch(who)) or (asked_for and not _CONSENT_OF.fullmatch(asked_for)):
        return
    act = re.sub(r"^(?:you|it) ", "", asked.part("act"), flags=re.I)
    verb = re.sub(r"^(\w+?)ing\b", r"\1", act)
    with_e = re.sub(r"^(\w+?)ing\b", r"\1e", act)
    for verb_form in dict.fromkeys((verb, with_e, act)):
        yield _Circumstance(f"{_person(who)} agreed", f"Never {verb_form} without {{}}")


def _agreed(phrase: str) -> str | None:
    """The person who has to agree, from the words after “without” or “needs”; None if they name none."""
    if re.fullmatch(r"asking(?: first)?|being asked", phrase, re.I):
        return f"{_person('')} agreed"
    if (asking := re.fullmatch(rf"asking (?P<who>{_WHOSE})(?: first)?", phrase, re.I)) is not None:
        return f"{_person(asking['who'])} agreed"
    if (consent := _CONSENT_OF.fullmatch(phrase)) is not None:
        return f"{_person(consent['by'] or consent['whose'] or '')} agreed"
    last = split_words(phrase)[-1:]
    alone = len(phrase.split()) <= _MOST_OF_A_NAME and {*last} <= _WHO_AGREES
    return f"{_person(phrase)} agreed" if last and alone else None


def _person(who: str) -> str:
    """The person who agrees, by the name in the context; “a person” if the sentence names no one."""
    named = who.lower().strip()
    return "a person" if named in ("", "me", "us", "you", "someone", "somebody") else named


def _of_who(text: str, done_to: frozenset[str]) -> Iterator[_Circumstance]:
    """“Only the organizer may delete an event”, “… may only be deleted by the organizer”.

    The acting person must not be an object of the tools (``done_to``): “only paid orders may leave”.
    """
    for form in ("only_who", "only_by", "only_for"):
        sentence = everyday_sentence(text, form)
        if sentence is None:
            continue
        who, deed = sentence.part("person"), sentence.part("act") or sentence.part("matter")
        named = frozenset(split_words(who))
        if named <= _EVERYONE or turns(who) or done_to & {stem(word) for word in named}:
            continue
        if len(who.split()) <= _MOST_OF_A_NAME and not deed.startswith("be "):
            match form:
                case "only_who":
                    template = f"Users may {deed} only if {{}}"
                case "only_by":
                    template = f"{deed} may be {sentence.part('verb')} only if {{}}"
                case _:
                    is_or_are = sentence.word("IS_ONLY", "IS_ONLY_ALLOWED").partition(" ")[0]
                    template = f"{deed} {is_or_are} allowed only if {{}}"
            yield _Circumstance(f"the user is {_one_of(who)}", template)


def _one_of(who: str) -> str:
    """The singular of a word for people, with its article: “a manager” for “managers”."""
    noun = singular(who.lower())
    return who if noun == who.lower() or " " in who else f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
