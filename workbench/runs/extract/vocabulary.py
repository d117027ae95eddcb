"""Method ``vocabulary``: words of a closed list that appear in a text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workbench.likeness import likeness
from workbench.model import AgentSpec, Argument, Kind, Provenance, RecordedCall
from workbench.runs.extract.options import Options
from workbench.runs.extract.text_region import RegionOptions, TextRegion
from workbench.runs.values.found_value import FoundValue, Method, Missing

_WORD = re.compile(r"\w+")
_MAX_WORDS = 400


def vocabulary(argument: Argument, spec: AgentSpec, options: Options) -> Method:
    """Find words of the argument's type, of a named vocabulary, or of a list, with their synonyms.

    Exact words are taken first, in any case and with ``_`` for a space. Otherwise the most similar word is
    taken, if its likeness (0 to 100) is at least ``cutoff``; the likeness becomes the confidence. If an
    argument of a single value gets two different words, it is missing.
    """
    regions = RegionOptions(options)
    forms = _forms(argument, spec, options)
    cutoff = options.number("cutoff")
    many = argument.type.kind is Kind.SET
    pattern = re.compile(
        r"(?<!\w)(?:" + "|".join(_loose(form) for form in sorted(forms, key=len, reverse=True)) + r")(?!\w)",
        re.IGNORECASE,
    )

    def extract(call: RecordedCall, _history: Sequence[RecordedCall]) -> FoundValue:
        region = regions.of(call)
        places: dict[str, list[Provenance]] = {}
        for match in pattern.finditer(region.text):
            word = forms[_folded(match.group())]
            places.setdefault(word, []).append(region.provenance("vocabulary", *match.span()))
        if not places:
            word, provenance = _nearest(region, forms, cutoff)
            places = {word: [provenance]}
        if many:
            items = {word: tuple(entries) for word, entries in places.items()}
            return FoundValue(
                list(items), tuple(entry for entries in items.values() for entry in entries), items
            )
        if len(places) > 1:
            raise Missing(f"{region.name} names both {' and '.join(sorted(places)[:2])}")
        ((word, entries),) = places.items()
        return FoundValue(word, tuple(entries))

    return extract


def _forms(argument: Argument, spec: AgentSpec, options: Options) -> dict[str, str]:
    """Every spelling of a word, folded, with the word itself."""
    name = options.text("vocabulary")
    words = options.texts("words") or (spec.vocabulary.get(name, ()) if name else argument.type.values)
    if not words:
        raise options.error(
            "there are no words: give words, or vocabulary with the name of one of the agent's"
        )
    forms: dict[str, str] = {_folded(word): word for word in words}
    for word, synonyms in options.words("synonyms").items():
        if word not in words:
            raise options.error(f"the synonyms are for {word!r}, which is not one of the words")
        forms.update({_folded(synonym): word for synonym in synonyms})
    for synonym, word in spec.synonyms.items():
        if word in words:
            forms.setdefault(_folded(synonym), word)
    return forms


def _folded(word: str) -> str:
    return " ".join(part.casefold() for part in _WORD.findall(word.replace("_", " ")))


def _loose(form: str) -> str:
    return r"[\s_-]+".join(re.escape(part) for part in form.split())


def _nearest(region: TextRegion, forms: dict[str, str], cutoff: float) -> tuple[str, Provenance]:
    """The word that some words of the region are most similar to; raises Missing below the cutoff."""
    words = list(_WORD.finditer(region.text))[:_MAX_WORDS]
    best: dict[str, tuple[float, int, int]] = {}
    for length in {len(form.split()) for form in forms}:
        for first, last in zip(words, words[length - 1 :], strict=False):
            part = _folded(region.text[first.start() : last.end()])
            for form, word in forms.items():
                score = likeness(part, form)
                if score >= cutoff and score > best.get(word, (0.0, 0, 0))[0]:
                    best[word] = (score, first.start(), last.end())
    if not best:
        raise Missing(f"{region.name} has none of the words {', '.join(sorted(set(forms.values()))[:8])}")
    ranked = sorted(best.items(), key=lambda entry: -entry[1][0])
    if len(ranked) > 1 and ranked[0][1][0] == ranked[1][1][0]:
        raise Missing(f"{region.name} is as near to {ranked[0][0]} as to {ranked[1][0]}")
    word, (score, start, end) = ranked[0]
    return word, region.provenance("vocabulary", start, end, score / 100)
