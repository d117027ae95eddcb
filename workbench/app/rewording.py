"""A person's way through a request: what each sentence is read as, and the sentences that reword it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.app.effect import Effect, effect_of, problems_of
from workbench.app.requested_sentence import RequestedSentence, SentenceState
from workbench.app.results import told
from workbench.app.sentences import NotASentence, each_sentence, meaning_of, not_taken
from workbench.app.session_language import language_of
from workbench.clean_text import one_line
from workbench.language.alone import ALONE
from workbench.model import AgentSpec, Assumption, Problem, Requirement, WorkbenchError
from workbench.policy.checker.syntax_tree import statements, text_of
from workbench.policy.problems import PolicyError
from workbench.serialization.json_form import JsonForm, Nested, fields, json_form
from workbench.timestamps import timestamp

if TYPE_CHECKING:
    from workbench.app.contradictions import Contradiction
    from workbench.app.policy import Policy
    from workbench.app.request import Request
    from workbench.app.results import Logs, PolicyChange
    from workbench.app.sentences import Sentences
    from workbench.language.kept_sentence import Kept
    from workbench.language.language import Language, Said
    from workbench.session import Session

_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class Reworded:
    """A sentence of the request with the sentences of the language that it means, or why it is context.

    With ``whole`` they are all that it means: a rule in Python goes whose words are none of them.
    """

    words: str
    texts: tuple[str, ...] = ()
    context: str = ""
    whole: bool = False


@dataclass(frozen=True, slots=True)
class RewordingPreview:
    """Rewordings and what they change: the policy with them, and what it decides otherwise.

    ``taken`` has each sentence of the request with the sentences of the language as the workbench writes
    them, and ``python`` the functions that they are. ``context`` are those that state no rule, with reasons.
    ``replaced`` are the sentences that were said for them before, and whose place they take; ``renewed`` are
    the rules of both. ``dropped`` are answers that were about nothing else, and that went when it was stored.
    """

    taken: tuple[tuple[Requirement, tuple[str, ...]], ...]
    context: tuple[tuple[Requirement, str], ...]
    python: tuple[str, ...]
    policy: str
    change: PolicyChange
    contradictions: tuple[Contradiction, ...] = ()
    replaced: tuple[str, ...] = ()
    renewed: frozenset[str] = frozenset()
    dropped: tuple[Assumption, ...] = ()
    stored: bool = False


_TAKEN = JsonForm[tuple[Requirement, tuple[str, ...]]](
    tuple[Requirement, tuple[str, ...]], fields(("sentence", "0.text"), ("reworded", "1"))
)
_CONTEXT = JsonForm[tuple[Requirement, str]](
    tuple[Requirement, str], fields(("sentence", "0.text"), ("reason", "1"))
)
json_form(
    RewordingPreview,
    *(("taken", Nested(_TAKEN, "taken", many=True)), ("context", Nested(_CONTEXT, "context", many=True))),
    *(("rules", "python"), "replaced", "stored", ("contradictions", told), "dropped"),
    Nested(None, "change"),
)


class Rewordings:
    """The sentences of a session's request, and the sentences of the language that reword them."""

    def __init__(self, session: Session, request: Request, policy: Policy, sentences: Sentences) -> None:
        self._session = session
        self._request = request
        self._policy = policy
        self._sentences = sentences
        self._shown: tuple[object, Logs | None, RewordingPreview] | None = None
        """The last preview: what is shown before it is kept is not found out again."""

    # --- what each sentence is

    def all(self) -> tuple[RequestedSentence, ...]:
        """Every sentence of the request, in its order; equal ones once, and none that only heads others.

        Raises WorkbenchError if the policy is none of calls, or not in the dialect.
        """
        with ALONE:
            return self._all()

    def as_they_stand(self) -> tuple[RequestedSentence, ...]:
        """The open sentences of the request that are of the language; what rules cite is not read aloud."""
        with ALONE:
            cited = {name for rule in self._sentences.language.policy.rules for name in rule.requirements}
            found = self._all(lambda every: [one for one in every if one.requirement.id not in cited])
        return tuple(one for one in found if one.exact)

    def _all(
        self, wanted: Callable[[Sequence[RequestedSentence]], Sequence[RequestedSentence]] | None = None
    ) -> tuple[RequestedSentence, ...]:
        """Every sentence of the request; of those that are wanted alone the rules are read aloud."""
        from workbench.language.kept_sentence import said_in

        language, written = self._sentences.language, self._session.written
        every = self.unread()
        found = every if wanted is None else wanted(every)
        readings = self._readings(None if wanted is None else {one.requirement.id for one in found})
        names = None if wanted is None else {one.name for said in readings.values() for one in said}
        reasons, said = self._reasons(), said_in(language, written, names)
        return tuple(
            replace(
                _state(one.requirement, readings.get(one.requirement.id, ()), said, reasons, language),
                under=one.under,
            )
            for one in found
        )

    def unread(self) -> tuple[RequestedSentence, ...]:
        """Every sentence of the request by itself; what is said for it is not read."""
        from workbench.author.citations import folded
        from workbench.author.request_outline import outline
        from workbench.policy.checker.syntax_tree import split_requirements

        draft, cited = self._request.draft(), self._cited()
        under = {
            folded(split_requirements(one.words)[1]): one.under for one in outline(self._session.request)
        }
        said = {name for names in cited.values() for name in names}
        return tuple(
            RequestedSentence(one, SentenceState.OPEN, under=under.get(folded(one.text), ()))
            for one in draft.requirements
            if one.quote and not (one.id in draft.implied and one.id not in said)
        )

    def _cited(self) -> Mapping[tuple[str, int], tuple[str, ...]]:
        """The requirements that each rule cites, and each line of a contract; a rule has the line 0."""
        policy = self._sentences.language.policy
        cited = {(rule.name, 0): rule.requirements for rule in policy.rules}
        for clause in policy.clauses:
            for line in range(clause.line, clause.end_line + 1):
                cited[clause.function, line] = clause.requirements
        return cited

    def _readings(self, wanted: Collection[str] | None = None) -> Mapping[str, tuple[Said, ...]]:
        """The rules and clauses that cite each requirement that is wanted, or any, as sentences."""
        cited = self._cited()
        functions = None
        if wanted is not None:
            functions = {name for (name, _), ids in cited.items() if not set(wanted).isdisjoint(ids)}
        found: dict[str, list[Said]] = {}
        with ALONE:
            for one in self._sentences.language.aloud(functions):
                for name in cited.get((one.name, 0), cited.get((one.name, one.line), ())):
                    found.setdefault(name, []).append(one)
        return {name: tuple(said) for name, said in found.items()}

    def _reasons(self) -> Mapping[str, str]:
        """Why sentences need no clause, by the id of the question that asks for one."""
        return {
            one.question: one.why or "it needs no rule and no clause" for one in self._session.assumptions
        }

    def named(self, words: str) -> Sequence[RequestedSentence]:
        """The sentence with these words or this beginning, or those below a heading with these words.

        Raises WorkbenchError if there is none, or several begin so.
        """
        with ALONE:
            return self._all(lambda every: _named(words, every))

    # --- rewordings

    def preview(self, items: Sequence[Reworded], logs: Logs | None = None) -> RewordingPreview:
        """What rewordings say and change; nothing is stored.

        The sentences replace what their sentence of the request was reworded to. Raises NotASentence for a
        text that is none of the language, and WorkbenchError for a rule that the dialect refuses.
        """
        session = self._session
        key = session.written, session.request, session.agent, session.assumptions, tuple(items)
        shown = self._shown  # another thread may look at other sentences meanwhile
        if shown is None or shown[0] != key or shown[1] is not logs:
            shown = self._shown = key, logs, self._effect(items, logs)
        return shown[2]

    def _effect(self, items: Sequence[Reworded], logs: Logs | None) -> RewordingPreview:
        before = self._session.written
        with ALONE:
            plan = self._planned(items)
            changed = plan.finished()
        effect = (
            problems_of(self._policy, before, changed)
            if plan.unread
            else effect_of(self._policy, before, changed, logs, len(plan.taken))
        )
        if not isinstance(effect, Effect):
            raise plan.refused(effect, changed)
        return RewordingPreview(
            tuple(plan.taken),
            tuple(plan.context),
            tuple(plan.python),
            changed,
            effect.change,
            effect.contradictions,
            tuple(plan.replaced),
            frozenset(plan.renewed),
        )

    def _planned(self, items: Sequence[Reworded]) -> _Plan:
        """The policy while what is said is put into it."""
        before, language = self._session.written, self._sentences.language
        plan = _Plan(self._session.agent, language, before, self._request.draft().requirements)
        every = self.unread()
        named = _each_named([item.words for item in items], every)
        wanted = [one for found in named.values() for one in found]
        read = {one.requirement: one for one in self._all(lambda _: wanted)}
        for item in items:
            found = [read[one.requirement] for one in named[item.words]]
            if item.context:
                plan.context += [(one.requirement, item.context) for one in _remarks(item.words, found)]
                continue
            sentence, *others = found
            if others:
                raise WorkbenchError(
                    f"“{item.words}” heads {len(found)} sentences; name the one that is meant by its words."
                )
            texts = item.texts or ((sentence.requirement.text,) if sentence.exact else ())
            if not texts:
                raise WorkbenchError(
                    f"“{one_line(sentence.requirement.text)}” is no sentence of the language; say it in one."
                )
            plan.reword(self._as_it_was(sentence), each_sentence(texts), whole=item.whole)
        return plan

    def _as_it_was(self, sentence: RequestedSentence) -> RequestedSentence:
        """An open sentence with the rules that cite it as it was before an edit of the request."""
        from workbench.author.citations import nearest

        if sentence.readings:
            return sentence
        gone = {one.text: one for one in self._request.draft().requirements if not one.quote}
        before = gone.get(nearest(sentence.requirement.text, gone))
        if before is None:
            return sentence
        requirement = replace(sentence.requirement, id=before.id)
        return replace(
            sentence, requirement=requirement, readings=self._readings({before.id}).get(before.id, ())
        )

    def keep(
        self, items: Sequence[Reworded], logs: Logs | None = None, *, anyway: bool = False
    ) -> RewordingPreview:
        """Store rewordings as rules and clauses that cite their sentences, with their cases.

        One change, which undo takes back. Raises Contradicts, and stores nothing, if clauses of the contract
        would not hold then; with ``anyway`` it is stored all the same.
        """
        from workbench.app.answered_rules import TermAnswers
        from workbench.app.contradictions import Contradicts
        from workbench.app.said_cases import set_cases_of

        found = self.preview(items, logs)
        if found.contradictions and not (anyway or self._request.is_anyway):
            raise Contradicts(found.contradictions)
        answers, dropped = TermAnswers(self._session, self._request, self._policy), tuple[Assumption, ...]()
        lost = answers.lost(())
        named = [requirement.text for requirement, _ in (*found.taken, *found.context)]
        label = f"Say: {one_line(named[0])}" if len(named) == 1 else f"Say {len(named)} sentences"
        with self._session.transaction(label):
            if found.context:
                self._keep_context(found.context)
            if found.policy != self._session.written:
                self._policy.terms(found.policy)  # raises if the whole file is not in the dialect
                self._session.set_policy(found.policy)
                texts = {requirement.text for requirement, _ in found.taken}
                requirements = self._request.draft().requirements
                changed = {one.id for one in requirements if one.text in texts}
                set_cases_of(self._session, self._policy, requirements, changed)
                dropped = answers.follow(found.renewed, lost)
        return replace(found, stored=True, dropped=dropped)

    def add(self, text: str, logs: Logs | None = None, *, anyway: bool = False) -> RewordingPreview:
        """Write sentences of the language at the end of the request, and store what they say.

        A text such as “context: a remark” is written as a remark, which states no rule. Raises as ``keep``
        does; then nothing is stored.
        """
        remark = context_of(text)
        texts = (remark,) if remark else sentences_of(text)
        if not texts:
            raise WorkbenchError("There is no sentence to say.")
        request = self._session.request.rstrip()
        last = request.rpartition("\n")[2]
        bullet = next((sign for sign in ("- ", "* ") if last.startswith(sign)), "")
        lines = "\n".join(f"{bullet}{one_line(one)}" for one in texts)
        gap = "\n" if bullet else "\n\n"
        with self._session.transaction(f"Say: {one_line(text)}"):
            self._request.set(f"{request}{gap if request else ''}{lines}\n")
            said = [Reworded(one, context=one) if remark else Reworded(one, (one,)) for one in texts]
            return self.keep(said, logs, anyway=anyway)

    def with_skeleton(self, words: str, tool: str = "") -> tuple[str, int]:
        """The policy with a rule for a sentence that never holds, to be written in Python, and its line."""
        from workbench.language.kept_sentence import with_sentence
        from workbench.language.trees import FALSE

        with ALONE:
            sentence = self.named(words)[0].requirement
            language = self._sentences.language
            plan = _Plan(
                self._session.agent, language, self._session.written, self._request.draft().requirements
            )
            name = tool or next(iter(language.types.calls))
            cited = f"{plan.label(sentence)}: {sentence.text}"
            kept = with_sentence(language, ("call", "forbid", FALSE, ("name", name)), cited)
        before = kept.policy[: kept.policy.index(kept.python.rstrip())]
        return kept.policy, before.count("\n") + kept.python.rstrip().count("\n") + 1

    def _keep_context(self, context: Iterable[tuple[Requirement, str]]) -> None:
        from workbench.check.undemanded import clause_question

        new = [
            replace(
                Assumption.by_person(
                    clause_question(requirement, ()),
                    "meant",
                    f"“{one_line(requirement.text)}” states no rule.",
                    timestamp(),
                ),
                why=reason,
            )
            for requirement, reason in context
        ]
        replaced = {one.question for one in new}
        kept = [one for one in self._session.assumptions if one.question not in replaced]
        self._session.set_assumptions((*kept, *new))


