"""The sentences of a policy of calls: read aloud, completed while they are typed, and kept as rules.

How a session uses its nouns: how often each tool and field is called and read, and the values seen of it.

Completion offers first what is used, and offers the texts that the logs and the policy have of a field.
"""

from __future__ import annotations

import ast
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

from workbench.app.effect import Effect, effect_of, problems_of
from workbench.app.results import told
from workbench.app.session_language import language_of, rule_sentences, words_of_arguments
from workbench.clean_text import counted, one_line
from workbench.language.alone import alone
from workbench.model import AS_KEY, Json, Problem, RecordedCall, WorkbenchError
from workbench.serialization.json_form import Nested, json_form

if TYPE_CHECKING:
    from workbench.app.contradictions import Contradiction
    from workbench.app.policy import Policy
    from workbench.app.results import Logs, PolicyChange
    from workbench.app.runs import Runs
    from workbench.language.completion import Completion, Uses
    from workbench.language.kept_sentence import Kept
    from workbench.language.language import Language, Said
    from workbench.language.lexicon import Lexicon
    from workbench.language.trees import Tree
    from workbench.policy.terms import PolicyTerms
    from workbench.policy.written import ArgumentWords
    from workbench.session import Session


__all__ = ["NotASentence", "SayPreview", "Sentences"]

_MOST_NAMED = 8
_VALUE = re.compile(r"(?:(?!(?:and|or|if|unless)\b)[\w’'-]+\s*){1,5}")
"""The words that a person may mean as a value: up to the next condition."""


@dataclass(frozen=True, slots=True)
class SayPreview:
    """A sentence and what it says: its part of the policy file, and the effect of having it there.

    ``text`` is the sentence as the workbench writes it, several on a line each, and ``python`` the function
    that it is. ``policy`` is the file with it, ``change`` compares the policy before and after, and
    ``contradictions`` are clauses that would not hold.
    """

    name: str
    text: str
    python: str
    policy: str
    change: PolicyChange
    contradictions: tuple[Contradiction, ...] = ()
    stored: bool = False

    @property
    def lines(self) -> Sequence[str]:
        """The sentences with each item of their lists on a line of its own."""
        from workbench.language.language import lines_of

        return [line for text in self.text.split("\n") for line in lines_of(text)]


json_form(
    SayPreview,
    *("name", ("sentence", "text"), ("rule", "python"), "stored"),
    *(("contradictions", told), Nested(None, "change")),
)


class NotASentence(WorkbenchError):
    """A text that the language does not read.

    ``found`` is what of it is read, and what could follow; ``why`` says why no more is, where that is known.
    """

    def __init__(
        self, found: Completion, why: str, head: str = "This is no sentence of the language."
    ) -> None:
        """Say how far the text is read, and what could stand there."""
        offered = ", ".join(found.offered[:_MOST_NAMED])
        read, after = f"It is read up to “{found.beginning}”.", "After it could stand"
        if not found.beginning.strip():
            read, after = "None of its words is read.", "A sentence can begin with"
        super().__init__(f"{head}{why} {read}{f' {after}: {offered}.' if offered else ''}")
        self.found, self.why = found, why


