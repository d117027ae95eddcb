"""The doubts about one sentence: its readings, as terms or norms, and the choice between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from workbench.author.argument_terms import OpenCompare, any_of, map_atoms, rendered, variable
from workbench.author.doubts import UNDECIDED
from workbench.author.rules import author_doubts
from workbench.author.rules.agreement import differ
from workbench.author.rules.answers import Answers
from workbench.author.rules.argument_binding import negated, words_of
from workbench.author.rules.lexicon import Lexicon, Reference, is_object
from workbench.author.rules.norms import Effect, Norm
from workbench.author.rules.phrase_items import Position
from workbench.author.rules.statements import Way
from workbench.author.rules.words import UNSPECIFIC, split_words, stem
from workbench.likeness import near_words
from workbench.model import Argument, Doubt, Kind, Span
from workbench.policy.connectives import FALSE, TRUE
from workbench.policy.terms import Term

type WayRead = tuple[Way, tuple[Norm, ...]]


@dataclass(slots=True)
class SentenceDoubts:
    """Decides between the readings of a sentence by the given answers, which record the doubts met.

    Grammar and lexicon do not know doubts: they pass all possible readings and receive the one that is meant.
    ``mentioned`` are the arguments of readings that are still undecided. ``about`` identifies the sentence in
    the ids of its doubts.
    """

    about: str
    requirement: str
    text: str
    span: Span
    lexicon: Lexicon
    answers: Answers
    mentioned: list[str]

    # --- readings of the whole sentence ---

    def either[R](
        self,
        kind: str,
        readings: Mapping[str, R],
        *,
        default: str = "",
        meanings: Mapping[str, Term] | None = None,
        **facts: Term,
    ) -> R:
        """The reading for the answer, among one reading for each possible answer; the first while undecided.

        ``kind`` is the table of ``questions.toml`` that words the question. ``facts`` are its placeholders,
        ``meanings`` the {meaning} of single answers. The first reading denies more, and is the default unless
        another one is named.
        """
        first, *_ = readings
        rendered_facts = {name: rendered(term) for name, term in facts.items()}
        by_value = {value: {"meaning": rendered(term)} for value, term in (meanings or {}).items()}
        answer = self._answer(kind, tuple(readings), default or first, rendered_facts, by_value)
        return readings[answer or first]

    def _answer(
        self,
        kind: str,
        values: tuple[str, ...],
        default: str,
        facts: Mapping[str, str],
        value_facts: Mapping[str, Mapping[str, str]],
    ) -> str:
        return self.answers.to(
            Doubt(
                id=f"{kind}:{self.about}",
                kind=kind,
                quote=self.text,
                span=self.span,
                values=values,
                default=default,
                requirements=(self.requirement,),
                facts=facts,
                value_facts=value_facts,
            )
        )

    def way(self, ways_read: list[WayRead]) -> tuple[Norm, ...]:
        """The norms of the chosen way; while undecided, norms that deny everything that any way denies."""
        denied = [any_of(*(norm.denies for norm in norms)) for _, norms in ways_read]
        arguments = self.lexicon.arguments
        strictest = next(
            (
                str(place)
                for place, term in enumerate(denied)
                if not any(differ(any_of(term, other_term), term, arguments) for other_term in denied)
            ),
            UNDECIDED,
        )
        ways = (". ".join(f"{part[0].upper()}{part[1:]}" for part in way) for way, _ in ways_read)
        meanings = {str(place): {"meaning": way} for place, way in enumerate(ways)}
        answer = self._answer("parts", tuple(meanings), strictest, {}, meanings)
        if answer == UNDECIDED:
            return tuple(dict.fromkeys(norm for _, norms in ways_read for norm in norms))
        return ways_read[int(answer)][1]

    # --- readings of a phrase ---

    def mixed(self, narrow: Term, wide: Term, denying: bool) -> Term:
        """The chosen reading of “a or b and c”; ``denying`` means that the wider one denies more."""
        if not differ(narrow, wide, self.lexicon.arguments):
            return wide
        readings = {"and": wide, "or": narrow}
        return self.either("mixed", readings, default="and" if denying else "or", meanings=readings)

    def bounded(self, norm: Norm) -> Norm:
        """The norm, with the open bounds of its words decided."""

        def decided(term: Term, *, wide: bool) -> Term:
            def change(atom: Term) -> Term:
                if not isinstance(atom, OpenCompare):
                    return atom
                doubt = author_doubts.boundary(
                    self.about, norm.requirement, atom, self.text, self.span, wide=wide
                )
                return author_doubts.with_bound(atom, self.answers.to(doubt) == "included")

            return map_atoms(term, change)

        scope = decided(norm.scope, wide=norm.effect is not Effect.PERMIT)
        return replace(
            norm, scope=scope, condition=decided(norm.condition, wide=norm.effect is Effect.FORBID)
        )

    # --- words that nothing in the lexicon matches ---

    def unknown_words(self, words: str, denying: bool, position: Position) -> Term | None:
        """The meaning of unknown words that are similar to known ones; None if they stay unknown."""
        if near := self._near_values(words):
            return self._near_value(words, *near, denying=denying)
        if position is Position.ACTION or is_object(self.lexicon, words):
            return None
        if argument := self._described(words):
            answer = self.answers.to(author_doubts.presupposition(words, argument, self.text, self.span))
            if answer == UNDECIDED:
                self.mentioned.append(argument.name)
                return TRUE if denying else FALSE
            return negated(variable(argument), answer != author_doubts.TRUE)
        return None

    def _near_value(self, words: str, name: str, values: tuple[str, ...], *, denying: bool) -> Term | None:
        doubt = author_doubts.vocabulary(words, values, name, self.text, self.span, denying=denying)
        answer = self.answers.to(doubt)
        if answer == author_doubts.DIFFERENT or (answer == UNDECIDED and not denying):
            return FALSE
        meaning = self.lexicon.literals[(answer or values[0]).lower()]
        return meaning if not isinstance(meaning, Reference) else None

    def _near_values(self, words: str) -> tuple[str, tuple[str, ...]] | None:
        for argument in self.lexicon.arguments:
            if argument.type.values and (near := near_words(words, argument.type.values)):
                return argument.name, near
        return None

    def _described(self, words: str) -> Argument | None:
        """The boolean argument whose description has the same words, if there is exactly one."""
        content = {stem(word) for word in split_words(words) if word not in UNSPECIFIC}
        arguments = [
            argument
            for argument in self.lexicon.of_kind(Kind.BOOL)
            if content and content <= words_of(argument)
        ]
        return arguments[0] if len(arguments) == 1 else None
