"""Regular languages of texts with complement, and the shortest text of one, or that it has none.

A language is a number; the languages after its first characters (Brzozowski's derivatives) are finitely many,
so all of them are looked at.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NewType

Language = NewType("Language", int)

_MOST = 300_000
"""The steps from a language to what follows a sign that are looked at: about two seconds."""
_FRESH = "xyzabcdefghijklmnopqrstuvw0123456789\ue000"


class TooMany(Exception):
    """Raised where more languages would be looked at than there is time for."""


@dataclass(frozen=True, slots=True)
class _Form:
    """What a language is made of: others, or the characters (``but`` all others) of its texts."""

    kind: str
    inner: tuple[Language, ...] = ()
    signs: frozenset[str] = frozenset()
    but: bool = False


class Languages:
    """Makes languages, each once."""

    def __init__(self) -> None:
        """Begin with the language of no text and that of every text."""
        self._forms: list[_Form] = []
        self._ids: dict[_Form, Language] = {}
        self._has_empty: list[bool] = []
        self._signs: set[str] = set()
        self._after: dict[tuple[Language, str], Language] = {}
        self.none = self._made(_Form("none"), empty=False)
        self.all = self._made(_Form("not", (self.none,)), empty=True)
        self.empty = self._made(_Form("empty"), empty=True)

    def _made(self, form: _Form, *, empty: bool) -> Language:
        if form not in self._ids:
            self._ids[form] = Language(len(self._forms))
            self._forms.append(form)
            self._has_empty.append(empty)
        return self._ids[form]

    def sign(self, signs: str, *, but: bool = False) -> Language:
        """The texts of one of these characters, or of one of all others."""
        self._signs.update(signs)
        return self._made(_Form("sign", signs=frozenset(signs), but=but), empty=False)

    def literal(self, text: str) -> Language:
        """The language of one text."""
        return self.joined(*map(self.sign, text))

    def joined(self, *languages: Language) -> Language:
        """Texts of each language, one after the other."""
        found = self.empty
        for language in reversed(languages):
            found = self._pair(language, found)
        return found

    def _pair(self, one: Language, other: Language) -> Language:
        if self.none in (one, other) or one == self.empty:
            return self.none if self.none in (one, other) else other
        if other == self.empty:
            return one
        form = self._forms[one]
        if form.kind == "joined":
            first, second = form.inner
            return self._pair(first, self._pair(second, other))
        return self._made(
            _Form("joined", (one, other)), empty=self._has_empty[one] and self._has_empty[other]
        )

    def repeated(self, language: Language) -> Language:
        """Any number of texts, one after the other."""
        return self._made(_Form("repeated", (language,)), empty=True)

    def any_of(self, languages: Iterable[Language]) -> Language:
        """The texts of any language."""
        found: set[Language] = set()
        for language in languages:
            form = self._forms[language]
            found.update(form.inner if form.kind == "any" else (language,))
        found.discard(self.none)
        if self.all in found:
            return self.all
        if len(found) < 2:
            return next(iter(found), self.none)
        return self._made(
            _Form("any", tuple(sorted(found))), empty=any(self._has_empty[one] for one in found)
        )

    def without(self, language: Language) -> Language:
        """All other texts."""
        form = self._forms[language]
        if form.kind == "not":
            return form.inner[0]
        return self._made(_Form("not", (language,)), empty=not self._has_empty[language])

    def all_of(self, languages: Iterable[Language]) -> Language:
        """The texts of every language."""
        return self.without(self.any_of(map(self.without, languages)))

    def shortest(self, language: Language) -> str | None:
        """The shortest text, None if there is none. Raises TooMany where that takes too long."""
        fresh = next(sign for sign in _FRESH if sign not in self._signs)
        alphabet = [fresh, *sorted(self._signs)]
        seen = {language}
        waiting = [(language, "")]
        for reached, text in waiting:
            if self._has_empty[reached]:
                return text
            for sign in alphabet:
                following = self._following(reached, sign)
                if following != self.none and following not in seen:
                    seen.add(following)
                    waiting.append((following, text + sign))
        return None

    def has(self, language: Language, text: str) -> bool:
        """Whether a text is one of a language."""
        for sign in text:
            language = self._following(language, sign)
        return self._has_empty[language]

    def _following(self, language: Language, sign: str) -> Language:
        """What may follow the sign in texts of the language."""
        key = language, sign
        if key not in self._after:
            if len(self._after) >= _MOST:
                raise TooMany
            self._after[key] = self._derived(language, sign)
        return self._after[key]

    def _derived(self, language: Language, sign: str) -> Language:
        form = self._forms[language]
        following = [self._following(one, sign) for one in form.inner]
        match form.kind:
            case "sign":
                return self.empty if (sign in form.signs) is not form.but else self.none
            case "joined":
                one, other = form.inner
                found = self._pair(following[0], other)
                return self.any_of((found, following[1])) if self._has_empty[one] else found
            case "repeated":
                return self._pair(following[0], language)
            case "any":
                return self.any_of(following)
            case "not":
                return self.without(following[0])
            case _:
                return self.none
