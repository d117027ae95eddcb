"""Method ``phrases``: put free text into one of several categories, by the words of each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.extract.found import Found, Method, Missing
from workbench.extract.options import Options
from workbench.extract.regions import Region, RegionOptions
from workbench.model import AgentSpec, Argument, Provenance, Step

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_MAX_WORDS = 5000
_ENDINGS = ("ings", "ing", "ies", "ed", "es", "s")

type Token = tuple[str, int, int]


def phrases(argument: Argument, _spec: AgentSpec, options: Options) -> Method:
    """The category whose phrases weigh most in the text.

    ``categories`` maps a category to phrases. A phrase is words in this order, with at most
    ``gap`` others between two of them; a word also matches its plural and verb forms. A longer
    phrase weighs more. The confidence is the winner's share of all weight; below ``confidence``
    the answer is no category but cannot-evaluate. ``otherwise`` names the category of a text
    without any phrase.
    """
    regions = RegionOptions(options, ("agent_input", "user"))
    given = options.words("categories")
    if not given:
        raise options.error("categories are needed")
    categories = {name: [_stems(phrase) for phrase in phrases_] for name, phrases_ in given.items()}
    otherwise = options.text("otherwise")
    for name in (*categories, *([otherwise] if otherwise else [])):
        if argument.type.values and name not in argument.type.values:
            raise options.error(f"{name!r} is none of the argument's values")
    gap = int(options.number("gap", 2))

    def extract(step: Step, _history: Sequence[Step]) -> Found:
        region = regions.of(step)
        tokens = _tokens(region.text)
        scores: dict[str, tuple[float, list[tuple[int, int]]]] = {}
        for name, patterns in categories.items():
            places = [place for pattern in patterns for place in _find(tokens, pattern, gap)]
            weight = sum(place[2] for place in places)
            if weight:
                scores[name] = (weight, [(start, end) for start, end, _ in places])
        return _winner(region, scores, otherwise)

    return extract


def _winner(region: Region, scores: dict[str, tuple[float, list[tuple[int, int]]]], otherwise: str) -> Found:
    if not scores:
        if otherwise:
            return Found(otherwise, (Provenance("phrases", region.name),))
        raise Missing(f"{region.name} has no phrase of any category")
    ranked = sorted(scores.items(), key=lambda entry: -entry[1][0])
    name, (weight, places) = ranked[0]
    if len(ranked) > 1 and ranked[1][1][0] == weight:
        raise Missing(f"{region.name} fits {name} as well as {ranked[1][0]}")
    confidence = weight / sum(score for score, _ in scores.values())
    spans = tuple(region.span(start, end) for start, end in sorted(set(places)))
    return Found(name, (Provenance("phrases", region.name, spans, confidence),))


def _stem(word: str) -> str:
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


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    for match in _WORD.finditer(text):
        tokens.append((_stem(match.group()), match.start(), match.end()))
        if len(tokens) >= _MAX_WORDS:
            break
    return tokens


def _find(tokens: list[Token], pattern: tuple[str, ...], gap: int) -> list[tuple[int, int, float]]:
    """The places of a phrase with its weight, which grows with its words and shrinks with gaps."""
    found: list[tuple[int, int, float]] = []
    for index, (stem, start, _) in enumerate(tokens):
        if not pattern or stem != pattern[0]:
            continue
        position, skipped = index, 0
        for wanted in pattern[1:]:
            window = range(position + 1, min(len(tokens), position + gap + 2))
            after = next((place for place in window if tokens[place][0] == wanted), None)
            if after is None:
                break
            skipped += after - position - 1
            position = after
        else:
            weight = len(pattern) ** 2 / (1 + 0.25 * skipped)
            found.append((start, tokens[position][2], weight))
    return found
