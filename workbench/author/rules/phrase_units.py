"""A phrase without "and" or "or": word by word to conditions that all hold together."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import time

from workbench.author.rules.binding import (
    UnreadableError,
    compare,
    has_money,
    literal_test,
    negated,
    unit_argument,
    words_of,
)
from workbench.author.rules.conditions import (
    Among,
    Condition,
    Present,
    Truth,
    all_of,
    any_of,
    atoms,
    names,
)
from workbench.author.rules.guards import (
    check_actor,
    check_belongs,
    check_generic,
    check_pronoun,
    check_role,
    check_values,
    is_possessed,
)
from workbench.author.rules.lexicon import Lexicon, Meaning, Reference, key
from workbench.author.rules.measures import check_measure
from workbench.author.rules.phrase_items import (
    WORDS,
    Item,
    Known,
    NearMiss,
    Position,
    bare,
    stems_of,
    texts_of,
)
from workbench.author.rules.quantities import QUANTITIES, read_comparator, read_quantity
from workbench.author.rules.sentences import Word
from workbench.author.rules.words import (
    ACTION_FILLER,
    ARTICLES,
    LIGHT,
    PEOPLE,
    UNSPECIFIC,
    stem,
    word_set,
)
from workbench.model import Argument, Kind

_LITERALS = frozenset(["QUOTED", "CODE", "ADDRESS", "PATH"])
_ACCESS = frozenset(
    map(stem, word_set("read access see view query look use retrieve fetch get open inspect"))
)
_PLACES = frozenset(["in", "within", "inside", "into", "to", "from"])
_FILLER = ARTICLES | PEOPLE | LIGHT | _PLACES
PREFIXES = ("un", "non", "in")


@dataclass(slots=True)
class Unit:
    """One phrase without "and" or "or": its parts all hold together."""

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
    parts: list[Condition] = field(default_factory=list[Condition])
    references: list[str] = field(default_factory=list[str])
    unknown: list[str] = field(default_factory=list[str])
    related: frozenset[str] = frozenset()

    def read(self, *, dangling: bool = False) -> Condition:
        """What the phrase states; raises UnreadableError where a word stays unaccounted for.

        With ``dangling`` it may end with an argument of which the next phrase says the value.
        """
        self.related = self._related()
        while self.place < len(self.items):
            item = self.items[self.place]
            self.place += 1
            if isinstance(item, Known):
                self._known(item)
            else:
                self._word(item)
        self._name_unknown()
        if self.negative:
            raise UnreadableError("“not” has nothing to negate")
        self._name_action()
        condition = all_of(*self.parts)
        check_values(condition)
        used = set(names(condition))
        for name in self.references:
            if name not in used and not dangling:
                raise UnreadableError(f"it names {name} without saying which value", name, "reference")
        return condition

    def _related(self) -> frozenset[str]:
        """Words that the descriptions of the stated arguments use: “orders” beside a status of the order."""
        stated = {name for item in self.items if isinstance(item, Known) for name in _arguments(item.meaning)}
        return frozenset[str]().union(*(words_of(self.lexicon.argument(name)) for name in stated))

    def _name_action(self) -> None:
        """Read “commands containing x” as an action: its object belongs to one action only."""
        action = self.lexicon.action()
        if self.position is not Position.ACTION or action is None or action.name in names(*self.parts):
            return
        words = [item.text if isinstance(item, Word) else " ".join(item.words) for item in self.items[:1]]
        for value in self.lexicon.objects(key(words[0])) if words else ():
            self.parts.insert(0, Among(action.name, (value,)))

    def _state(self, condition: Condition) -> None:
        self.parts.append(negated(condition, self.negative))
        self.negative = False

    def _known(self, item: Known) -> None:
        beside = [word for item_ in self.items[self.place : self.place + 1] for word in texts_of(item_)]
        check_generic(self.lexicon, item.meaning, item.words, (*self._before()[-1:], *beside), self.reference)
        check_actor(self.lexicon, item.meaning, item.words, self._around())
        if self.position is Position.ACTION:
            check_role(self.lexicon, item.meaning, self._before())
        if (
            isinstance(item.meaning, Truth)
            and self.unknown
            and {w.lower() for w in self.unknown} <= UNSPECIFIC
        ):
            # "certain countries", where the agent only knows whether it is the user's own.
            self.unknown.extend(item.words)
            self._name_unknown()
            return
        self._name_unknown()
        meaning = item.meaning
        if isinstance(meaning, Reference):
            argument = self.lexicon.argument(meaning.argument)
            if self.negative and argument.type.optional:
                self._state(Present(meaning.argument))
                return
            self.reference = meaning.argument
            self.references.append(meaning.argument)
            return
        if isinstance(meaning, Truth) and self._truth_value(meaning):
            return
        self._state(meaning)

    def _truth_value(self, meaning: Truth) -> bool:
        """``vaccine == false``: the comparison of a boolean with a truth value."""
        following = [item for item in self.items[self.place : self.place + 2] if isinstance(item, Word)]
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

    def _word(self, word: Word) -> None:
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
            case kind if kind in _LITERALS or (kind == "WORD" and "." in word.text.strip(".")):
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
        if lower in _PLACES:
            self.preposition = lower
        if self.position is Position.ACTION and lower in ("it", "them"):
            check_pronoun(self.lexicon, lower, self.parts)
        if self._unprefixed(lower):
            return
        filler = _FILLER | (ACTION_FILLER if self.position is Position.ACTION else frozenset[str]())
        if lower in filler or (lower == "own" and not is_possessed(self._before())):
            return
        if self.lexicon.action() is None and stem(lower) in _ACCESS:
            return
        self.unknown.append(text)

    def _before(self) -> list[str]:
        return [word for item in self.items[: self.place - 1] for word in texts_of(item)]

    def _around(self) -> list[str]:
        """The words of the phrase."""
        return [word for item in self.items for word in texts_of(item)]

    def _unprefixed(self, word: str) -> bool:
        """Read “unvaccinated”: a boolean argument behind a negating prefix."""
        for prefix in PREFIXES:
            rest = word.removeprefix(prefix).lstrip("-")
            if rest == word or len(rest) < 4:
                continue
            truths = [meaning for meaning in self.lexicon.meanings(key(rest)) if isinstance(meaning, Truth)]
            if len(truths) == 1:
                self._name_unknown()
                self._state(negated(truths[0], True))
                return True
        return False

    def _name_unknown(self) -> None:
        if not self.unknown:
            return
        if not {word.lower() for word in self.unknown} & UNSPECIFIC:
            self.unknown = [word for word in self.unknown if stem(word.lower()) not in self.related]
        if self.parts and self.position is Position.ACTION and has_money(self.lexicon):
            self.unknown = [word for word in self.unknown if word.lower() not in ("money", "funds")]
        if not self.unknown:
            return
        text = " ".join(self.unknown)
        if self.position is Position.ACTION and not self.parts:
            objects = self.lexicon.objects(key(text))
            action = self.lexicon.action()
            if action is not None and objects:
                self.unknown.clear()
                self._state(Among(action.name, objects))
                return
        meaning = self.near_miss(text, self.denying, self.position)
        if meaning is None:
            raise UnreadableError(f"“{text}” is nothing that the agent spec knows", text, "undefined")
        self.unknown.clear()
        self._state(meaning)

    def _next(self) -> Item | None:
        item = self.items[self.place] if self.place < len(self.items) else None
        self.place += item is not None
        return item

    def _comparison(self, word: Word) -> None:
        if self.reference is None and self.unknown:
            nouns = frozenset(stem(each.lower()) for each in self.unknown)
            if (argument := unit_argument(self.lexicon, nouns)) is not None:
                self.unknown.clear()
                self.reference = argument.name
        self._name_unknown()
        operator, open_word = read_comparator(word.text)
        item = self._next()
        if isinstance(item, Known):
            self._equality(operator, item)
            return
        quantity = read_quantity(item) if item is not None else None
        if quantity is not None:
            reference = self._unit_noun()
            self._state(compare(self.lexicon, reference, operator, quantity, open_word, self.people))
        elif item is not None and (item.kind in _LITERALS or item.kind == "WORD"):
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

    def _equality(self, operator: str, item: Known) -> None:
        if operator not in ("==", "!=") or isinstance(item.meaning, Reference):
            raise UnreadableError(f"it compares with “{' '.join(item.words)}”", " ".join(item.words))
        if self.reference and names(item.meaning) != (self.reference,):
            raise UnreadableError(
                f"“{' '.join(item.words)}” is no value of {self.reference}", kind="undefined"
            )
        self._state(negated(item.meaning, operator == "!="))

    def _unit_noun(self) -> str | None:
        """The argument that the noun behind a number names, with what the noun is of taken along."""
        place = self.place
        item = self.items[place] if place < len(self.items) else None
        found = stems_of(item)
        argument = unit_argument(self.lexicon, found) if found else None
        if self.reference is not None:
            known = self.lexicon.argument(self.reference)
            if found and found <= words_of(known):
                self.place += 1
                self._take_ago(known)
            else:
                check_measure(self.lexicon, self.reference, found)
            return self.reference
        if argument is None:
            check_measure(self.lexicon, None, found)
            return None
        if self.position is Position.ACTION and not found <= words_of(argument, described=False):
            check_belongs(self.lexicon, argument, self._around())
        self.place += 1
        joint = self._peek(0)
        if (
            not self._take_ago(argument)
            and isinstance(joint, Word)
            and joint.text.lower() in ("of", "after", "since", "from", "before")
        ):
            offset = 1
            while isinstance(item := self._peek(offset), Word) and item.text.lower() in ARTICLES:
                offset += 1
            following = stems_of(self._peek(offset))
            if following and following <= words_of(argument):
                self.place += offset + 1
        return argument.name

    def _take_ago(self, argument: Argument) -> bool:
        """Take “ago” along behind the unit of an argument that counts since something."""
        joint = self._peek(0)
        taken = (
            isinstance(joint, Word) and joint.text.lower() == "ago" and stem("since") in words_of(argument)
        )
        self.place += taken
        return taken

    def _peek(self, offset: int) -> Item | None:
        place = self.place + offset
        return self.items[place] if place < len(self.items) else None

    def _quantity(self, word: Word) -> None:
        quantity = read_quantity(word)
        reference = self._unit_noun()
        following = self.items[self.place] if self.place < len(self.items) else None
        if (
            quantity is None
            or not isinstance(following, Word)
            or following.kind not in ("OR_MORE", "OR_LESS")
        ):
            raise UnreadableError(f"it does not say how “{word.text}” bounds anything", word.text)
        self.place += 1
        operator = ">=" if following.kind == "OR_MORE" else "<="
        self._state(compare(self.lexicon, reference, operator, quantity, "", self.people))

    def _between(self) -> None:
        self._name_unknown()
        taken = [self._next() for _ in range(3)]
        low, joint, high = taken
        if not (isinstance(low, Word) and isinstance(joint, Word) and isinstance(high, Word)):
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
            texts = [each for each in self.lexicon.of_kind(Kind.STR) if nouns <= words_of(each)]
            if len(texts) == 1:
                self.unknown.clear()
                self.reference = texts[0].name
        self._name_unknown()
        test = "startswith" if words[0] in "sb" else "contains" if words[0] == "c" else "endswith"
        item = self._next()
        if not isinstance(item, Word) or item.kind not in WORDS:
            raise UnreadableError(f"“{words}” is not followed by a text", words)
        self._literal(bare(item.text), test)

    def _literal(self, text: str, test: str) -> None:
        self._name_unknown()
        lexicon = self.lexicon
        if test == "equal" and self.reference:
            argument = lexicon.argument(self.reference)
            if text in argument.type.values or argument.type.kind.value == "str":
                self._state(Among(argument.name, (text,)))
                return
        words = frozenset(stem(word) for item in self.items if isinstance(item, Known) for word in item.words)
        test = "" if test == "equal" else test
        self._state(literal_test(lexicon, self.reference, text, test, self.preposition, words))

    def _listed(self) -> None:
        values: list[str] = []
        item = self._next()
        while isinstance(item := self._next(), Word | Known):
            if isinstance(item, Word) and item.kind == "RBRACE":
                break
            if isinstance(item, Known):
                values.extend(
                    value for atom in _atoms(item.meaning) if isinstance(atom, Among) for value in atom.values
                )
            elif item.kind in WORDS:
                values.append(bare(item.text))
        if not self.reference or not values:
            raise UnreadableError("it is open which argument the listed values belong to")
        argument = self.lexicon.argument(self.reference)
        if argument.type.kind.value == "enum" and not set(values) <= set(argument.type.values):
            raise UnreadableError(
                f"one of the listed values is no value of {argument.name}", kind="undefined"
            )
        self._state(Among(argument.name, tuple(values)))


def _arguments(meaning: Meaning) -> tuple[str, ...]:
    return (meaning.argument,) if isinstance(meaning, Reference) else names(meaning)


def _atoms(meaning: Meaning) -> tuple[Condition, ...]:
    return () if isinstance(meaning, Reference) else tuple(atoms(meaning))