class Sentences:
    """The sentences of one session."""

    def __init__(self, session: Session, policy: Policy, runs: Runs) -> None:
        self._session = session
        self._policy = policy
        self._runs = runs
        self._used: tuple[Language, Uses] | None = None
        self._meant: Mapping[str, tuple[str, ...]] = {}
        self._aloud: tuple[Language, tuple[Said, ...]] | None = None
        self._named: tuple[Language, str, Language] | None = None
        """The language after the last sentence that named something, with that before it."""

    @property
    def language(self) -> Language:
        """The language of the policy as it is.

        Raises WorkbenchError if the policy is not in the dialect.
        """
        self._policy.terms()  # its problems have their places in the file
        return language_of(self._session.written, self._session.agent)

    @property
    def default(self) -> tuple[str, str]:
        """What the policy says of calls of which no rule speaks, and the sentence that says the contrary."""
        from workbench.language.grammar import DEFAULT_SENTENCES

        allowed, denied = DEFAULT_SENTENCES
        return (allowed, denied) if self._policy.terms().file.default_allow else (denied, allowed)

    def aloud(self) -> tuple[Said, ...]:
        """Every rule, clause, fact and list of the policy with its sentence."""
        language = self.language
        if self._aloud is None or self._aloud[0] is not language:
            self._aloud = language, tuple(language.aloud())
        return self._aloud[1]

    def words(self, terms: PolicyTerms) -> ArgumentWords:
        """The words of a policy for its arguments, as its sentences have them."""
        return words_of_arguments(terms.file, self._session.agent)

    def of_rules(self, source: str) -> Mapping[str, str]:
        """What each rule of a text of the policy says, by its name."""
        return rule_sentences(source, self._session.agent)

    def complete(self, text: str, reworded: str = "", language: Language | None = None) -> Completion:
        """What may come next after a text: first what the reworded sentence may mean, then what is used.

        ``language`` is that of the place where the text stands, if sentences before it name something.
        """
        from workbench.language.completion import Meant, completion

        meant = Meant(reworded, self._meant.get(reworded, ()))
        return completion((language or self.language).reader, text, self._uses(), meant)

    def after(self, text: str, language: Language | None = None) -> Language:
        """The language after a sentence: what it names can be spoken of by those that follow it."""
        from workbench.language.kept_sentence import MEANINGS, with_sentence

        before = language or self.language
        trees = before.read(text)
        if len(trees) != 1 or trees[0][1] not in MEANINGS:
            return before
        if self._named is None or self._named[0] is not before or self._named[1] != text:
            after = before
            with suppress(WorkbenchError):  # what the dialect refuses names nothing
                after = language_of(with_sentence(before, trees[0], text).policy, self._session.agent)
            self._named = before, text, after
        return self._named[2]

    def note_meant(self, foreign: str, sentences: Iterable[str]) -> None:
        """Note the sentences that a foreign one may mean, as they were found: completion follows them."""
        self._meant = {foreign: tuple(sentences)}

    def _uses(self) -> Uses:
        """The uses of the nouns by the policy and the logs, of which those in memory are not read again."""
        language = self.language
        if self._used is None or self._used[0] is not language:
            calls = chain.from_iterable(run.calls for run in self._runs.known.runs)
            self._used = language, noun_uses(language, calls)
        return self._used[1]

    def preview(self, text: str | Sequence[str], logs: Logs | None = None) -> SayPreview:
        """What a sentence says and what it changes, or several one after another; nothing is stored.

        A table whose header is the words of a sentence is a sentence for each row. Raises NotASentence for a
        text that is none of the language, and WorkbenchError for a rule that the dialect refuses, such as one
        about a value that may be missing.
        """
        from workbench.language.kept_sentence import MEANINGS, with_sentence
        from workbench.language.own_clauses import narrowed

        before, language = self._session.written, self.language
        parts: list[Kept] = []
        texts: list[str] = []
        unread: list[WorkbenchError] = []
        for one in each_sentence(text):
            try:
                tree = meaning_of(language, one)
            except WorkbenchError as error:
                unread.append(error)
                continue
            parts.append(with_sentence(language, tree, one, parts[-1].policy if parts else before))
            texts.append(language.write(tree) or one)
            if tree[1] in MEANINGS:  # what follows may speak of it
                language = language_of(parts[-1].policy, self._session.agent)
        after = narrowed(language, parts[-1].policy, self.language) if parts else before
        effect = (
            problems_of(self._policy, before, after)
            if unread
            else effect_of(self._policy, before, after, logs, len(parts))
        )
        if not isinstance(effect, Effect):
            from workbench.app.refused_sentence import refused

            said = {part.name: f"“{one_line(one)}”" for part, one in zip(parts, texts, strict=True)}
            whys = refused(effect, after, language, said if len(parts) + len(unread) > 1 else {})
            raise unread[0] if len(unread) == 1 and not whys else not_taken([*map(str, unread), *whys])
        return SayPreview(
            ", ".join(one.name for one in parts),
            "\n".join(texts),
            "\n\n".join(one.python for one in parts),
            after,
            effect.change,
            effect.contradictions,
        )

    def keep(
        self, text: str | Sequence[str], logs: Logs | None = None, *, anyway: bool = False
    ) -> SayPreview:
        """Store what a sentence says, or several, in the policy file; undo takes it back.

        Raises Contradicts, and stores nothing, if clauses of the contract would not hold then; with
        ``anyway`` it is stored all the same.
        """
        from workbench.app.contradictions import Contradicts

        sentence = self.preview(text, logs)
        if sentence.contradictions and not anyway:
            raise Contradicts(sentence.contradictions)
        self._policy.terms(sentence.policy)  # raises if the whole file is not in the dialect
        number = len(each_sentence(text))
        label = f"Say: {sentence.text}" if number == 1 else f"Say {number} sentences"
        self._session.set_policy(sentence.policy, label)
        return replace(sentence, stored=True)

    def tree(self, text: str) -> Tree:
        """The one meaning of a sentence; raises NotASentence, or WorkbenchError where it has several."""
        return meaning_of(self.language, text)


