"""A statement as norms: its skeleton from the grammar, its phrases from the lexicon."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from workbench.author.argument_terms import (
    all_of,
    any_of,
    has_no_value,
    is_presence,
    map_atoms,
    names,
    opposite,
)
from workbench.author.rules.argument_binding import UnreadableError
from workbench.author.rules.coordination import is_filler
from workbench.author.rules.counting_arguments import CountingArguments
from workbench.author.rules.fact_arguments import expanded
from workbench.author.rules.fact_conditions import NoConditionError, PhraseConditions
from workbench.author.rules.lexicon import Lexicon, Reference, key
from workbench.author.rules.norm_builder import NO_FORM, Default, NormBuilder, StatementNorms, is_passive
from workbench.author.rules.norm_forms import norms_of
from workbench.author.rules.normal_spelling import normalised
from workbench.author.rules.norms import Effect, Norm
from workbench.author.rules.phrase_conditions import Phrases, Position
from workbench.author.rules.phrase_units import UNKNOWN
from workbench.author.rules.sentence_doubts import SentenceDoubts
from workbench.author.rules.sentences import Chunk, SentenceWord, Skeleton, parse_habit
from workbench.author.rules.stated_limits import StatedLimit, limited
from workbench.author.rules.word_order import statement_forms
from workbench.policy.check import is_of_dialect
from workbench.policy.connectives import TRUE, is_true
from workbench.policy.terms import Parameter, Term


def _leading_verbs(action: Chunk, lexicon: Lexicon) -> Chunk:
    """The verbs at the beginning of a passive: “cancelled, changed or returned by post”."""
    end = 1
    while end + 1 < len(action) and action[end].kind in ("AND", "OR", "COMMA"):
        following = end + 1 + (action[end + 1].kind in ("AND", "OR"))
        if following >= len(action) or not _is_participle(action[following], lexicon):
            raise UnreadableError("it is open which action is done to what")
        end = following + 1
    return action[:end]


def _is_participle(word: SentenceWord, lexicon: Lexicon) -> bool:
    """Whether a word may continue a list of verbs in the passive."""
    action = lexicon.action()
    known_meanings = [
        meaning for meaning in lexicon.meanings(key(word.text)) if not isinstance(meaning, Reference)
    ]
    return word.text.lower().endswith(("ed", "en", "nt", "ne")) or (
        action is not None and any(action.name in names(meaning) for meaning in known_meanings)
    )


@dataclass(slots=True)
class StatementReader:
    """Reads one statement of a sentence; ``doubts`` decide between the readings of an ambiguous one."""

    lexicon: Lexicon
    phrases: Phrases
    counting: CountingArguments
    doubts: SentenceDoubts

    def read(self, text: str, plain: str, requirement: str) -> StatementNorms:
        """Read the statement unchanged, else its ``plain`` words, in the first form that can be read."""
        first: UnreadableError | None = None
        for skeletons in statement_forms(text, plain):
            try:
                return self._form(skeletons, requirement, text)
            except UnreadableError as error:
                first = error if first is None or first.kind != "stateful" else first
        before = parse_habit(normalised(text))
        if first is not None and (before is None or before.form != "before_must"):
            raise first
        return self._habit(text, requirement, first or UnreadableError(NO_FORM))

    def _habit(self, text: str, requirement: str, first: UnreadableError) -> StatementNorms:
        """Read a statement about what is not done, or about a duty, if it has no other form."""
        habit = parse_habit(normalised(text))
        if habit is None:
            raise first
        if habit.form == "duty":
            duty = " ".join(word.text for word in habit.chunks[1])
            why = f"it demands “{duty}”, and a guard can only forbid: say before what that has to be"
            raise UnreadableError(why, duty)
        return self._skeleton(habit, requirement, text)

    def _stated(self, skeleton: Skeleton, requirement: str, message: str) -> StatementNorms:
        """The reading of a skeleton, with its limit over several actions."""
        skeleton, limit = limited(skeleton)
        reading = self._skeleton(skeleton, requirement, message)
        if limit is None:
            return reading
        if isinstance(reading, Default) or len(reading) != 1:
            raise UnreadableError("it limits several actions in more than one way", kind="stateful")
        return (self._limited(reading[0], limit),)

    def _limited(self, norm: Norm, limit: StatedLimit) -> Norm:
        whole = all_of(norm.scope, norm.condition)
        if limit.kind == "total":
            return replace(norm, condition=self.counting.in_total(norm.condition, limit.window, whole))
        if norm.effect is Effect.REQUIRE or (norm.effect is Effect.FORBID) != (limit.bound == "more than"):
            raise UnreadableError("it is open what the number of times limits", kind="stateful")
        beyond = self.counting.more_than(whole, limit.count, limit.window)
        if norm.effect is Effect.PERMIT:  # “may, at most 3 times”: permitted up to the limit, denied beyond
            return replace(norm, effect=Effect.REQUIRE, scope=whole, condition=opposite(beyond))
        return replace(norm, condition=all_of(norm.condition, beyond))

    def _form(self, skeletons: tuple[Skeleton, ...], requirement: str, message: str) -> StatementNorms:
        first: UnreadableError | None = None
        readings: list[StatementNorms] = []
        for skeleton in skeletons:
            try:
                reading = self._stated(skeleton, requirement, message)
            except UnreadableError as error:
                first = first or error
                continue
            if reading not in readings:
                readings.append(reading)
        if len(readings) > 1:
            raise UnreadableError("it can be taken apart in more than one way")
        if not readings:
            raise first or UnreadableError(NO_FORM)
        return readings[0]

    def _skeleton(self, skeleton: Skeleton, requirement: str, text: str) -> StatementNorms:
        form = skeleton.form
        if form in ("default_allow", "default_deny"):
            return Default(form == "default_allow")
        denying = form.startswith("forbid")
        if any(
            sentence_word.kind == "AND" and two.kind == "NOT"
            for sentence_word, two in pairwise(skeleton.exception)
        ):
            raise UnreadableError("it is open whether “not” goes on with its exception")
        when = self.condition(skeleton.condition, denying=denying)
        unless = self.condition(skeleton.exception, denying=not denying)
        build = NormBuilder(self, requirement, text.strip(), when, unless if skeleton.exception else None)
        return build.complete(norms_of(build, form, skeleton.chunks))

    def condition(self, chunk: Chunk, *, denying: bool) -> Term:
        """The condition in a part after “if” or a similar word; TRUE without such a part."""
        if not chunk:
            return TRUE
        if (
            self.lexicon.records_and_lists
            and (fact_condition := self._of_facts(chunk, denying=denying)) is not None
        ):
            return fact_condition
        mark = self.doubts.answers.mark()
        try:
            condition = self.phrases.read(chunk, Position.CONDITION, denying=denying)
        except UnreadableError:
            if (fact_condition := self._of_facts(chunk, denying=denying)) is None:
                raise
            self.doubts.answers.forget(mark)
            return fact_condition
        if is_true(condition):
            raise UnreadableError("its condition names nothing that the agent spec knows")
        return condition

    def _of_facts(self, chunk: Chunk, *, denying: bool) -> Term | None:
        """The condition over facts that a chunk states; None if a part of it is none."""
        try:
            fact_condition = PhraseConditions(self.lexicon, denying).read(chunk)
        except NoConditionError:
            return None
        return fact_condition if self._is_of_dialect(fact_condition) else None

    def _is_of_dialect(self, condition: Term) -> bool:
        """Whether a policy can contain a condition: the checker tests types that the grammar does not."""
        arguments = (*self.lexicon.arguments, *self.lexicon.records_and_lists)
        optional = {argument.name: argument for argument in arguments if argument.type.optional}

        def guarded(atom: Term) -> Term:
            lacking = (has_no_value(optional[name]) for name in names(atom) if name in optional)
            return atom if is_presence(atom) else any_of(*lacking, atom)

        facts = self.lexicon.fact_by_name
        parameters = [
            Parameter(argument.name, argument.type) for argument in arguments if argument.name not in facts
        ]
        return is_of_dialect(expanded(map_atoms(condition, guarded), facts), parameters)

    def verbs(self, action: Chunk) -> Chunk:
        """The verbs of a passive."""
        return _leading_verbs(action[1:], self.lexicon)

    def about(
        self, subject: Chunk, action: Chunk, *, subject_denies: bool, action_denies: bool
    ) -> tuple[Term, Term]:
        """The subject and the action of a statement as conditions; each may widen the denial.

        "Emails may not be sent": in the passive the subject is the object of the action.
        """
        if is_passive(action):
            verbs = self.verbs(action)
            whole = (*verbs, *subject, *action[1 + len(verbs) :])
            if len(verbs) > 1 and any(word.kind in ("AND", "OR", "COMMA") for word in subject):
                raise UnreadableError("it is open which action is done to what")
            action_term = self.phrases.read(whole, Position.ACTION, denying=action_denies)
            self._check_done(verbs, action_term)
            return TRUE, action_term
        subject_term = self.phrases.read(subject, Position.SUBJECT, denying=subject_denies)
        action_term = self.phrases.read(action, Position.ACTION, denying=action_denies)
        return subject_term, action_term

    def _check_done(self, verbs: Chunk, action_term: Term) -> None:
        """Refuse “magazines may not be lent” if only the description of an argument has the verb."""
        action = self.lexicon.action()
        if action is None or action.name in names(action_term):
            return
        for verb in verbs:
            if verb.kind == "WORD" and not is_filler(verb.text) and not self.lexicon.meanings(key(verb.text)):
                raise UnreadableError(UNKNOWN.format(verb.text), verb.text, "undefined")
