"""A phrase without "and" or "or", read word by word into conditions that all hold together."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.author.argument_terms import (
    all_of,
    among,
    has_no_value,
    is_truth,
    names,
    opposite,
    value_listing,
)
from workbench.author.rules.argument_binding import (
    SeveralFactsError,
    UnreadableError,
    has_money,
    negated,
    words_of,
)
from workbench.author.rules.lexicon import Meaning, Reference, arguments_of, is_object, key
from workbench.author.rules.misreading_checks import (
    check_actor,
    check_generic,
    check_pronoun,
    check_role,
    check_values,
    check_whose,
    is_what_people_do,
)
from workbench.author.rules.phrase_items import (
    KnownWords,
    Position,
    bare,
    texts_of,
)
from workbench.author.rules.phrase_values import LITERALS, UnitValues
from workbench.author.rules.quantities import QUANTITIES
from workbench.author.rules.sentences import SentenceWord
from workbench.author.rules.words import (
    ACTION_FILLER,
    ARTICLES,
    HOLDERS,
    LIGHT,
    PEOPLE,
    UNSPECIFIC,
    split_words,
    stem,
    word_set,
)
from workbench.model import Argument
from workbench.policy.terms import (
    Term,
)
from workbench.policy.types import NUMBERS

_OF_NUMBERS = frozenset(["COMPARATOR", "SYMBOL", "BETWEEN", *QUANTITIES])
_OF_TEXTS = frozenset(["SYMBOL", "TEXT_TEST", "IN_LIST", *LITERALS])
_ACCESS = frozenset(
    map(stem, word_set("read access see view query look use retrieve fetch get open inspect"))
)
_PLACES = frozenset(["in", "within", "inside", "into", "to", "from"])
_FILLER = ARTICLES | PEOPLE | LIGHT | _PLACES
UNKNOWN = "“{}” is nothing that the agent spec knows"
PREFIXES = ("un", "non", "in")


@dataclass(slots=True)
class PhraseUnit(UnitValues):
    """One phrase without "and" or "or": its parts all hold together."""

    def read(self, *, dangling: bool = False) -> Term:
        """The condition that the phrase states; raises UnreadableError if a word remains unused.

        With ``dangling`` the phrase may end with an argument whose value is in the next phrase.
        """
        self.related = self._related()
        while self.place < len(self.items):
            item = self.items[self.place]
            self.place += 1
            if isinstance(item, KnownWords):
                self._known(item)
            else:
                self._word(item)
        self._name_unknown()
        if self.negative:
            raise UnreadableError("“not” has nothing to negate")
        self._name_action()
        condition = all_of(*self.parts)
        check_values(condition)
        used_names = set(names(condition))
        spoken_of = frozenset[str]().union(*(words_of(self.lexicon.argument(name)) for name in used_names))
        for name in self.references:
            described = {stem(word) for word in split_words(name)} <= spoken_of
            if name not in used_names and not dangling and not described:
                raise UnreadableError(f"it names {name} without saying which value", name, "reference")
        return condition

    def _related(self) -> frozenset[str]:
        """Words in the descriptions of the stated arguments: “orders” next to a status of the order."""
        stated = {
            name for item in self.items if isinstance(item, KnownWords) for name in arguments_of(item.meaning)
        }
        return frozenset[str]().union(*(words_of(self.lexicon.argument(name)) for name in stated))

    def _name_action(self) -> None:
        """Read “commands containing x” as an action, since only one action has this object."""
        action = self.lexicon.action()
        if self.position is not Position.ACTION or action is None or action.name in names(*self.parts):
            return
        words = [
            item.text if isinstance(item, SentenceWord) else " ".join(item.words) for item in self.items[:1]
        ]
        for value in self.lexicon.objects(key(words[0])) if words else ():
            self.parts.insert(0, among(action, value))

    def _state(self, condition: Term) -> None:
        self.parts.append(negated(condition, self.negative))
        self.negative = False

    def _known(self, item: KnownWords) -> None:
        following_words = [
            word for item_ in self.items[self.place : self.place + 1] for word in texts_of(item_)
        ]
        check_generic(
            self.lexicon, item.meaning, item.words, (*self._before()[-1:], *following_words), self.reference
        )
        check_actor(self.lexicon, item.meaning, item.words, self._around())
        check_whose(self.lexicon, item.meaning, item.words, self._before(), following_words)
        if self.position is Position.ACTION:
            check_role(self.lexicon, item.meaning, self._before())
        if _is_truth(item.meaning) and self.unknown and {w.lower() for w in self.unknown} <= UNSPECIFIC:
            # "certain countries", if the agent only knows whether the country is the user's own.
            self.unknown.extend(item.words)
            self._name_unknown()
            return
        self._name_unknown()
        meaning = self._whose(item)
        if isinstance(meaning, Reference):
            argument = self.lexicon.argument(meaning.argument)
            if objects := self._action_named(item, argument):
                self._state(objects)
                return
            if self.negative and argument.type.optional:
                self._state(opposite(has_no_value(argument)))
                return
            self.reference = meaning.argument
            self.references.append(meaning.argument)
            return
        if is_truth(meaning) and self._truth_value(meaning):
            return
        self._state(meaning)

    def _whose(self, item: KnownWords) -> Meaning:
        """The meaning of a value of several arguments: for the argument named before it or next to it."""
        meaning = item.meaning
        listing = None if isinstance(meaning, Reference) else value_listing(meaning)
        if listing is None or len(listing.values) != 1:
            return meaning
        shared = self.lexicon.shared.get(listing.values[0].lower(), ())
        if not shared:
            return meaning
        around = {stem(word.lower()) for word in self._around()}
        meant = [meaning for meaning in shared if arguments_of(meaning) == (self.reference,)] or [
            meaning
            for meaning in shared
            for owner in [arguments_of(meaning)[0].split(".")]
            if len(owner) > 1 and {stem(word) for word in split_words(owner[0])} <= around
        ]
        meant = [
            meaning for meaning in meant or shared if arguments_of(meaning)[0] in self.lexicon.preferred_facts
        ] or meant
        if len(meant) != 1:
            options = tuple(arguments_of(meaning)[0] for meaning in meant or shared)
            raise SeveralFactsError(" ".join(item.words), options)
        return meant[0]

    def _action_named(self, item: KnownWords, argument: Argument) -> Term | None:
        """The action whose object also names an argument, if no value follows: “payments abroad”."""
        action = self.lexicon.action()
        if self.position is not Position.ACTION or action is None or action.name in names(*self.parts):
            return None
        following = self._peek(0)
        kind = following.kind if isinstance(following, SentenceWord) else ""
        number = argument.type.kind in NUMBERS
        if kind in _OF_NUMBERS if number else kind in _OF_TEXTS:
            return None
        objects = self.lexicon.objects(key(" ".join(item.words)))
        return among(action, *objects) if objects else None

    def _truth_value(self, meaning: Term) -> bool:
        """``vaccine == false``: the comparison of a boolean with a truth value."""
        following = [
            item for item in self.items[self.place : self.place + 2] if isinstance(item, SentenceWord)
        ]
        offset = 0
        flipped = False
        if following and following[0].kind == "SYMBOL" and following[0].text in ("=", "==", "!=", "≠"):
            flipped, offset = following[0].text in ("!=", "≠"), 1
        if len(following) > offset and following[offset].kind in ("TRUE", "FALSE", "NO"):
            self.place += offset + 1
            value = (following[offset].kind == "TRUE") != flipped
            self._state(meaning if value else negated(meaning, True))
            return True
        return False

    def _word(self, word: SentenceWord) -> None:
        lower = word.text.lower()
        match word.kind:
            case "NOT" | "NO" | "WITHOUT":
                self._name_unknown()
                self.negative = not self.negative
            case "OUTSIDE":
                self._name_unknown()
                self.negative, self.preposition = not self.negative, "outside"
            case "COMPARATOR" | "SYMBOL":
                self.people = (
                    self.people or lower.startswith("aged") or lower.endswith(("older than", "younger than"))
                )
                self._comparison(word)
            case "BETWEEN":
                self._between()
            case "TEXT_TEST":
                self._text_test(lower)
            case "IN_LIST":
                self._listed()
            case kind if kind in QUANTITIES:
                self._quantity(word)
            case kind if kind in LITERALS or (kind == "WORD" and "." in word.text.strip(".")):
                self._literal(bare(word.text), "")
            case "WORD":
                self._plain(word.text)
            case _:
                raise UnreadableError(f"“{word.text}” is in an unexpected place", word.text)

    def _plain(self, text: str) -> None:
        lower = text.lower().replace("’", "'")
        if lower == "aged":
            self.people = True
            return
        if lower in _PLACES or lower == "on":
            self.preposition = lower
        if self.position is Position.ACTION and lower in ("it", "them"):
            check_pronoun(self.lexicon, lower, self.parts)
        if self._unprefixed(lower):
            return
        filler = _FILLER | (ACTION_FILLER if self.position is Position.ACTION else frozenset[str]())
        if lower in filler or (lower == "own" and is_what_people_do(self._before())):
            return
        if self.lexicon.action() is None and stem(lower) in _ACCESS:
            return
        if lower in HOLDERS and self._follows_a_value():
            return
        self.unknown.append(text)

    def _done_to(self) -> frozenset[str]:
        """The object in the name of the one action named so far: “payment” after “send any”."""
        action = self.lexicon.action()
        if self.position is not Position.ACTION or action is None:
            return frozenset()
        listings = [listing for part in self.parts if (listing := value_listing(part)) is not None]
        named = [listing for listing in listings if listing.argument == action.name]
        if len(named) != 1 or named[0].negated or len(named[0].values) != 1:
            return frozenset()
        return key(" ".join(split_words(named[0].values[0])[1:]))

    def _adds_nothing(self, word: str) -> bool:
        """Whether a word is already covered by what is stated, and is not needed to name an action."""
        action = self.lexicon.action()
        unnamed = action is not None and action.name not in names(*self.parts)
        needed = self.position is Position.ACTION and unnamed and is_object(self.lexicon, word)
        forms = {
            stem(word.lower()),
            stem(f"{word.lower()}ly"),
        }  # “explicit” for “explicitly” in a description
        return bool(forms & self.related) and not needed

    def _follows_a_value(self) -> bool:
        """Whether the word before is a value of an enum that is no action: “support” in “support teams”."""
        before = self.items[self.place - 2] if self.place > 1 else None
        action = self.lexicon.action()
        if not isinstance(before, KnownWords) or isinstance(before.meaning, Reference):
            return False
        listing = value_listing(before.meaning)
        return listing is not None and (action is None or listing.argument != action.name)

    def _before(self) -> list[str]:
        return [word for item in self.items[: self.place - 1] for word in texts_of(item)]

    def _around(self) -> list[str]:
        """The words of the phrase."""
        return [word for item in self.items for word in texts_of(item)]

    def _unprefixed(self, word: str) -> bool:
        """Read “unvaccinated” as a boolean argument with a negating prefix."""
        for prefix in PREFIXES:
            unprefixed = word.removeprefix(prefix).lstrip("-")
            if unprefixed == word or len(unprefixed) < 4:
                continue
            truths = [
                meaning
                for meaning in self.lexicon.meanings(key(unprefixed))
                if not isinstance(meaning, Reference) and is_truth(meaning)
            ]
            if len(truths) == 1:
                self._name_unknown()
                self._state(negated(truths[0], True))
                return True
        return False

    def _name_unknown(self) -> None:
        if not self.unknown:
            return
        if not {word.lower() for word in self.unknown} & UNSPECIFIC:
            self.unknown = [word for word in self.unknown if not self._adds_nothing(word)]
        self.unknown = [word for word in self.unknown if stem(word.lower()) not in self._done_to()]
        if self.parts and self.position is Position.ACTION and has_money(self.lexicon):
            self.unknown = [word for word in self.unknown if word.lower() not in ("money", "funds")]
        if self.position is not Position.ACTION:
            held = {
                stem(word)
                for argument in self.lexicon.records_and_lists
                for word in split_words(argument.name)
            }
            idle = held - self.counted
            self.unknown = [word for word in self.unknown if stem(word.lower()) not in idle]
        if not self.unknown:
            return
        text = " ".join(self.unknown)
        action = self.lexicon.action()
        if self.position is Position.ACTION and action is not None and action.name not in names(*self.parts):
            objects = self.lexicon.objects(key(text))
            if objects:
                self.unknown.clear()
                self._state(among(action, *objects))
                return
        meaning = self.near_miss(text, self.denying, self.position)
        if meaning is None:
            is_known_object = is_object(self.lexicon, text)
            why = f"it does not say what is done to “{text}”" if is_known_object else UNKNOWN.format(text)
            raise UnreadableError(why, text, "undefined")
        self.unknown.clear()
        self._state(meaning)


def _is_truth(meaning: Meaning) -> bool:
    return not isinstance(meaning, Reference) and is_truth(meaning)
