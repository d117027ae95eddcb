"""Facts that a person names with values: an earlier call, what such calls named, what the user said.

“run_shell with command npm test and exit code 0 came after the last write_files”, “path of earlier
write_files with mode create”, “the user said close or delete”.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.author.rules.words import split_words, stem
from workbench.clarify.named_things import ERRORS
from workbench.clarify.sayable_facts import FactSource, SayableFact
from workbench.clarify.told_values import ToldValue
from workbench.model import Argument, ArgumentType, Extraction, Json, Kind
from workbench.runs.extract.propose import free_name, name_of

_EVENT = re.compile(
    r"(?P<tool>\w+)(?: with (?P<where>.+?))? came (?:before in the run|after the last (?P<since>\w+))", re.I
)
_EARLIER = re.compile(r"(?:each )?(?P<what>.+?) of earlier (?P<tool>\w+) with (?P<where>.+)", re.I)
_SAID = re.compile(r"the user said (?P<words>.+)", re.I)
_FLAGS = {"yes": True, "true": True, "no": False, "false": False}


@dataclass(frozen=True, slots=True)
class ToldEvents:
    """Reads what a person says of earlier calls; ``called`` and ``returned`` are the values of each tool."""

    called: Mapping[str, Sequence[ToldValue]]
    returned: Mapping[str, Sequence[ToldValue]]
    taken: frozenset[str]

    def fact(self, said: str) -> SayableFact | None:
        """The fact that the words name; None where they name none."""
        for form, reads in ((_EVENT, self._event), (_EARLIER, self._earlier), (_SAID, self._user_said)):
            if (found := form.fullmatch(said.strip())) is not None:
                return reads(said.strip(), found)
        return None

    def _event(self, said: str, found: re.Match[str]) -> SayableFact | None:
        tool, since = self._tool(found["tool"]), self._tool(found["since"] or "")
        where = self._where(tool, found["where"] or "")
        if not tool or where is None or (found["since"] and not since):
            return None
        options: dict[str, Json] = {"operation": "ever", "of": [tool], "errors": [ERRORS]}
        if where:
            options["where"] = where
        if since:
            options["since"] = {"tool": since}
        options["outcome"] = "successful"
        return self._made(
            said, (tool, "came", *([since] if since else [])), Kind.BOOL, Extraction("history", options)
        )

    def _earlier(self, said: str, found: re.Match[str]) -> SayableFact | None:
        tool = self._tool(found["tool"])
        leaf = next((one for one in self.called.get(tool, ()) if _same(one.words, found["what"])), None)
        if leaf is None:
            return None
        where = self._where(tool, found["where"], leaf)
        if where is None:
            return None
        options: dict[str, Json] = {
            "operation": "values",
            "path": {tool: leaf.written("$.arguments")},
            "where": where,
            "outcome": "successful",
            "errors": [ERRORS],
        }
        return self._made(said, (tool, leaf.words, "earlier"), Kind.SET, Extraction("history", options))

    def _user_said(self, said: str, found: re.Match[str]) -> SayableFact | None:
        words = [part.strip(" “”\"'") for part in re.split(r",|\bor\b", found["words"])]
        pattern = "|".join(rf"\b{re.escape(word)}" for word in words if word)
        options: dict[str, Json] = {"pattern": pattern, "text": "all_user", "ignore_case": True}
        return self._made(said, ("user", "said", *words), Kind.SET, Extraction("regex", options))

    def _tool(self, name: str) -> str:
        return next((tool for tool in self.called if _same(tool, name)), "")

    def _where(self, tool: str, said: str, beside: ToldValue | None = None) -> dict[str, Json] | None:
        """The values that calls have to have: “command npm test or npx vitest run and exit code 0”."""
        found: dict[str, Json] = {}
        for part in re.split(r"\s+and\s+", said) if said else ():
            place = self._place(tool, part, beside)
            if place is None:
                return None
            path, kind, rest = place
            values = [_typed(text.strip(" “”\"'"), kind) for text in re.split(r"\s+or\s+|\s*,\s*", rest)]
            if any(value is None for value in values):
                return None
            found[path] = values
        return found

    def _place(self, tool: str, part: str, beside: ToldValue | None) -> tuple[str, Kind, str] | None:
        """The path that a part of such a text begins with, the kind of value there, and the rest of it."""
        for root, leaves in (("$.arguments", self.called), ("$.result", self.returned)):
            for leaf in sorted(leaves.get(tool, ()), key=lambda one: -len(one.words)):
                if not part.lower().startswith(f"{leaf.words.lower()} "):
                    name = leaf.path[-1].replace("_", " ").lower()
                    if (
                        beside is None
                        or leaf.path[:-1] != beside.path[:-1]
                        or not part.lower().startswith(f"{name} ")
                    ):
                        continue
                    return f".{leaf.path[-1]}", leaf.type.kind, part[len(name) :]
                return leaf.written(root), leaf.type.kind, part[len(leaf.words) :].removeprefix(" is")
        return None

    def _made(self, said: str, parts: Sequence[str], kind: Kind, source: Extraction) -> SayableFact:
        name = free_name(name_of((*parts,))[:60].strip("_"), set(self.taken))
        words = frozenset(stem(word) for word in split_words(said))
        argument = Argument(name, ArgumentType(kind), said, source)
        return SayableFact(said, FactSource.EARLIER_CALL, argument, (), words)


def _same(one: str, other: str) -> bool:
    return split_words(one) == split_words(other)


def _typed(text: str, kind: Kind) -> Json:
    if kind is Kind.BOOL:
        return _FLAGS.get(text.lower())
    if kind is Kind.INT:
        return int(text) if re.fullmatch(r"-?\d+", text) else None
    return text or None