class _Plan:
    """A policy while sentences are put into it."""

    def __init__(
        self, agent: AgentSpec, language: Language, source: str, requirements: Sequence[Requirement]
    ) -> None:
        self.language = language
        self._agent = agent
        self.source = source
        self.taken: list[tuple[Requirement, tuple[str, ...]]] = []
        self.context: list[tuple[Requirement, str]] = []
        self.python: list[str] = []
        self.replaced: list[str] = []
        self.renewed: set[str] = set()
        self.unread: list[tuple[Requirement, WorkbenchError]] = []
        self._labels = {one.id for one in requirements}
        self._new: list[str] = []
        self._before = source
        self._meanings = source
        self._said: dict[str, tuple[Requirement, str]] = {}

    def reword(self, sentence: RequestedSentence, texts: Sequence[str], *, whole: bool) -> None:
        """Put what a sentence means in the place of what it was reworded to.

        A rule in Python that says one of the texts stays; others go if that is the ``whole``.
        A text that is none of the language, or read in several ways, is kept in ``unread`` with the error.
        """
        from workbench.language.kept_sentence import MEANINGS, cited_text, with_sentence
        from workbench.policy.rule_names import RULES

        requirement = sentence.requirement
        if sentence.readings and tuple(texts) == tuple(each_sentence(sentence.texts)):
            self._follow({one.name for one in sentence.readings})
            self.taken.append((requirement, tuple(texts)))
            return
        label = requirement.id if sentence.readings else self.label(requirement)
        cited = cited_text(f"{label}: {requirement.text}")
        by_hand = {one.name: one_line(one.text) for one in sentence.readings if one.name in sentence.by_hand}
        stay = {text for text in by_hand.values() if text in map(one_line, texts)}
        over = {name for name, text in by_hand.items() if whole and text and text not in stay}
        own = _own(self.source, sentence.readings, requirement.id, self.language, over)
        self.source = _without(self.source, own)
        self._meanings = _without(self._meanings, own)
        self.renewed |= own
        written: list[str] = []
        meanings: list[str] = []
        for text in texts:
            if one_line(text) in stay:
                written.append(text)
                continue
            try:
                tree = meaning_of(self.language, text)
            except WorkbenchError as error:
                self.unread.append((requirement, error))
                continue
            kept = with_sentence(self.language, tree, cited, self.source)
            if tree[1] == "naming" and kept.name in self._new and kept.policy != self.source:
                raise WorkbenchError(
                    f"“{_words_of(kept.name, self.language)}” is given two meanings at once."
                )
            if tree[1] in MEANINGS:  # what follows may speak of it
                try:
                    self._mean(with_sentence(self.language, tree, cited, self._meanings))
                except WorkbenchError as error:
                    self.unread.append((requirement, error))
                    continue
                meanings.append(kept.name)
            self.source = kept.policy
            self.python.append(kept.python)
            written.append(self.language.write(tree) or text)
            self._new.append(kept.name)
            self._said[kept.name] = requirement, text
            self.renewed.add(kept.name)
        if len(meanings) == len(texts) and not own:
            self.context.append((requirement, _why_no_rule(meanings, self.language)))
        self.taken.append((requirement, tuple(written)))
        rules = [one for one in sentence.readings if one.name in own and one.name.startswith(RULES)]
        self.replaced += dict.fromkeys(one.text for one in rules if one.text not in written)

    def _follow(self, rules: Collection[str]) -> None:
        """Let the clauses that the workbench wrote follow rules that stay as they are written."""
        from workbench.language.own_clauses import behind, following

        followed = {now.name: now for now, _ in behind(self.language, self.source) if now.about in rules}
        self.source = following(self.source, followed)
        self.renewed |= followed.keys()

    def _mean(self, kept: Kept) -> None:
        """Let what follows speak of a meaning; raises WorkbenchError if the dialect refuses it.

        Rules that are put beside it are not looked at: a problem of one would hide all that follows.
        """
        from workbench.app.refused_sentence import refusal

        try:
            self.language = language_of(kept.policy, self._agent)
        except PolicyError as error:
            raise WorkbenchError(refusal(error.problems[0], kept.policy, self.language)) from error
        self._meanings = kept.policy

    def refused(self, problems: Iterable[Problem], source: str) -> WorkbenchError:
        """The error for what is not read, and for what the dialect refuses of the policy with the rest."""
        from workbench.app.refused_sentence import refused

        said = {
            name: f"For “{one_line(requirement.text)}”: “{one_line(text)}”"
            for name, (requirement, text) in self._said.items()
        }
        whys = refused(problems, source, self.language, said)
        (requirement, error), *others = self.unread or [(None, None)]
        if isinstance(error, NotASentence) and requirement is not None and not (others or whys):
            return NotASentence(error.found, error.why, f"For “{one_line(requirement.text)}”:")
        unread = [f"For “{one_line(one.text)}”: {why}" for one, why in self.unread]
        return not_taken([*unread, *whys])

    def finished(self) -> str:
        """The policy with the clauses that follow from its rules."""
        from workbench.dialect.file_imports import with_imports
        from workbench.language.own_clauses import in_step

        source = in_step(self.language, self.source, self._before, self._new)
        known = set(map(text_of, statements(self._before)))
        new = "\n".join(text for text in map(text_of, statements(source)) if text not in known)
        source = with_imports(source, self.language.types, new)
        return source if source.rstrip() != self._before.rstrip() else self._before

    def label(self, requirement: Requirement) -> str:
        """The label of the request for a sentence, else the next free one."""
        from workbench.author.citations import is_made_up

        if not is_made_up(requirement.id):
            return requirement.id
        number = 1
        while f"R{number}" in self._labels:
            number += 1
        self._labels.add(f"R{number}")
        return f"R{number}"