def not_taken(whys: Iterable[str]) -> WorkbenchError:
    """The error for all of several sentences, each reason once."""
    first, *others = dict.fromkeys(whys)
    if not others:
        return WorkbenchError(first)
    problems = tuple(map(Problem, (first, *others)))
    return WorkbenchError(
        f"{counted(len(problems), 'sentence')} cannot be taken, and nothing is stored:", problems=problems
    )


@alone
def meaning_of(language: Language, text: str) -> Tree:
    """The one meaning of a sentence; raises NotASentence, or WorkbenchError where it has several."""
    if (escape := _ESCAPE.search(text)) is not None:
        raise WorkbenchError(
            f"{escape[0]} is a backslash and a letter. Say “a line break” or “a tab”, without marks."
        )
    trees = language.read(text)
    if len(trees) > 1:
        meanings = " Or: ".join(language.write(tree) or "another reading" for tree in trees[:3])
        raise WorkbenchError(f"The sentence can be read in {len(trees)} ways. {meanings}")
    if not trees:
        from workbench.language.completion import A_TEXT, completion

        found = completion(language.reader, text)
        takes_text = A_TEXT in language.reader.continuations(language.reader.furthest)
        why = _why_it_ends(language) or _why_it_stops(found) or _why_no_fraction(language, text)
        why = why or (_in_marks(found) if takes_text else "") or _of_what(language, found)
        raise NotASentence(found, why)
    return trees[0]


def _why_it_ends(language: Language) -> str:
    """Why nothing may follow where the reader stopped, if a noun ends its line."""
    noun = language.reader.noun_at_end
    return noun and (
        f" After “{noun}” nothing more can stand on its line, since it has “and”, “or” or a comma in it: "
        "say it last, or each part as an item of a list (all of these hold: (a) …; (b) …)."
    )


def _why_it_stops(found: Completion) -> str:
    """Why no more is read, where people expect that it is."""
    last = next(reversed(found.beginning.split()), "")
    first = next(iter(found.rest.split()), "").strip(".,")
    if "the user has said" in found.beginning and first in ("the", "its"):
        return " Of a value of the call, say that it “was named by the user”."
    if last in ("is", "are") and first in ("missing", "given"):
        return f" What every call has is never {first} (of an empty text say “is “””)."
    if last == "inside" and first in ("the", "its", "a", "an"):
        return (
            " What lies inside a folder is said of a folder in quotation marks only (inside “/data”): "
            "a record may spell its folder in another way than the call, and would then not match."
        )
    if last in ("and", "or") and _QUANTIFIED.match(found.rest) and "for every" in found.beginning:
        return (
            " What stands behind “for every …,” is said of each of these alone. Say both in a list: "
            "“… all of these hold: (a) for every …; (b) for every …”."
        )
    if "either" in found.beginning.split()[-2:] and first != "or":
        return (
            " After “either” a condition that goes on to the end of its line (“there is …”, “for every …”)"
            " stands last; or say it as a list: at least one of these holds: (a) …; (b) …."
        )
    return ""


def _why_no_fraction(language: Language, text: str) -> str:
    """Why a sentence is not read that is one with a whole number in place of a fraction."""
    for one in _FRACTION.finditer(text):
        if language.read(f"{text[: one.start()]}{one.group('whole')}{text[one.end() :]}"):
            least = int(one.group("whole").replace(",", ""))
            return f" What is compared with {one.group()} has whole numbers: say {least} or {least + 1}."
    return ""


def _of_what(language: Language, found: Completion) -> str:
    """How the elements of the call are called, where one of some other call is spoken of."""
    from workbench.language.completion import elements_instead

    start, own = elements_instead(language.reader, found)
    noun = found.beginning[start:].strip()
    return f" “{noun}” is of other calls; an element of this one is called: {', '.join(own)}." if own else ""


def _in_marks(found: Completion) -> str:
    """How a value is written, where a text could stand and other words do."""
    value = _VALUE.match(found.rest)
    return f" A value is written in quotation marks: “{value[0].strip()}”." if value else ""


