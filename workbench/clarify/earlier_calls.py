"""Facts with values in their names: an earlier call, arguments of earlier calls, words of the user.

“run_shell with command npm test and exit code 0 came after the last write_files”, “path of earlier
write_files with mode create”, “the user said close or delete”.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.author.rules.words import have_same_words, split_words, stem
from workbench.clarify.condition_forms import Way, way, without_article
from workbench.clarify.counts_of_calls import counted_for_the_same
from workbench.clarify.named_things import ERRORS
from workbench.clarify.sayable_facts import FactSource, SayableFact
from workbench.clarify.tool_values import ToolValue
from workbench.model import Argument, ArgumentType, Extraction, Json, Kind
from workbench.policy.types import TEXTS
from workbench.runs.extract.propose import free_name, name_of, path_part

_FLAGS = {"yes": True, "true": True, "no": False, "false": False}


@dataclass(frozen=True, slots=True)
class EarlierCalls:
    """Reads facts about earlier calls; ``called`` and ``returned`` are the values of each tool.

    ``taken_names`` are the argument names that are in use.
    """

    called: Mapping[str, Sequence[ToolValue]]
    returned: Mapping[str, Sequence[ToolValue]]
    taken_names: set[str]
    errors: tuple[str, ...] = (ERRORS,)

    def fact(self, phrase: str) -> SayableFact | None:
        """The fact that the words name; None if they name none."""
        phrase = phrase.strip()
        reads = {
            "came": self._event,
            "of_earlier": self._earlier,
            "stands_in": self._seen,
            "user_said": self._user_said,
        }
        reading = way(phrase, "person_fact", *reads)
        if reading is None:
            return counted_for_the_same(phrase, self.called, self.taken_names, self.errors)
        return reads[reading.form](phrase, reading)

    def _event(self, phrase: str, reading: Way) -> SayableFact | None:
        tool, since = self._tool(reading.of("NAME")), self._tool(reading.of("since"))
        where = self._where(tool, reading.of("where"))
        paths, since_paths = (
            self._argument_paths(tool, reading.of("given")),
            self._argument_paths(since, reading.of("since_given")),
        )
        if not tool or None in (where, paths, since_paths) or (reading.of("since") and not since):
            return None
        options: dict[str, Json] = {"operation": "ever", "of": [tool], "errors": list[Json](self.errors)}
        if where:
            options["where"] = where
        if paths:
            options["has"] = paths
        if since:
            options["since"] = {"tool": since, **({"has": since_paths} if since_paths else {})}
        options["outcome"] = "successful"
        return self._event_fact(
            phrase, (tool, "came", *([since] if since else [])), Kind.BOOL, Extraction("history", options)
        )

    def _earlier(self, phrase: str, reading: Way) -> SayableFact | None:
        tool, noun = self._tool(reading.of("NAME")), without_article(reading.inner_texts[0], "each")
        leaf = next(
            (
                tool_value
                for tool_value in self.called.get(tool, ())
                if have_same_words(tool_value.words, noun)
            ),
            None,
        )
        if leaf is None:
            return None
        where = self._where(tool, reading.of("where"), leaf)
        if where is None:
            return None
        options: dict[str, Json] = {
            "operation": "values",
            "path": {tool: leaf.written("$.arguments")},
            "where": where,
            "outcome": "successful",
            "errors": list[Json](self.errors),
        }
        return self._event_fact(
            phrase, (tool, leaf.words, "earlier"), Kind.SET, Extraction("history", options)
        )

    def _seen(self, phrase: str, reading: Way) -> SayableFact | None:
        """The fact that an earlier result has the value that this call names; for a list, all its values."""
        tool, noun = self._tool(reading.of("NAME")), without_article(reading.inner_texts[0], "each", "the")
        named = [
            (name, leaf)
            for name, leaves in self.called.items()
            for leaf in leaves
            if have_same_words(leaf.words, noun) and leaf.type.kind in TEXTS
        ]
        if not tool or not named or len({leaf.path for _, leaf in named}) > 1:
            return None
        tools = tuple(name for name, _ in named)
        options: dict[str, Json] = {
            "operation": "seen",
            "path": named[0][1].written("$.arguments"),
            "of": [tool],
            "tools": list[Json](tools),
            "outcome": "successful",
            "errors": list[Json](self.errors),
        }
        source = Extraction("history", options)
        fact = self._event_fact(phrase, (named[0][1].words, "seen", tool), Kind.BOOL, source)
        type_ = ArgumentType(Kind.BOOL, optional=True)
        return replace(fact, value=replace(fact.value, type=type_), tools=tools)

    def _user_said(self, phrase: str, reading: Way) -> SayableFact | None:
        words = [part.strip(" “”\"'") for part in re.split(r",|\bor\b", reading.inner_texts[0])]
        pattern = "|".join(rf"\b{re.escape(word)}" for word in words if word)
        text = "user" if "last" in reading.of("USER_SAID").lower() else "all_user"
        options: dict[str, Json] = {"pattern": pattern, "text": text, "ignore_case": True}
        return self._event_fact(phrase, ("user", "said", *words), Kind.SET, Extraction("regex", options))

    def _argument_paths(self, tool: str, phrase: str) -> list[Json] | None:
        """The paths that calls of a tool must have: “changes email”; None if one is unknown."""
        paths: list[Json] = []
        for part in re.split(r"\s+and\s+", phrase) if phrase else ():
            leaf = next(
                (
                    tool_value
                    for tool_value in self.called.get(tool, ())
                    if have_same_words(tool_value.words, part)
                ),
                None,
            )
            if leaf is None:
                return None
            paths.append(leaf.written("$.arguments"))
        return paths

    def narrowed(self, phrase: str, base: SayableFact, tool: str) -> SayableFact | None:
        """A count or sum of earlier calls, since the last call of ``tool`` that has the same keys."""
        tool, source = self._tool(tool), base.extraction
        if not tool or source is None or source.options.get("operation") not in ("count", "sum", "values"):
            return None
        tops = {leaf.path[0] for leaf in self.called[tool] if len(leaf.path) == 1}
        same_paths, shared = source.options.get("same"), dict[str, Json]()
        for ours in (str(path) for path in same_paths.values()) if isinstance(same_paths, dict) else ():
            key = re.split(r"[.\[]", ours)[-1].strip('"]')
            if key in tops:
                shared[f"$.arguments{path_part(key)}"] = ours
        since: dict[str, Json] = {"tool": tool, **({"same": shared} if shared else {})}
        return self._further(phrase, base, {**source.options, "since": since}, ("since", tool))

    def latest(self, phrase: str, sayable_fact: SayableFact, other: SayableFact) -> SayableFact | None:
        """The value from the later of two calls, if both give the same kind of value."""
        sources = [fact.extraction for fact in (sayable_fact, other)]
        options = [source.options for source in sources if source is not None]
        if len(options) != 2 or any(option.get("operation") != "last" for option in options):
            return None
        first, second = options
        paths, second_paths = first.get("path"), second.get("path")
        if (
            not isinstance(paths, dict)
            or not isinstance(second_paths, dict)
            or first.get("same") != second.get("same")
        ):
            return None
        return self._further(
            phrase, sayable_fact, {**first, "path": {**paths, **second_paths}}, ("or", *second_paths)
        )

    def _further(
        self, phrase: str, base: SayableFact, options: dict[str, Json], parts: Sequence[str]
    ) -> SayableFact:
        name = free_name(name_of((base.name, *parts)), self.taken_names)
        argument = Argument(name, base.type, phrase, Extraction("history", options))
        return replace(base, phrase=phrase, value=argument, stems=frozenset(map(stem, split_words(phrase))))

    def _tool(self, name: str) -> str:
        return next((tool for tool in self.called if have_same_words(tool, name)), "")

    def _where(self, tool: str, phrase: str, neighbour: ToolValue | None = None) -> dict[str, Json] | None:
        """The values that calls must have: “command npm test or npx vitest run and exit code 0”."""
        values_by_path: dict[str, Json] = {}
        for part in re.split(r"\s+and\s+", phrase) if phrase else ():
            place = self._place(tool, part, neighbour)
            if place is None:
                return None
            path, kind, value_text = place
            values = [
                _typed(text.strip(" “”\"'"), kind) for text in re.split(r"\s+or\s+|\s*,\s*", value_text)
            ]
            if any(value is None for value in values):
                return None
            values_by_path[path] = values
        return values_by_path

    def _place(self, tool: str, part: str, neighbour: ToolValue | None) -> tuple[str, Kind, str] | None:
        """The path that such a text begins with, the kind of the value there, and the rest of the text."""
        for root, leaves in (("$.arguments", self.called), ("$.result", self.returned)):
            for leaf in sorted(leaves.get(tool, ()), key=lambda tool_value: -len(tool_value.words)):
                if not part.lower().startswith(f"{leaf.words.lower()} "):
                    name = leaf.path[-1].replace("_", " ").lower()
                    if (
                        neighbour is None
                        or leaf.path[:-1] != neighbour.path[:-1]
                        or not part.lower().startswith(f"{name} ")
                    ):
                        continue
                    return f".{leaf.path[-1]}", leaf.type.kind, part[len(name) :]
                return leaf.written(root), leaf.type.kind, part[len(leaf.words) :].removeprefix(" is")
        return None

    def _event_fact(self, phrase: str, parts: Sequence[str], kind: Kind, source: Extraction) -> SayableFact:
        name = free_name(name_of((*parts,))[:60].strip("_"), self.taken_names)
        words = frozenset(stem(word) for word in split_words(phrase))
        argument = Argument(name, ArgumentType(kind), phrase, source)
        return SayableFact(phrase, FactSource.EARLIER_CALL, argument, (), words)


def _typed(text: str, kind: Kind) -> Json:
    if kind is Kind.BOOL:
        return _FLAGS.get(text.lower())
    if kind is Kind.INT:
        return int(text) if re.fullmatch(r"-?\d+", text) else None
    return text or None