def _why_no_rule(meanings: Sequence[str], language: Language) -> str:
    """Why sentences that set the default or name what others use state no rule of their own."""
    from workbench.policy.rule_names import DEFAULT

    said = " and ".join(f"“{_words_of(name, language)}”" for name in meanings if name != DEFAULT)
    parts = [
        *(["what holds of the calls that no sentence speaks of"] if DEFAULT in meanings else []),
        *([f"what {said} means, which other sentences use"] if said else []),
    ]
    return f"It says {' and '.join(parts)}."


def _words_of(name: str, language: Language) -> str:
    """What sentences call a function, list or table."""
    from workbench.language.words import words_of_name

    fact = language.policy.facts.get(name)
    if fact is None:
        return words_of_name(name.lower())
    return language.lexicon.words_of_fact(fact).removeprefix("whether ")


def _is_said(language: Language, text: str) -> bool:
    """Whether a text is one sentence of the language; what is too long to be read is none."""
    from workbench.language.reading import TooLong

    try:
        return len(language.read(text)) == 1
    except TooLong:
        return False


def _state(
    requirement: Requirement,
    readings: tuple[Said, ...],
    said: frozenset[str],
    reasons: Mapping[str, str],
    language: Language,
) -> RequestedSentence:
    from workbench.author.citations import folded
    from workbench.check.undemanded import clause_question
    from workbench.policy.rule_names import RULES

    if not readings:
        asked = clause_question(requirement, ())
        if asked in reasons:
            return RequestedSentence(requirement, SentenceState.CONTEXT, reason=reasons[asked])
        return RequestedSentence(requirement, SentenceState.OPEN, exact=_is_said(language, requirement.text))
    rules = [one.name for one in readings if one.name.startswith(RULES)]
    by_hand = tuple(
        dict.fromkeys(name for name in rules or [one.name for one in readings] if name not in said)
    )
    state = SentenceState.PYTHON if by_hand else SentenceState.REWORDED
    if not by_hand and any(folded(one.text) == folded(requirement.text) for one in readings):
        state = SentenceState.LANGUAGE
    return RequestedSentence(requirement, state, readings=readings, by_hand=by_hand)


