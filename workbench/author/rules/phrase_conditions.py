"""A phrase of a sentence as a condition over the arguments, in which every word is used."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.author.argument_terms import all_of, any_factored, any_of, conjuncts, is_truth, names
from workbench.author.rules.argument_binding import UnreadableError, host_of, negated
from workbench.author.rules.coordination import (
    begins_comparison,
    begins_with_noun,
    bounded_alike,
    check_negation_scope,
    done_for,
    is_filler,
    is_joint,
    is_mixed,
    limits_together,
    split_at,
    split_list,
    union_of_elements,
    with_other_value,
    words_of_items,
)
from workbench.author.rules.lexicon import Lexicon, Meaning, Reference, arguments_of, key
from workbench.author.rules.phrase_items import WORDS, Item, KnownWords, Position, bare
from workbench.author.rules.phrase_units import PREFIXES, PhraseUnit
from workbench.author.rules.sentence_doubts import SentenceDoubts
from workbench.author.rules.sentences import Chunk, SentenceWord
from workbench.author.rules.verb_object_pairs import crossed
from workbench.author.rules.words import PEOPLE, split_words
from workbench.policy.connectives import is_false
from workbench.policy.terms import (
    Member,
    Or,
    Term,
)


@dataclass(slots=True)
class Phrases:
    """Reads phrases with one lexicon.

    ``doubts`` resolve ambiguities of a phrase: unknown words, and the grouping of “and” and “or”. Without
    ``doubts`` such a phrase cannot be read.
    """

    lexicon: Lexicon
    doubts: SentenceDoubts | None = None
    denying: bool = True
    people: bool = False
    position: Position = Position.CONDITION
    reference: str | None = None

    def read(self, chunk: Chunk, position: Position, *, denying: bool = True) -> Term:
        """The condition that the phrase states; ``TRUE`` if it only names a person.

        ``denying`` means that the rule denies more if the condition holds more often.

        Raises UnreadableError if a word remains unused, or if "and" and "or" mix.
        """
        self.denying = denying
        self.position = position
        # In an action a person is its object, so that a bare number is no age. But the user for whom an
        # action is done is the one who asks for it.
        words = {word.text.lower() for word in chunk}
        asks = position is not Position.ACTION or done_for(chunk) is not None
        self.people = asks and bool(words & PEOPLE)
        return self._group(self._items(chunk), position)

    def read_owner(self, chunk: Chunk) -> tuple[Term, str | None]:
        """A phrase that ends with an argument, and this argument: “the reason for cancelling an order”."""
        self.position = Position.ACTION
        parts, _ = split_list(self._items(chunk))
        if len(parts) != 1:
            raise UnreadableError("it is open which of the listed is meant")
        unit = PhraseUnit(self.lexicon, self._unknown, self.denying, parts[0], Position.ACTION)
        condition = unit.read(dangling=True)
        return condition, unit.reference

    def read_of(self, argument: str, chunk: Chunk, *, denying: bool) -> Term:
        """The condition that a phrase states about the argument before it."""
        self.reference = argument
        try:
            return self.read(chunk, Position.CONDITION, denying=denying)
        finally:
            self.reference = None

    def _unknown(self, words: str, denying: bool, position: Position) -> Term | None:
        return self.doubts.unknown_words(words, denying, position) if self.doubts is not None else None

    # --- words to items ---

    def _items(self, chunk: Chunk) -> list[Item]:
        items: list[Item] = []
        place = 0
        while place < len(chunk):
            known_words, after = self._longest_match(chunk, place, items)
            items.append(known_words if known_words is not None else chunk[place])
            place = after if known_words is not None else place + 1
        return items

    def _adds_nothing(self, word: str) -> bool:
        """Whether a word is a filler here: “customers” is one, unless it names a value of the agent."""
        return is_filler(word) and not (word.lower() in PEOPLE and self.lexicon.literals_of(word))

    def _longest_match(self, chunk: Chunk, start: int, items: list[Item]) -> tuple[KnownWords | None, int]:
        if chunk[start].kind not in WORDS or self._adds_nothing(chunk[start].text):
            return None, start
        best: tuple[KnownWords, int] | None = None
        first = _is_first(chunk, start) and not _continues_values(self.lexicon, chunk, start, items)
        for end in range(start + 1, min(len(chunk), start + 12) + 1):
            last = chunk[end - 1]
            if last.kind not in WORDS and last.kind not in ("AND", "OR", "COMMA"):
                break
            if last.kind in WORDS and not (end - 1 > start and self._adds_nothing(last.text)):
                known_words = self._match(chunk[start:end], first)
                best = (known_words, end) if known_words is not None else best
        return best if best is not None else (None, start)

    def _is_verb(self, text: str, exact: Meaning) -> bool:
        """Whether a word that is another argument's value begins an action: “may not be cancelled”."""
        action = self.lexicon.action()
        if action is None or self.position is not Position.ACTION or isinstance(exact, Reference):
            return False
        other_meanings = [
            meaning for meaning in self.lexicon.meanings(key(text)) if not isinstance(meaning, Reference)
        ]
        return action.name not in names(exact) and any(
            action.name in names(meaning) for meaning in other_meanings
        )

    def _in_place(self, conditions: list[Term], first: bool) -> list[Term]:
        """The conditions that fit the place of a word that is both an action and a value."""
        action = self.lexicon.action()
        named = [
            condition for condition in conditions if action is not None and action.name in names(condition)
        ]
        verbal = first and self.position is Position.ACTION
        return named if verbal else [condition for condition in conditions if condition not in named]

    def _one_of(self, text: str, meanings: list[Meaning], first: bool) -> list[Meaning]:
        """The one condition among several meanings, or none if only an argument is named.

        Raises UnreadableError if several meanings remain possible.
        """
        conditions = [meaning for meaning in meanings if not isinstance(meaning, Reference)]
        if len(conditions) > 1:
            conditions = self._in_place(conditions, first)
        if not conditions and self.position is not Position.CONDITION:
            return []
        if len(conditions) != 1:
            raise UnreadableError(f"“{text}” can mean several things of the agent", text, "undefined")
        return [*conditions]

    def _literal(self, text: str) -> Meaning | None:
        """The value that a text names, in any case; for a person also in the plural."""
        exact = self.lexicon.literals.get(text.lower())
        if exact is None and text.lower() in PEOPLE:
            return next(iter(self.lexicon.literals_of(text)), None)
        return exact

    def _is_named_person(self, word: SentenceWord) -> bool:
        return word.text.lower() in PEOPLE and bool(self.lexicon.literals_of(word.text))

    def _match(self, window: Chunk, first: bool = True) -> KnownWords | None:
        text = " ".join(bare(word.text) for word in window)
        connected = any(word.kind in ("AND", "OR", "COMMA") for word in window)
        exact = self._literal(text)
        if exact is not None and not (first and self._is_verb(text, exact)):
            return KnownWords(exact, tuple(word.text for word in window))
        if any(word.kind in ("ADDRESS", "PATH") for word in window) or "." in text.strip("."):
            return None
        if len(window) > 1 and any(map(self._is_named_person, window)):
            return None  # the key of the phrase would drop the value that it names
        wanted_stems = key(text)
        all_meanings = [
            entry.meaning
            for entry in self.lexicon.entries
            if entry.stems == wanted_stems
            and (not connected or {"and", "or"} & set(split_words(entry.phrase)))
        ]
        meanings = [
            meaning for place, meaning in enumerate(all_meanings) if meaning not in all_meanings[:place]
        ]
        if meanings and len(window) > 1 and self._hides_action(window, meanings):
            return None
        if not meanings and len(window) > 1:
            meanings = self._unprefixed(text)
        if len(meanings) > 1:
            meanings = self._one_of(text, meanings, first)
        return KnownWords(meanings[0], tuple(word.text for word in window)) if meanings else None

    def _hides_action(self, window: Chunk, meanings: list[Meaning]) -> bool:
        """Whether a known phrase would include the verb of an action: “invite external people”."""
        action = self.lexicon.action()
        if self.position is not Position.ACTION or action is None:
            return False
        if any(not isinstance(meaning, Reference) and action.name in names(meaning) for meaning in meanings):
            return False
        return any(
            not isinstance(meaning, Reference) and action.name in names(meaning)
            for meaning in self.lexicon.meanings(key(window[0].text))
        )

    def _unprefixed(self, text: str) -> list[Meaning]:
        """The negated boolean argument of a word with the prefix “un”: “unknown recipients”."""
        words = split_words(text)
        for place, word in enumerate(words):
            for prefix in PREFIXES:
                unprefixed = word.removeprefix(prefix)
                if unprefixed == word or len(unprefixed) < 4:
                    continue
                changed = " ".join((*words[:place], unprefixed, *words[place + 1 :]))
                truths = [
                    meaning
                    for meaning in self.lexicon.meanings(key(changed))
                    if not isinstance(meaning, Reference) and is_truth(meaning)
                ]
                if len(truths) == 1:
                    return [negated(truths[0], True)]
        return []

    # --- items to conditions ---

    def _group(self, items: list[Item], position: Position) -> Term:
        if position is Position.CONDITION and is_mixed(items):
            return self._mixed(items)
        action = self.lexicon.action()
        if position is Position.ACTION and action is not None and (cross := crossed(items, action.name)):
            either = (any_of(*(self._unit([verb], position) for verb in cross.verbs)),)
            objects = [self._unit([item], Position.CONDITION) for item in cross.objects]
            listed = union_of_elements(objects) or any_of(*objects)
            return all_of(
                *either, listed, *([self._unit([*cross.other_items], position)] if cross.other_items else [])
            )
        if position is Position.ACTION and (whole := self._done_for(items)) is not None:
            return whole
        parts, connective = split_list(items)
        if connective is None:
            return self._unit(parts[0], position)
        permitting = position is Position.ACTION and connective == "AND" and not self.denying
        if position is Position.ACTION:
            parts = self._with_objects(bounded_alike(parts) if permitting else parts)
        conditions = self._units(parts, position)
        if permitting and limits_together(conditions):
            return all_of(*conditions)
        if position is Position.ACTION:
            if (elements := union_of_elements(conditions)) is not None:
                return elements
            conditions = self._shared_action(conditions)
        if connective == "OR":
            return any_factored(*conditions)
        return self._joined(items, conditions, position)

    def _done_for(self, items: list[Item]) -> Term | None:
        """Read “book a hotel for users who are vaccinated and over 65”: the list is about the users.

        None if it may be a list of something else: only comparisons certainly continue the clause.
        """
        place = done_for(items, relative=True)
        if place is None or is_mixed(items) or any(is_joint(item) for item in items[:place]):
            return None
        parts, connective = split_list(items[place:])
        if connective is None or not all(begins_comparison(part) for part in parts[1:]):
            return None
        head = self._group(items[:place], Position.ACTION)
        return all_of(head, self._group(items[place:], Position.CONDITION))

    def _mixed(self, items: list[Item]) -> Term:
        """Read “a or b and c”: “and” first and “or” first are two readings; a doubt decides between them."""
        wide = any_factored(
            *(self._group(part, Position.CONDITION) for part in split_at(items, "OR") if part)
        )
        narrow = all_of(*(self._group(part, Position.CONDITION) for part in split_at(items, "AND") if part))
        if self.doubts is None:
            raise UnreadableError("it mixes “and” with “or” without saying which belongs together")
        return self.doubts.mixed(narrow, wide, self.denying)

    def _with_objects(self, parts: list[list[Item]]) -> list[list[Item]]:
        """The parts, with a verb alone given the object of the next one: “write or delete files in /etc”."""
        changed = list(parts)
        for place in range(len(parts) - 2, -1, -1):
            if not self._is_bare_verb(parts[place]):
                continue
            words = words_of_items(changed[place + 1])
            candidate = self._items((*words_of_items(parts[place]), *words[1:]))
            if self._names_action(candidate):
                if any(not self._names_action(part) for part in parts[place + 2 :] if begins_with_noun(part)):
                    raise UnreadableError("it is open to which actions the end of the list belongs")
                changed[place] = candidate
            elif not self._is_plain_action(changed[place + 1]):
                raise UnreadableError("it is open what the first action is done to")
        return changed

    def _is_bare_verb(self, part: list[Item]) -> bool:
        return len(words_of_items(part)) == 1 and self._names_action(part)

    def _names_action(self, part: list[Item]) -> bool:
        action = self.lexicon.action()
        if action is None:
            return False
        try:
            return action.name in names(self._unit(part, Position.ACTION))
        except UnreadableError:
            return False

    def _is_plain_action(self, part: list[Item]) -> bool:
        """Whether a part names an action and neither its object nor its manner."""
        action = self.lexicon.action()
        try:
            return action is not None and names(self._unit(part, Position.ACTION)) == (action.name,)
        except UnreadableError:
            return False

    def _units(self, parts: list[list[Item]], position: Position) -> list[Term]:
        """The condition of each part of a list; a part without its own verb takes the first one's."""
        check_negation_scope(parts)
        conditions: list[Term] = []
        for part in parts:
            try:
                conditions.append(self._unit(part, position, self._host_before(conditions, part)))
            except UnreadableError:
                borrowed = self._borrow(parts[0], part) if position is Position.ACTION else None
                if borrowed is None:
                    raise
                conditions.append(borrowed)
        return conditions

    def _shared_action(self, conditions: list[Term]) -> list[Term]:
        """Read “send mail to a or to b”: a part without an action of its own continues the first."""
        action = self.lexicon.action()
        if action is None or action.name not in names(conditions[0]):
            return conditions
        shared_conditions: list[Term] = []
        before: list[Term] = []
        for condition in conditions:
            if action.name in names(condition):
                before.append(condition)
                shared_conditions.append(condition)
                continue
            sharing = [earlier for earlier in before if set(names(condition)) <= set(names(earlier))]
            if not sharing and len(before) == 1 and len(names(condition)) == 1 and len(names(before[0])) == 2:
                # “delete mail with attachments or to guests”: another manner of the same action.
                action_parts = [part for part in conjuncts(before[0]) if names(part) == (action.name,)]
                shared_conditions.append(all_of(*action_parts, condition))
                continue
            shared_conditions += [with_other_value(earlier, condition) for earlier in sharing or before[:1]]
        return shared_conditions

    def _borrow(self, first: list[Item], part: list[Item]) -> Term | None:
        """Read “book a hotel or a flight”: the verb belongs to the flight too."""
        if not first or any(isinstance(item, KnownWords) or item.kind != "WORD" for item in part):
            return None
        head = first[0].words[0] if isinstance(first[0], KnownWords) else first[0].text
        window = (SentenceWord("WORD", head), *(item for item in part if isinstance(item, SentenceWord)))
        known_words = self._match(window)
        return (
            known_words.meaning
            if known_words is not None and not isinstance(known_words.meaning, Reference)
            else None
        )

    def _joined(self, items: list[Item], conditions: list[Term], position: Position) -> Term:
        equal = all(isinstance(condition, Member) for condition in conditions)
        if equal and len(names(*conditions)) == 1:
            if position is Position.CONDITION:
                raise UnreadableError("one value cannot be two things at once", kind="undefined")
            return any_of(*conditions)
        if position is Position.CONDITION:
            return all_of(*conditions)
        factored = any_factored(*conditions)
        parts = conjuncts(factored)
        if position is Position.ACTION and not any(isinstance(part, Or) or is_false(part) for part in parts):
            return factored  # the parts differ in one value only: “send mail to silver and gold members”
        words = [item.text.lower() for item in items if isinstance(item, SentenceWord)]
        related = {"who", "that", "which", "with", "whose"} & set(words)
        if position is Position.SUBJECT and related and sum(word in PEOPLE - {"who"} for word in words) <= 1:
            return all_of(*conditions)
        raise UnreadableError("it is open whether “and” means both together or each of them")

    def _host_before(self, conditions: list[Term], part: list[Item]) -> str | None:
        """The host argument for a list of domains: “from docs.example.com or wiki.example.com”."""
        content_items = [
            item for item in part if not (isinstance(item, SentenceWord) and is_filler(item.text))
        ]
        if conditions and any(
            isinstance(item, SentenceWord) and item.kind == "SUBDOMAINS" for item in content_items
        ):
            raise UnreadableError("it is open whose subdomains are meant")
        if (
            len(content_items) != 1
            or not isinstance(content_items[0], SentenceWord)
            or "." not in content_items[0].text
        ):
            return None
        return host_of(self.lexicon, conditions[-1]) if conditions else None

    def _unit(self, items: list[Item], position: Position, reference: str | None = None) -> Term:
        return PhraseUnit(
            self.lexicon,
            self._unknown,
            self.denying,
            items,
            position,
            people=self.people,
            reference=reference or self.reference,
        ).read()


def _continues_values(lexicon: Lexicon, chunk: Chunk, start: int, items: list[Item]) -> bool:
    """Whether a word that is also a value continues a list of values: “processed or cancelled orders”."""
    exact = lexicon.literals.get(chunk[start].text.lower())
    if start == 0 or chunk[start - 1].kind not in ("AND", "OR", "COMMA"):
        return False
    before = next((item for item in reversed(items) if isinstance(item, KnownWords)), None)
    if exact is None or before is None:
        return False
    return arguments_of(exact) == arguments_of(before.meaning)


def _is_first(chunk: Chunk, place: int) -> bool:
    """Whether only filler words precede a word in its part of a list."""
    for word in reversed(chunk[:place]):
        if word.kind in ("AND", "OR", "COMMA"):
            return True
        if word.kind not in WORDS or not is_filler(word.text):
            return False
    return True
