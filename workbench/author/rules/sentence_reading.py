"""A sentence as norms: the statements that it makes, and their subjects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from operator import attrgetter

from workbench.author.argument_terms import all_of, any_of, names
from workbench.author.request_text import leading_topic
from workbench.author.rules.agreement import differ
from workbench.author.rules.argument_binding import SeveralFactsError, UnreadableError, words_of
from workbench.author.rules.duty_verbs import acting_duty_verb
from workbench.author.rules.lexicon import Lexicon, key
from workbench.author.rules.norm_builder import NO_FORM, Default, StatementNorms
from workbench.author.rules.norms import Norm
from workbench.author.rules.phrase_conditions import Phrases, Position
from workbench.author.rules.phrase_units import UNKNOWN
from workbench.author.rules.sentence_doubts import SentenceDoubts, WayRead
from workbench.author.rules.sentences import parse_chunk
from workbench.author.rules.statement_reading import StatementReader
from workbench.author.rules.statements import Way, ways
from workbench.policy.terms import Term


@dataclass(slots=True)
class SentenceReader:
    """Reads one sentence; ``doubts`` decide between the readings of an ambiguous one."""

    lexicon: Lexicon
    doubts: SentenceDoubts
    statements: StatementReader

    def read(self, text: str, requirement: str, topic: str = "") -> StatementNorms:
        """The norms that a sentence states. Raises UnreadableError if it cannot be read.

        ``topic`` is the heading of the sentence. If only the heading names an action, a question asks whether
        the sentence is about that action. If a word fits several facts, each fact gives a reading.
        """
        mark = self.doubts.answers.mark()
        try:
            return self._read(text, requirement, topic)
        except SeveralFactsError as error:
            self.doubts.answers.forget(mark)
            return self._of_each_fact(error, text, requirement, topic)

    def _of_each_fact(
        self, error: SeveralFactsError, text: str, requirement: str, topic: str
    ) -> StatementNorms:
        ways_read: list[WayRead] = []
        before = self.lexicon.preferred_facts
        for option in error.options:
            mark = self.doubts.answers.mark()
            self.lexicon.preferred_facts = before | {option}
            try:
                norms = self.read(text, requirement, topic)
            except UnreadableError:
                self.doubts.answers.forget(mark)
                continue
            finally:
                self.lexicon.preferred_facts = before
            if isinstance(norms, Default):
                raise error
            if all(self._differ(norms, other_norms) for _, other_norms in ways_read):
                ways_read.append(((f"{text.rstrip('.')} (“{error.subject}” of {option})",), norms))
        if not ways_read:
            raise error
        return ways_read[0][1] if len(ways_read) == 1 else self.doubts.way(ways_read)

    def _read(self, text: str, requirement: str, topic: str) -> StatementNorms:
        mark = self.doubts.answers.mark()
        try:
            reading, sentence = self._whole(text, requirement), text
        except SeveralFactsError:
            raise
        except UnreadableError:
            self.doubts.answers.forget(mark)
            if (lead := leading_topic(text)) is None:
                raise
            topic, sentence = lead
            reading = self._led(topic, sentence, requirement, text)
        return self._about(topic, sentence, reading)

    def _led(self, topic: str, sentence: str, requirement: str, text: str) -> StatementNorms:
        """The reading of the text after a lead-in (“Change flights: …”); it must use the lead-in's words."""
        reading = self._whole(sentence, requirement)
        if isinstance(reading, Default):
            raise UnreadableError("it speaks of everything else and also of something of its own")
        spoken_stems = key(sentence) | frozenset[str]().union(
            *(
                words_of(self.lexicon.argument(name))
                for norm in reading
                for name in names(norm.scope, norm.condition)
            )
        )
        acts = self._named_action(topic) is not None or any(map(self._names_action, reading))
        if not acts and not key(topic) <= spoken_stems:
            raise UnreadableError(UNKNOWN.format(topic), topic, "undefined")
        return tuple(replace(norm, message=text.strip()) for norm in reading)

    def _about(self, topic: str, sentence: str, reading: StatementNorms) -> StatementNorms:
        """The reading, limited to the topic's action if that was chosen; a question asks if it is unclear."""
        if isinstance(reading, Default) or not topic or any(map(self._names_action, reading)):
            return reading
        action = self._named_action(topic)
        if action is None or self.lexicon.action() is None:
            return reading
        narrow = tuple(replace(norm, scope=all_of(action, norm.scope)) for norm in reading)
        if not self._differ(narrow, reading):
            return reading
        everywhere, there = (
            f"{sentence} (whatever is done)",
            f"{sentence} (where it is about: {topic.lower()})",
        )
        return self.doubts.way([((everywhere,), reading), ((there,), narrow)])

    def _named_action(self, topic: str) -> Term | None:
        """The action that a heading or lead-in names, if it names nothing else."""
        action, chunk = self.lexicon.action(), parse_chunk(topic)
        if action is None or chunk is None:
            return None
        try:
            named = Phrases(self.lexicon).read(chunk, Position.ACTION)
        except UnreadableError:
            return None
        return named if names(named) == (action.name,) else None

    def _whole(self, text: str, requirement: str) -> StatementNorms:
        self._check_duty_verb(text)
        candidates = ways(text)
        if len(candidates) == 1 and len(candidates[0]) == 1:
            return self.statements.read(text, candidates[0][0], requirement)
        ways_read: list[WayRead] = []
        first: UnreadableError | None = None
        for way in candidates:
            mark = self.doubts.answers.mark()
            try:
                norms = self._way(way, text, requirement)
            except UnreadableError as error:
                self.doubts.answers.forget(mark)
                first = first or error
                continue
            if all(self._differ(norms, other_norms) for _, other_norms in ways_read):
                ways_read.append((way, norms))
        if not ways_read:
            raise first or UnreadableError(NO_FORM)
        return ways_read[0][1] if len(ways_read) == 1 else self.doubts.way(ways_read)

    def _check_duty_verb(self, text: str) -> None:
        """Refuse “users are blocked for spam” for an agent that blocks users."""
        action = self.lexicon.action()
        if action is not None and (duty := acting_duty_verb(text, action.type.values)) is not None:
            verb, tool = duty
            raise UnreadableError(f"“{verb}” may name what {tool} does, or say what may be done", verb)

    def _way(self, way: Way, text: str, requirement: str) -> tuple[Norm, ...]:
        """The norms of the statements of one way; if one names an action, all have to."""
        norms: list[Norm] = []
        named: set[bool] = set()
        for part in way:
            reading = self.statements.read(part, part, requirement)
            if isinstance(reading, Default):
                raise UnreadableError("it speaks of everything else and also of something of its own")
            norms += (replace(norm, message=text.strip()) for norm in reading)
            named |= {self._names_action(norm) for norm in reading}
        if len(named) > 1:
            raise UnreadableError("it is open what a part of it is done to")
        return tuple(norms)

    def _names_action(self, norm: Norm) -> bool:
        action = self.lexicon.action()
        return action is not None and action.name in names(norm.scope, norm.condition)

    def _differ(self, norms: tuple[Norm, ...], other_norms: tuple[Norm, ...]) -> bool:
        """Whether two readings deny or permit differently on some input; true also if that is not known."""
        arguments = self.lexicon.arguments
        return any(
            differ(any_of(*map(side, norms)), any_of(*map(side, other_norms)), arguments)
            for side in (attrgetter("denies"), attrgetter("permits"))
        )