def _remarks(words: str, sentences: Sequence[RequestedSentence]) -> Sequence[RequestedSentence]:
    """The sentences that become context; raises WorkbenchError if rules stand for all that are named."""
    without_rule = [one for one in sentences if not one.readings]
    if not without_rule:
        names = ", ".join(sorted({reading.name for one in sentences for reading in one.readings}))
        raise WorkbenchError(f"“{one_line(words)}” is no context while this stands for it: {names}.")
    return [one for one in without_rule if one.state is not SentenceState.CONTEXT]


def _own(
    source: str, readings: Sequence[Said], requirement: str, language: Language, over: Collection[str]
) -> frozenset[str]:
    """The functions of rules and clauses that were said for one requirement, or that are said ``over``."""
    from workbench.language.kept_sentence import said_in

    names = said_in(language, source, {one.name for one in readings}).union(over)
    rules = {rule.name: rule.requirements for rule in language.policy.rules}
    clauses: dict[str, set[tuple[str, ...]]] = {}
    for clause in language.policy.clauses:
        clauses.setdefault(clause.function, set()).add(clause.requirements)
    return frozenset(
        name for name in names if rules.get(name) == (requirement,) or clauses.get(name) == {(requirement,)}
    )


def _without(source: str, own: Collection[str]) -> str:
    """A policy without some of its functions."""
    lines = source.split("\n")
    for node in reversed(statements(source)):
        if isinstance(node, ast.FunctionDef) and node.name in own:
            lines[node.lineno - 1 : node.end_lineno] = []
    return "\n".join(lines).rstrip() + "\n"