def each_sentence(text: str | Sequence[str]) -> Sequence[str]:
    """The sentences of what is said, each row of a table of sentences as one."""
    from workbench.language.tables import sentences_in

    said = [one for one in ((text,) if isinstance(text, str) else text) if one.strip()]
    if not said:
        raise WorkbenchError("There is no sentence to say.")
    return [each for one in said for each in sentences_in(one) or (one,)]


_MOST_VALUES = 8
_MOST_LETTERS = 40
_MOST_CALLS = 5_000
_IN_POLICY = 100
"""How many uses of the logs one in the policy counts for."""
_LONGEST_RESULT = 20_000
_DEEPEST = 6
_FRACTION = re.compile(r"(?<![\d.,])(?P<whole>\d[\d,]*)\.\d+(?!\.?\d)")
_QUANTIFIED = re.compile(r"(?:not )?for every\b|there (?:is|was)\b")
_ESCAPE = re.compile(r"[“\"]\\[ntr][”\"]")
"""What people type who want to say a character that cannot be seen."""


def noun_uses(language: Language, calls: Iterable[RecordedCall]) -> Uses:
    """The uses of the nouns of a policy's language, in the text of the policy and in recorded calls."""
    from workbench.language.completion import Uses

    lexicon = language.lexicon
    names: Counter[str] = Counter()
    tools: Counter[str] = Counter()
    values: dict[str, Counter[str]] = {}
    places: dict[str, None] = {}
    for name, value in _of_policy(language.source):
        names[name] += _IN_POLICY
        if value:
            values.setdefault(name, Counter())[value] += _IN_POLICY
    for number, call in enumerate(calls):
        if number == _MOST_CALLS:
            break
        tools[call.tool or ""] += 1
        result = _result(call)
        places.update(dict.fromkeys(() if result is None else _places(call.tool, call.result or "")))
        for name, value in (*_texts(dict(call.arguments or {})), *_texts(result)):
            names[name] += 1
            if value and len(value) <= _MOST_LETTERS:
                values.setdefault(name, Counter())[value] += 1
    origins = [language.origin(place) for place in places]
    return Uses(dict(_words(lexicon, names, tools)), dict(_seen(lexicon, values)), origins)


def _words(lexicon: Lexicon, names: Counter[str], tools: Counter[str]) -> Iterator[tuple[str, int]]:
    for call in lexicon.types.calls.values():
        used = tools[call.tool] + names[call.name]
        yield lexicon.tool_words(call).casefold(), used
    for fields in lexicon.fields.values():
        yield from ((one.words.casefold(), names[one.name]) for one in fields if names[one.name])
    for record in lexicon.types.records.values():
        yield lexicon.words_of_record(record).casefold(), names[record.name]
    for fact in lexicon.facts.values():
        yield lexicon.words_of_fact(fact).casefold(), names[fact.name]


def _seen(lexicon: Lexicon, values: dict[str, Counter[str]]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The values of fields by their words, the most frequent first."""
    for fields in lexicon.fields.values():
        for one in fields:
            if (found := values.get(one.name)) is not None and one.words:
                yield one.words.casefold(), tuple(value for value, _ in found.most_common(_MOST_VALUES))


def _of_policy(source: str) -> Iterator[tuple[str, str]]:
    """The names that a policy reads, with the texts that it compares them to."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name):
                yield name, ""
            case ast.Compare(left=ast.Attribute(attr=name), comparators=others):
                for inner in (each for other in others for each in ast.walk(other)):
                    if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                        yield name, inner.value
            case _:
                continue


def _result(call: RecordedCall) -> Json:
    if not call.result or len(call.result) > _LONGEST_RESULT or call.result.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(call.result)  # type: ignore[no-any-return] # JSON is any value
    except (ValueError, RecursionError):
        return None


def _places(tool: str | None, result: str) -> Iterator[str]:
    """The fields of a result, as a source names them."""
    from workbench.runs.world.earlier_places import leaves_of

    for place in leaves_of(result):
        if tool and place.startswith(".") and not place.endswith(AS_KEY):
            yield f"{tool}{place}"


def _texts(value: Json, depth: int = 0) -> Iterator[tuple[str, str]]:
    """The keys of a JSON value with their texts; of a key without a text, nothing."""
    if isinstance(value, dict) and depth < _DEEPEST:
        for key, inner in value.items():
            texts = inner if isinstance(inner, list) else [inner]
            yield from ((key, one if isinstance(one, str) else "") for one in texts)
            yield from _texts(inner, depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST:
        for one in value:
            yield from _texts(one, depth + 1)
