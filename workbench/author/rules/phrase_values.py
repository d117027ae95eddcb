"""Numbers, bounds and texts within a phrase: the argument of each, and the condition on it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from datetime import time, timedelta

from workbench.author.argument_terms import (
    all_of,
    among,
    any_of,
    atoms,
    compared,
    names,
    value_listing,
)
from workbench.author.rules.argument_binding import (
    SeveralFactsError,
    UnreadableError,
    compare,
    file_named,
    host_beside,
    is_money,
    literal_test,
    negated,
    unit_argument,
    with_subdomains,
    words_of,
)
from workbench.author.rules.fact_arguments import since_name
from workbench.author.rules.lexicon import Lexicon, Meaning, Reference
from workbench.author.rules.measures import check_measure
from workbench.author.rules.misreading_checks import (
    check_belongs,
    check_command,
    check_window,
)
from workbench.author.rules.phrase_items import (
    WORDS,
    Item,
    KnownWords,
    NearMiss,
    Position,
    bare,
    stems_of,
)
from workbench.author.rules.quantities import read_comparator, read_quantity
from workbench.author.rules.sentences import SentenceWord
from workbench.author.rules.words import (
    ARTICLES,
    split_words,
    stem,
)
from workbench.model import Argument, Kind, Scalar
from workbench.policy.terms import (
    Comparison,
    Term,
)
from workbench.serialization.durations import stated_duration

LITERALS = frozenset(["QUOTED", "CODE", "ADDRESS", "PATH"])


@dataclass(slots=True)
class UnitValues(ABC):
    """The state of reading one phrase, and the reading of its quantities and literals."""

    lexicon: Lexicon
    near_miss: NearMiss
    denying: bool
    items: list[Item]
    position: Position
    place: int = 0
    negative: bool = False
    reference: str | None = None
    people: bool = False
    preposition: str = ""
    parts: list[Term] = field(default_factory=list[Term])
    references: list[str] = field(default_factory=list[str])
    unknown: list[str] = field(default_factory=list[str])
    related: frozenset[str] = frozenset()
    counted: frozenset[str] = frozenset()

    @abstractmethod
    def _state(self, condition: Term) -> None:
        """Add a condition to those stated, negated after “not”."""

    @abstractmethod
    def _name_unknown(self) -> None:
        """Resolve the unknown words so far."""

    @abstractmethod
    def _around(self) -> list[str]:
        """The words of the phrase."""

    def _next(self) -> Item | None:
        item = self.items[self.place] if self.place < len(self.items) else None
        self.place += item is not None
        return item

    def _comparison(self, word: SentenceWord) -> None:
        if self.reference is None and self.unknown:
            nouns = frozenset(stem(noun.lower()) for noun in self.unknown)
            argument = unit_argument(self.lexicon, nouns)
            following = self._peek(0)
            money = isinstance(following, SentenceWord) and following.kind == "MONEY"
            if argument is not None and not (money and not is_money(argument)):
                argument = self._owned(argument)
                self.unknown.clear()
                self.reference = argument.name
        self._name_unknown()
        operator, open_word = read_comparator(word.text)
        item = self._next()
        if isinstance(item, KnownWords):
            self._equality(operator, item)
            return
        quantity = read_quantity(item) if item is not None else None
        if quantity is not None and (since := self._passed(quantity.value)) is not None:
            argument, span = since
            self._state(compared(argument, Comparison(operator), span, open_word))
        elif quantity is not None:
            reference = self._unit_noun()
            self._state(compare(self.lexicon, reference, operator, quantity, open_word, self.people))
        elif item is not None and (item.kind in LITERALS or item.kind == "WORD"):
            if operator in ("==", "!="):
                self.negative = self.negative != (operator == "!=")
                self._literal(bare(item.text), "equal")
            elif open_word in ("under", "below") and item.kind == "PATH":
                self.preposition = open_word
                self._literal(bare(item.text), "")
            else:
                raise UnreadableError(f"“{word.text} {item.text}” compares with no number", item.text)
        else:
            raise UnreadableError(f"“{word.text}” compares with nothing", word.text)

    def _passed(self, count: Scalar) -> tuple[Argument, timedelta] | None:
        """The time since a moment and its bound: “24 hours ago”, “24 hours after the start”."""
        unit, joint = self._peek(0), self._peek(1)
        if not isinstance(unit, SentenceWord) or not isinstance(joint, SentenceWord):
            return None
        span = stated_duration(f"{count} {unit.text.lower()}")
        word, offset, moment = joint.text.lower(), 2, self.reference
        if span is None or word not in ("ago", "of", "after", "since"):
            return None
        if word != "ago":
            while isinstance(item := self._peek(offset), SentenceWord) and item.text.lower() in ARTICLES:
                offset += 1
            if not isinstance(item, KnownWords) or not isinstance(item.meaning, Reference):
                return None
            offset, moment = offset + 1, item.meaning.argument
        name = since_name(moment or "")
        passed = next((argument for argument in self.lexicon.arguments if argument.name == name), None)
        if passed is None:
            return None
        self.place += offset
        self.references = [name for name in self.references if name != moment]
        return passed, span

    def _equality(self, operator: str, item: KnownWords) -> None:
        if operator not in ("==", "!=") or isinstance(item.meaning, Reference):
            raise UnreadableError(f"it compares with “{' '.join(item.words)}”", " ".join(item.words))
        if self.reference and names(item.meaning) != (self.reference,):
            raise UnreadableError(
                f"“{' '.join(item.words)}” is no value of {self.reference}", kind="undefined"
            )
        self._state(negated(item.meaning, operator == "!="))

    def _unit_noun(self) -> str | None:
        """The argument that the noun after a number names; the noun's own “of …” is consumed too."""
        place = self.place
        item = self.items[place] if place < len(self.items) else None
        noun_stems = stems_of(item)
        self.counted |= noun_stems
        argument = unit_argument(self.lexicon, noun_stems) if noun_stems else None
        if self.reference is not None:
            referenced_argument = self.lexicon.argument(self.reference)
            if noun_stems and noun_stems <= words_of(referenced_argument):
                self.place += 1
                self._take_ago(referenced_argument)
            else:
                check_measure(self.lexicon, self.reference, noun_stems)
            return self.reference
        if argument is None:
            check_measure(self.lexicon, None, noun_stems)
            return None
        check_window(argument, self._around())
        argument = self._owned(argument)
        if self.position is Position.ACTION and not noun_stems <= words_of(argument, described=False):
            check_belongs(self.lexicon, argument, self._around())
        self.place += 1
        joint = self._peek(0)
        if (
            not self._take_ago(argument)
            and isinstance(joint, SentenceWord)
            and joint.text.lower() in ("of", "after", "since", "from", "before")
        ):
            offset = 1
            while isinstance(item := self._peek(offset), SentenceWord) and item.text.lower() in ARTICLES:
                offset += 1
            following = stems_of(self._peek(offset))
            if following and following <= words_of(argument):
                self.place += offset + 1
        return argument.name

    def _owned(self, argument: Argument) -> Argument:
        """The argument or a record's field of the same name, if a word next to it names that record."""
        around = {stem(word.lower()) for word in self._around()}
        for candidate in self.lexicon.arguments:
            owner, _, field_name = candidate.name.partition(".")
            if field_name != argument.name or not {stem(word) for word in split_words(owner)} <= around:
                continue
            if candidate.name in self.lexicon.preferred_facts:
                return candidate
            if argument.name not in self.lexicon.preferred_facts:
                raise SeveralFactsError(argument.name.split(".")[0], (argument.name, candidate.name))
        return argument

    def _take_ago(self, argument: Argument) -> bool:
        """Consume “ago” after the unit of an argument for the time since something."""
        joint = self._peek(0)
        is_ago = (
            isinstance(joint, SentenceWord)
            and joint.text.lower() == "ago"
            and stem("since") in words_of(argument)
        )
        self.place += is_ago
        return is_ago

    def _peek(self, offset: int) -> Item | None:
        place = self.place + offset
        return self.items[place] if place < len(self.items) else None

    def _quantity(self, word: SentenceWord) -> None:
        quantity = read_quantity(word)
        if quantity is not None and word.kind == "DATE" and self.preposition == "on":
            self._state(compare(self.lexicon, self.reference, "==", quantity, "", self.people))
            return
        reference = self._unit_noun()
        following = self.items[self.place] if self.place < len(self.items) else None
        if (
            quantity is None
            or not isinstance(following, SentenceWord)
            or following.kind not in ("OR_MORE", "OR_LESS")
        ):
            raise UnreadableError(f"it does not say how “{word.text}” bounds anything", word.text)
        self.place += 1
        reference = reference or self._unit_noun()  # “6 or more passengers”
        operator = ">=" if following.kind == "OR_MORE" else "<="
        self._state(compare(self.lexicon, reference, operator, quantity, "", self.people))

    def _between(self) -> None:
        self._name_unknown()
        items = [self._next() for _ in range(3)]
        low, joint, high = items
        if not (
            isinstance(low, SentenceWord)
            and isinstance(joint, SentenceWord)
            and isinstance(high, SentenceWord)
        ):
            raise UnreadableError("“between” is not followed by two numbers")
        first, last = read_quantity(low), read_quantity(high)
        if first is None or last is None or joint.kind != "AND":
            raise UnreadableError("“between” is not followed by two numbers")
        lexicon, people = self.lexicon, self.people
        lower = compare(lexicon, self.reference, ">=", first, "between", people)
        upper = compare(lexicon, self.reference, "<=", last, "between", people)
        low_time, high_time = first.value, last.value
        if isinstance(low_time, time) and isinstance(high_time, time) and low_time > high_time:
            self._state(any_of(lower, upper))  # over midnight
        else:
            self._state(all_of(lower, upper))

    def _text_test(self, words: str) -> None:
        if self.reference is None and self.unknown:
            nouns = frozenset(stem(word.lower()) for word in self.unknown)
            texts = [argument for argument in self.lexicon.of_kind(Kind.STR) if nouns <= words_of(argument)]
            if len(texts) == 1:
                self.unknown.clear()
                self.reference = texts[0].name
        self._name_unknown()
        test = "startswith" if words[0] in "sb" else "contains" if words[0] == "c" else "endswith"
        item = self._next()
        if not isinstance(item, SentenceWord) or item.kind not in WORDS:
            raise UnreadableError(f"“{words}” is not followed by a text", words)
        self._literal(bare(item.text), test)

    def _literal(self, text: str, test: str) -> None:
        self._name_unknown()
        lexicon = self.lexicon
        if test == "equal" and self.reference:
            argument = lexicon.argument(self.reference)
            if text in argument.type.values or argument.type.kind.value == "str":
                self._state(among(argument, text))
                return
        words = frozenset(
            stem(word) for item in self.items if isinstance(item, KnownWords) for word in item.words
        )
        alone = not test and self.reference is None and self.denying
        test = "" if test == "equal" else test
        if not test and not self.reference:
            words_around = words | self._acted_on()
            if (file := file_named(lexicon, text, words_around, denying=self.denying)) is not None:
                self._state(file)
                return
        placed = not test and not self.reference
        host = host_beside(lexicon, text, words | self._acted_on()) if placed else None
        condition = (
            literal_test(lexicon, self.reference, text, test, self.preposition, words)
            if host is None
            else among(host, text)
        )
        if alone:
            check_command(lexicon, condition, text)
        following = self._peek(0)
        if isinstance(following, SentenceWord) and following.kind == "SUBDOMAINS":
            self.place += 1
            condition = with_subdomains(lexicon, condition, text)
        self._state(condition)

    def _acted_on(self) -> frozenset[str]:
        """The stems in the name of the one action stated so far: “page” after “be fetched”."""
        action = self.lexicon.action()
        listed = [listing for part in self.parts if (listing := value_listing(part)) is not None]
        acts = [
            value
            for listing in listed
            if action and listing.argument == action.name
            for value in listing.values
        ]
        return frozenset(map(stem, split_words(acts[0]))) if len(acts) == 1 else frozenset()

    def _listed(self) -> None:
        values: list[str] = []
        item = self._next()
        while isinstance(item := self._next(), SentenceWord | KnownWords):
            if isinstance(item, SentenceWord) and item.kind == "RBRACE":
                break
            if isinstance(item, KnownWords):
                listings = [value_listing(atom) for atom in _atoms(item.meaning)]
                values.extend(value for listing in listings if listing for value in listing.values)
            elif item.kind in WORDS:
                values.append(bare(item.text))
        if not self.reference or not values:
            raise UnreadableError("it is open which argument the listed values belong to")
        argument = self.lexicon.argument(self.reference)
        if argument.type.kind.value == "enum" and not set(values) <= set(argument.type.values):
            raise UnreadableError(
                f"one of the listed values is no value of {argument.name}", kind="undefined"
            )
        self._state(among(argument, *values))


def _atoms(meaning: Meaning) -> tuple[Term, ...]:
    return () if isinstance(meaning, Reference) else tuple(atoms(meaning))