def _each_named(
    words: Sequence[str], sentences: Sequence[RequestedSentence]
) -> Mapping[str, Sequence[RequestedSentence]]:
    """What each of some words names; raises WorkbenchError with all that name nothing, or several."""
    found: dict[str, Sequence[RequestedSentence]] = {}
    errors: list[WorkbenchError] = []
    for one in words:
        try:
            found[one] = _named(one, sentences)
        except WorkbenchError as error:
            errors.append(error)
    if len(errors) > 1:
        lead = f"{len(errors)} of the sentences of the request that are named are not found:"
        raise WorkbenchError(lead, problems=tuple(Problem(str(error)) for error in errors))
    if errors:
        raise errors[0]
    return found


def _named(words: str, sentences: Sequence[RequestedSentence]) -> Sequence[RequestedSentence]:
    from workbench.author.citations import folded, nearest

    wanted = folded(words)
    texts = [(folded(one.requirement.text), one) for one in sentences]
    exact = [one for text, one in texts if text == wanted]
    begun = exact or [one for text, one in texts if wanted and text.startswith(wanted)]
    if len(begun) == 1:
        return (begun[0],)
    below = tuple(one for one in sentences if any(folded(heading) == wanted for heading in one.under))
    if wanted and below and not exact:
        return below
    if begun:
        shown = "; ".join(f"“{one_line(one.requirement.text)}”" for one in begun[:_MOST_NAMED])
        raise WorkbenchError(
            f"Several sentences of the request begin with “{words}”: {shown}. Say more words."
        )
    near = nearest(words, [one.requirement.text for one in sentences])
    hint = f" “{one_line(near)}” is near." if near else " 'workbench ask' lists those that are open."
    raise WorkbenchError(f"No sentence of the request begins with “{one_line(words)}”.{hint}")


