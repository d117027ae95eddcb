"""Rule cards: an action, a condition, and the message of a denial, which may contradict the condition."""

from __future__ import annotations

from dataclasses import dataclass, replace

from workbench.author.argument_terms import (
    OpenCompare,
    all_of,
    any_of,
    argument_of,
    atoms,
    conjuncts,
    map_atoms,
    names,
    opposite,
)
from workbench.author.doubts import UNDECIDED
from workbench.author.request_text import plain
from workbench.author.rules import author_doubts
from workbench.author.rules.agreement import differ
from workbench.author.rules.argument_binding import UnreadableError
from workbench.author.rules.lexicon import Lexicon, is_action
from workbench.author.rules.norm_builder import Default
from workbench.author.rules.norms import Effect, Norm
from workbench.author.rules.parsing import Parsing
from workbench.author.rules.phrase_conditions import Phrases, Position
from workbench.author.rules.request_blocks import Card, RequestField
from workbench.author.rules.request_reading import RequestReading
from workbench.author.rules.sentences import parse_chunk
from workbench.model import SentenceRole
from workbench.policy.connectives import TRUE, is_true
from workbench.policy.terms import (
    Term,
)


@dataclass(slots=True)
class CardReader:
    """Reads the rule cards of one request."""

    draft: RequestReading

    def read(self, card: Card) -> None:
        """Read a card, or ask about it as a whole."""
        if self.draft.reworded(card.span):
            return
        mark = len(self.draft.doubt_answers.doubts)
        requirement, text = self.draft.next_id(), plain(self.draft.quote(card.span))
        try:
            reading = self.draft.settled(
                lambda parsing: _CardParsing(parsing, requirement).norm(card, text), card.span
            )
        except UnreadableError as error:
            question = self.draft.trouble(self.draft.quote(card.span), card.span, error)
            answer = self.draft.doubt_answers.ask(question)
            if answer == UNDECIDED:
                self.draft.note(card.span, SentenceRole.OPEN)
            elif not self.draft.settle(answer, text, card.span, mark):
                self.draft.rewritten(question.id, answer, card.span)
            return
        message = card.field("message")
        text = message.value if message else reading.message
        self.draft.note(card.span, SentenceRole.REQUIREMENT, requirement)
        self.draft.require(text, card.span, (replace(reading, message=text),), mark)


@dataclass(slots=True)
class _CardParsing:
    """Parses one card, which becomes a requirement."""

    parsing: Parsing
    requirement: str

    def norm(self, card: Card, text: str) -> Norm:
        """The norm of a card, with ``text`` from the request; raises UnreadableError."""
        requirement = self.requirement
        action, message = card.field("action"), card.field("message")
        stated = card.field("require") or card.field("deny")
        phrases = self.parsing.phrases(requirement, text, card.span)
        scope = self._phrase(phrases, action, Position.ACTION) if action else TRUE
        if stated is None:
            return self._message_norm(message, scope)
        condition = self._phrase(phrases, stated, Position.CONDITION)
        effect = Effect.REQUIRE if stated.part == "require" else Effect.FORBID
        prefix = f"{action.value}: " if action else ""
        norm = Norm(requirement, effect, scope, condition, f"{prefix}{stated.key.lower()} {stated.value}")
        norm = self.parsing.doubts(requirement, stated.value, stated.span).bounded(norm)
        return self._reconciled(norm, stated, message)

    def _phrase(self, phrases: Phrases, field_: RequestField, position: Position) -> Term:
        chunk = parse_chunk(field_.value)
        if chunk is None:
            raise UnreadableError(f"“{field_.value}” has a form that the language does not have")
        denying = field_.part != "require"
        condition = phrases.read(chunk, position, denying=denying)
        if is_true(condition):
            raise UnreadableError(f"“{field_.value}” names nothing that the agent spec knows")
        return condition

    def _message_norm(self, message: RequestField | None, scope: Term) -> Norm:
        """The norm of a card without a condition, read from its message."""
        if message is None:
            raise UnreadableError("the card has neither a condition nor a message")
        reading = self.parsing.bounded_sentence(message.value, self.requirement, message.span)
        if isinstance(reading, Default) or len(reading) != 1:
            raise UnreadableError("its message states no rule of its own")
        if differ(all_of(scope, reading[0].scope), reading[0].scope, self.parsing.lexicon.arguments):
            raise UnreadableError("its message speaks of another action than the card")
        return reading[0]

    def _reconciled(self, norm: Norm, stated: RequestField, message: RequestField | None) -> Norm:
        """The norm of a card after comparing condition and message; a doubt decides if they contradict."""
        message_term = self._message_denial(norm, message)
        if message_term is None or message is None:
            return norm
        for variant in _variants(message_term):
            if not differ(norm.denies, variant, self.parsing.lexicon.arguments):
                return norm
        message_term = _variants(message_term)[0]
        sides = (norm.denies, message_term)
        question = author_doubts.contradiction(
            self.parsing.about,
            norm.requirement,
            f"{stated.key}: {stated.value}",
            message.value,
            stated.span,
            sides,
        )
        answer = self.parsing.answers.to(question)
        if answer == UNDECIDED:
            self.parsing.mentioned += names(*sides)
        if answer == "condition":
            return norm
        denied = message_term if answer == "message" else any_of(*sides)
        if not differ(denied, norm.scope, self.parsing.lexicon.arguments):
            denied = norm.scope
        return self._rescoped(norm, denied, only_message=answer == "message")

    def _rescoped(self, norm: Norm, denied: Term, *, only_message: bool) -> Norm:
        """The norm that denies exactly ``denied``, written within its scope if that is possible."""
        inner = denied if denied == norm.scope else _without(denied, norm.scope)
        if inner == norm.scope:
            return replace(norm, effect=Effect.FORBID, condition=TRUE)
        if only_message and inner is not None:
            return replace(norm, effect=Effect.REQUIRE, condition=opposite(inner))
        return replace(norm, effect=Effect.FORBID, scope=TRUE, condition=denied)

    def _message_denial(self, norm: Norm, message: RequestField | None) -> Term | None:
        """The condition that a card's message denies; None if the message states no readable rule."""
        if message is None:
            return None
        mark = self.parsing.answers.mark()
        try:
            reading = self.parsing.sentence(message.value, norm.requirement, message.span)
        except UnreadableError:
            reading = ()
        self.parsing.answers.forget(mark)
        if isinstance(reading, Default) or not reading:
            return None
        denied = any_of(*(read_norm.denies for read_norm in reading))
        about = {
            argument_of(atom) for read_norm in reading for atom in _actions(self.parsing.lexicon, read_norm)
        }
        return denied if about else all_of(norm.scope, denied)


def _variants(condition: Term) -> tuple[Term, ...]:
    """The condition with all open bounds included, and with all excluded."""

    def bound(included: bool) -> Term:
        return map_atoms(
            condition,
            lambda atom: author_doubts.with_bound(atom, included) if isinstance(atom, OpenCompare) else atom,
        )

    return bound(True), bound(False)


def _actions(lexicon: Lexicon, norm: Norm) -> list[Term]:
    return [
        atom
        for atom in (*atoms(norm.scope), *atoms(norm.condition))
        if is_action(lexicon.argument(argument_of(atom)))
    ]


def _without(condition: Term, scope: Term) -> Term | None:
    """The rest of a conjunction that contains the scope, or None if it does not."""
    parts, scope_parts = conjuncts(condition), conjuncts(scope)
    if not all(part in parts for part in scope_parts):
        return None
    return all_of(*(part for part in parts if part not in scope_parts))
