"""The reading ``phrases``: put free text into one of several categories, by the words of each."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterable, Iterator, Mapping, Sequence

from workbench.model import Demonstration, Provenance, TextReading
from workbench.runs.extract.options import Options
from workbench.runs.extract.text_region import ReadsRegion, RegionOptions, TextRegion
from workbench.runs.extract.value_examples import TaughtExample, demonstrated
from workbench.runs.values.found_value import FoundValue, Missing

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_MAX_WORDS = 5000
_ENDINGS = ("ings", "ing", "ies", "ed", "es", "s")

type Token = tuple[str, int, int]
# The places of the words of a phrase among a text's words, and its weight.
type Place = tuple[tuple[int, ...], float]
type Patterns = tuple[tuple[str, ...], ...]
# The places of each word in a text, in order.
type PlacesOf = Mapping[str, Sequence[int]]


def phrases(reading: TextReading, options: Options, memory: Sequence[Demonstration] | None) -> ReadsRegion:
    """The category whose phrases weigh most in the text; no value if the text has no listed phrase.

    ``categories`` maps a category to phrases. A phrase is words in this order, with at most ``gap`` other
    words between two of them; a word also matches its plural and verb forms. A longer phrase weighs more. The
    confidence is the winner's share of all weight. Below ``confidence`` the answer is cannot-evaluate.
    ``needs`` maps a category to further phrases, one of which the text must have too. ``ignored`` are phrases
    whose words do not indicate a category.

    ``otherwise`` names the category of a text without any phrase; with ``harmless`` only if each of its words
    is a harmless one. Without ``harmless`` every text that no phrase covers gets it.

    With ``memory = true`` a text that the lists put into no category, or not surely into one, gets the
    category of the enabled demonstration that has all its words and the fewest others.
    """
    lists = _Lists(reading, options)
    regions = RegionOptions(options)
    taught = [
        (example, lists.stems_of(example.text))
        for example in demonstrated(reading, regions, memory or () if options.flag("memory") else ())
    ]
    sure = options.number("confidence")

    def read(text: TextRegion) -> FoundValue:
        region = regions.of(text)
        tokens = _tokens(region)
        try:
            by_lists = lists.category(region, tokens)
        except Missing as missing:
            by_lists = missing
        if isinstance(by_lists, FoundValue) and by_lists.provenance[0].confidence >= sure:
            return by_lists
        if (example := _demonstration(lists, {stem for stem, _, _ in tokens}, taught)) is not None:
            method = f"phrases (demonstration {example.source})"
            return FoundValue(example.value, (region.provenance(method, 0, len(region.text)),))
        if isinstance(by_lists, Missing):
            raise by_lists
        return by_lists

    return read


def _demonstration(
    lists: _Lists, stems: set[str], taught: Sequence[tuple[TaughtExample, frozenset[str]]]
) -> TaughtExample | None:
    """The example that has all words of a text and the fewest others.

    None if there is none, or if the values of two differ.
    """
    fitting = [
        (len(example_stems - stems), example)
        for example, example_stems in taught
        if lists.says_no_more(stems, example_stems)
    ]
    fewest = min((count for count, _ in fitting), default=0)
    near = [example for count, example in fitting if count == fewest]
    return near[0] if len({example.value for example in near}) == 1 else None


class _Lists:
    """The lists of phrases of one reading."""

    def __init__(self, reading: TextReading, options: Options) -> None:
        """Read the options; raises WorkbenchError for a category that is not a value of the reading."""
        phrases_by_category = options.words("categories")
        needs = options.words("needs")
        self._otherwise = options.text("otherwise")
        named = (*phrases_by_category, *needs, *([self._otherwise] if self._otherwise else []))
        for name in named:
            if reading.type.values and name not in reading.type.values:
                raise options.error(f"{name!r} is none of the reading's values")
        for name in needs:
            if name not in phrases_by_category:
                raise options.error(f"needs has {name!r}, which has no phrases in categories")
        if options.has("harmless") and not self._otherwise:
            raise options.error("harmless needs otherwise, the category of a harmless text")
        self._gap = int(options.number("gap"))
        self._categories = {
            name: _patterns(category_phrases) for name, category_phrases in phrases_by_category.items()
        }
        self._needs = {name: _patterns(category_phrases) for name, category_phrases in needs.items()}
        self._ignored = _patterns(options.texts("ignored"))
        self._closed = options.has("harmless")
        self._harmless = {stem for pattern in _patterns(options.texts("harmless")) for stem in pattern}

    def stems_of(self, text: str) -> frozenset[str]:
        """The stems of the words of a text, by which phrases are compared."""
        return frozenset(_stems(text))

    def says_no_more(self, stems: set[str], known_stems: frozenset[str]) -> bool:
        """Whether all these words are known, harmless or numbers."""
        return all(stem in known_stems or stem in self._harmless or stem.isdecimal() for stem in stems)

    def category(self, region: TextRegion, tokens: list[Token]) -> FoundValue:
        """The category of a text; raises Missing if it cannot be determined."""
        places_of = _places_of(tokens)
        # In "a flight, a flight simulator" the phrase consists of the words nearest to each other.
        nearest = {place[-1]: place for place, _ in sorted(self._find(places_of, self._ignored))}
        covered = [set(place) for place in nearest.values()]
        places_by_category: dict[str, list[Place]] = {}
        incomplete = ""
        for name, patterns in self._categories.items():
            places = self._find(places_of, patterns)
            places = [place for place in places if not any(set(place[0]) <= words for words in covered)]
            if places and name in self._needs and not self._find(places_of, self._needs[name]):
                incomplete = name
            elif places:
                places_by_category[name] = places
        if places_by_category:
            return _winner(region, tokens, places_by_category)
        if incomplete:
            raise Missing(f"{region.name} sounds like {incomplete}, but nothing known goes with it")
        self._check_harmless(region, tokens, set[int]().union(*covered))
        return FoundValue(self._otherwise, (Provenance("phrases", region.name),))

    def _check_harmless(self, region: TextRegion, tokens: list[Token], covered: set[int]) -> None:
        """Raise Missing for a text that is not certainly harmless."""
        if not self._otherwise or not tokens:
            raise Missing(f"{region.name} has no phrase of any category")
        if not self._closed:
            return
        for place, (stem, start, end) in enumerate(tokens):
            if stem not in self._harmless and not stem.isdecimal() and place not in covered:
                word = region.text[start:end]
                raise Missing(f"{region.name} has no phrase of any category, and {word!r} may mean anything")

    def _find(self, places_of: PlacesOf, patterns: Patterns) -> list[Place]:
        return [place for pattern in patterns for place in _places(places_of, pattern, self._gap)]


def _winner(
    region: TextRegion, tokens: list[Token], places_by_category: dict[str, list[Place]]
) -> FoundValue:
    scores = {name: sum(weight for _, weight in places) for name, places in places_by_category.items()}
    ranked = sorted(scores.items(), key=lambda entry: -entry[1])
    name, weight = ranked[0]
    if len(ranked) > 1 and ranked[1][1] == weight:
        raise Missing(f"{region.name} fits {name} as well as {ranked[1][0]}")
    places = {(tokens[place[0]][1], tokens[place[-1]][2]) for place, _ in places_by_category[name]}
    spans = tuple(region.span(start, end) for start, end in sorted(places))
    confidence = weight / sum(scores.values())
    return FoundValue(name, (Provenance("phrases", region.name, spans, confidence),))


def _stem(word: str) -> str:
    # It decides calls, so it cuts little and has no lists of irregular words.
    word = word.casefold()
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + ("y" if ending == "ies" else "")
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiousl":
        word = word[:-1]
    if len(word) <= 3:
        return word
    word = word.removesuffix("e")
    return word[:-1] + "i" if word.endswith("y") else word  # movie and movies, city and cities


def _stems(phrase: str) -> tuple[str, ...]:
    return tuple(_stem(match.group()) for match in _WORD.finditer(phrase))


def _patterns(phrases: Iterable[str]) -> Patterns:
    return tuple(_stems(phrase) for phrase in phrases)


def _tokens(region: TextRegion) -> list[Token]:
    """The words of a text; raises Missing if there are too many to look at all of them."""
    tokens: list[Token] = []
    for match in _WORD.finditer(region.text):
        if len(tokens) >= _MAX_WORDS:
            raise Missing(f"{region.name} has more than {_MAX_WORDS} words")
        tokens.append((_stem(match.group()), match.start(), match.end()))
    return tokens


def _places_of(tokens: list[Token]) -> PlacesOf:
    places_of: dict[str, list[int]] = {}
    for place, (stem, _, _) in enumerate(tokens):
        places_of.setdefault(stem, []).append(place)
    return places_of


def _places(places_of: PlacesOf, pattern: tuple[str, ...], gap: int) -> Iterator[Place]:
    """The places of a phrase with its weight, which grows with its words and shrinks with gaps."""
    for first in places_of.get(pattern[0], ()) if pattern else ():
        positions = [first]
        for pattern_word in pattern[1:]:
            places = places_of.get(pattern_word, ())
            after = bisect(places, positions[-1])
            if after == len(places) or places[after] > positions[-1] + gap + 1:
                break
            positions.append(places[after])
        else:
            skipped = positions[-1] - first + 1 - len(pattern)
            yield tuple(positions), len(pattern) ** 2 / (1 + 0.25 * skipped)