_NEXT_SENTENCE = re.compile(r"(?<=[.])\s+(?=[A-Z“])")


def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences that are typed one after another."""
    return tuple(text[start:end] for start, end in sentence_places(text))


def sentence_places(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each of the sentences begins and ends that are typed one after another."""
    gaps = [(found.start(), found.end()) for found in _NEXT_SENTENCE.finditer(text)]
    starts, ends = [0, *(end for _, end in gaps)], [*(start for start, _ in gaps), len(text)]
    for start, end in zip(starts, ends, strict=True):
        if part := text[start:end].strip():
            begin = text.index(part, start)
            yield begin, begin + len(part)


def context_of(text: str) -> str:
    """The reason of a text such as “context: a remark”; empty for any other."""
    key, colon, reason = text.partition(":")
    return reason.strip() if colon and key.strip().casefold() == "context" else ""


def read_form(text: str) -> tuple[Reworded, ...]:
    """The rewordings of a file: each sentence of the request after ``>``, then what it means.

    Below it stand sentences of the language, each on a line of its own with its lists and rows on further
    ones, or ``context: REASON``. A sentence with nothing below it is left as it is; ``#`` begins a comment.
    """
    return tuple(_read_form(text))


def _read_form(text: str) -> Iterator[Reworded]:
    quoted: list[str] = []
    texts: list[str] = []
    place = 0
    for number, line in enumerate((*text.splitlines(), "> "), start=1):
        stripped = line.strip()
        if stripped.startswith(">"):
            if texts or number > len(text.splitlines()):
                yield from _item(quoted, texts, place)
                quoted, texts = [], []
            elif place and number > place + 1:
                quoted = []
            quoted.append(stripped.removeprefix(">").strip())
            place = number
        elif not stripped or stripped.startswith("#"):
            continue
        elif not quoted:
            raise WorkbenchError(f"Line {number}: nothing says which sentence of the request this is for.")
        elif texts and stripped.startswith("|"):
            texts[-1] += f"\n{stripped}"
        elif texts and (line[0].isspace() or stripped.startswith(("(", "—"))):
            texts[-1] += f" {stripped}"
        else:
            texts.append(stripped)


def _item(quoted: Sequence[str], texts: Sequence[str], line: int) -> Iterator[Reworded]:
    words = " ".join(quoted).strip()
    if not texts or not words:
        return
    if texts[0].partition(":")[0].strip().casefold() == "context":
        reason = context_of(texts[0])
        if len(texts) > 1 or not reason:
            raise WorkbenchError(f"Line {line}: context has a reason and no further sentence.")
        yield Reworded(words, context=reason)
    else:
        yield Reworded(words, tuple(texts))
