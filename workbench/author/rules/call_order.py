"""Sentences about the order of calls: “verify the identity before issuing a refund”.

An earlier call is a fact of the run: whether such a call succeeded. If both tools require the same argument,
such as an order, the earlier call may have to be about the same one. A question asks for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.author.argument_terms import all_of, any_of, argument_of, conjuncts, value_listing, variable
from workbench.author.rules.argument_binding import UnreadableError
from workbench.author.rules.file_text import identifier
from workbench.author.rules.history_limits import HistoryArguments
from workbench.author.rules.norms import Effect, Norm, split_scope
from workbench.author.rules.phrase_conditions import Phrases, Position
from workbench.author.rules.sentence_doubts import SentenceDoubts
from workbench.author.rules.sentences import Chunk, SentenceWord, parse_order
from workbench.author.rules.words import ARTICLES, PEOPLE, split_words, stem, word_set
from workbench.model import Argument, ArgumentType, Json, Kind, Tool
from workbench.policy.connectives import TRUE, is_true
from workbench.policy.terms import Member, Not, Term
from workbench.runs.values.error_results import ERRORS

_IS = word_set("is are was were be been being")
_HAS = word_set("has have had")
_SAYS_WHEN = _IS | _HAS | word_set("having always first already successfully beforehand you we")
_POINTS_BACK = word_set("it them this that these those")
_CONSENTS = frozenset(map(stem, word_set("ask confirm consent approve agree permission permit allow")))
"""Words for an act of a person before a call; consent has forms of its own."""
_KEYS = ("string", "integer")


@dataclass(frozen=True, slots=True)
class CallOrders:
    """Reads the sentences about the order of calls, with the arguments for earlier calls."""

    history: HistoryArguments
    doubts: SentenceDoubts

    def read(self, text: str, requirement: str) -> tuple[Norm, ...]:
        """The norm of a sentence; raises UnreadableError if it is not about the order of calls."""
        skeleton = parse_order(text)
        if skeleton is None:
            raise UnreadableError("its form is none that the language has")
        if skeleton.form == "later_if_first" and not _is_past(skeleton.chunks[1]):
            raise UnreadableError("its condition is none about an earlier call")
        first, *other_chunks = map(_plain, skeleton.chunks)
        if skeleton.form == "nothing_after":
            happened = self.history.happened(self._action(first))
            return (Norm(requirement, Effect.FORBID, TRUE, happened, text.strip()),)
        earlier, later = (
            (first, other_chunks[0]) if skeleton.form == "earlier_first" else (other_chunks[0], first)
        )
        scope = self._action(later)
        before = self._before(earlier, scope)
        return (Norm(requirement, Effect.REQUIRE, scope, before, text.strip()),)

    def _action(self, chunk: Chunk) -> Term:
        """The tools that a clause names, with its conditions on their arguments."""
        action = self.history.lexicon.action()
        term = Phrases(self.history.lexicon).read(chunk, Position.ACTION)
        if action is None or not any(_is_listed(part, action) for part in conjuncts(term)):
            raise UnreadableError("it does not name a tool")
        return term

    def _before(self, chunk: Chunk, scope: Term) -> Term:
        """The condition that the calls of a clause came earlier: all of “A and B”, one of “A or B”."""
        joints = {word.kind for word in chunk} & {"AND", "OR"}
        if len(joints) > 1:
            raise UnreadableError("it mixes “and” with “or” without saying which belongs together")
        parts = [self._came(part, scope) for part in _split(chunk)]
        return any_of(*parts) if joints == {"OR"} else all_of(*parts)

    def _came(self, chunk: Chunk, scope: Term) -> Term:
        later = self._tools(scope)
        chunk = self._with_object(chunk, later)
        if any(stem(word.text.lower()) in _CONSENTS for word in chunk):
            raise UnreadableError("it is open whose consent is meant")
        term = self._action(chunk)
        tools = self._tools(term)
        if {*tools} & {*later}:
            raise UnreadableError("it is open which call comes first")
        if not any(set(map(stem, split_words(tool)[1:])) <= _stems(chunk) for tool in tools):
            raise UnreadableError("it does not say what comes first")
        where = self._where(term)
        any_call = variable(self._succeeded(tools, where))
        shared = _shared_keys(self.history.spec.tools, tools, later)
        if not shared:
            return any_call
        same_thing_call = variable(self._succeeded(tools, where, shared, later))
        keys = all_of(*(variable(self.history.lexicon.argument(key)) for key in shared))
        # The same-thing call counts as any call too, else the readings would differ on impossible inputs.
        readings = {"same": same_thing_call, "any": any_of(same_thing_call, any_call)}
        return self.doubts.either("same-thing", readings, keys=keys)

    def _with_object(self, chunk: Chunk, later: tuple[str, ...]) -> Chunk:
        """The clause with “it” replaced by the object of the later call: “only after it was looked up”."""
        objects = {split_words(tool)[1:] for tool in later}
        back = [word.kind == "WORD" and word.text.lower() in _POINTS_BACK for word in chunk]
        if not any(back) or len(objects) != 1:
            return chunk
        named = tuple(SentenceWord("WORD", word) for word in next(iter(objects)))
        sentence_words = tuple(word for word, points in zip(chunk, back, strict=True) if not points)
        return (*sentence_words, *named)

    def _tools(self, term: Term) -> tuple[str, ...]:
        action = self.history.lexicon.action()
        assert action is not None
        listing = next(filter(None, map(value_listing, split_scope(self.history.lexicon, term)[:1])), None)
        if listing is None or listing.negated or listing.argument != action.name:
            raise UnreadableError("it does not name the tools alone")
        return listing.values

    def _where(self, term: Term) -> dict[str, Json]:
        """The required values in the earlier calls: “verified by document”."""
        _, condition = split_scope(self.history.lexicon, term)
        where: dict[str, Json] = {}
        for part in conjuncts(condition) if not is_true(condition) else ():
            listing = value_listing(part)
            path = None if listing is None else _path(self.history.lexicon.argument(listing.argument))
            if listing is None or listing.negated or path is None:
                raise UnreadableError("it says more of the earlier call than its values")
            where[path] = list[Json](listing.values)
        return where

    def _succeeded(
        self,
        tools: tuple[str, ...],
        where: dict[str, Json],
        shared: tuple[str, ...] = (),
        later: tuple[str, ...] = (),
    ) -> Argument:
        """The argument that is true if one of the tools succeeded earlier, about the same ``shared`` keys."""
        options: dict[str, Json] = {"operation": "ever", "outcome": "successful", "errors": [ERRORS]}
        if where:
            options["where"] = where
        texts = [str(value) for values in where.values() if isinstance(values, list) for value in values]
        text = (
            f"whether {' or '.join(tools)}{f' with {" or ".join(texts)}' if texts else ''} succeeded earlier"
        )
        if shared:
            options["same"] = {f"$.arguments.{key}": f"$.arguments.{key}" for key in shared}
            options |= {"tools": list[Json](later), "elsewhere": False}
            text += f" for the same {' and '.join(shared)}"
        name = identifier("earlier", *tools, *texts, *(("of_same", *shared) if shared else ()))
        return self.history.history_argument(
            name, tools, ArgumentType(Kind.BOOL), options, f"{text} in the run"
        )


def _plain(chunk: Chunk) -> Chunk:
    """A clause without time words and owners: “the customer's identity has been verified”.

    The verb comes first, as in “verify the identity”.
    """
    sentence_words = [word for word in chunk if not (word.kind == "WORD" and _is_possessive(word.text))]
    passive = next((place for place, word in enumerate(sentence_words) if word.text.lower() in _IS), None)
    if passive is not None:
        subject, predicate = (
            _without_times(part) for part in (sentence_words[:passive], sentence_words[passive:])
        )
        return (*predicate[:1], *subject, *predicate[1:])
    return _without_times(sentence_words)


def _without_times(words: Sequence[SentenceWord]) -> Chunk:
    return tuple(word for word in words if word.kind != "WORD" or word.text.lower() not in _SAYS_WHEN)


def _is_past(clause: Chunk) -> bool:
    """Whether a clause reports an act: “the identity was verified”, “you have looked up the order”."""
    return any(word.text.lower() in _IS | _HAS for word in clause)


def _is_possessive(word: str) -> bool:
    owner = word.lower().replace("’", "'")
    return owner.endswith("'s") and owner.removesuffix("'s") in PEOPLE


def _stems(chunk: Chunk) -> frozenset[str]:
    return frozenset(stem(part) for word in chunk for part in split_words(word.text) if part not in ARTICLES)


def _split(chunk: Chunk) -> Iterator[Chunk]:
    """The parts of a clause between “and” or “or”."""
    part: list[SentenceWord] = []
    for word in chunk:
        if word.kind in ("AND", "OR"):
            yield tuple(part)
            part = []
        else:
            part.append(word)
    yield tuple(part)


def _is_listed(part: Term, action: Argument) -> bool:
    return isinstance(part, Member | Not) and argument_of(part) == action.name


def _path(argument: Argument) -> str | None:
    """The path of an argument in a call; None if it is not a plain value of the call."""
    source = argument.extraction
    path = source.options.get("path") if source is not None and source.method == "jsonpath" else None
    is_plain = isinstance(path, str) and path.startswith("$.arguments.") and "[" not in path
    return path if is_plain and isinstance(path, str) else None


def _shared_keys(
    tools: tuple[Tool, ...], earlier: tuple[str, ...], later: tuple[str, ...]
) -> tuple[str, ...]:
    """The texts and numbers that all calls of these tools require under the same name."""
    needed = [_needed(tool) for tool in tools if tool.name in {*earlier, *later}]
    return tuple(sorted(key for key in needed[0] if all(key in keys for keys in needed))) if needed else ()


def _needed(tool: Tool) -> frozenset[str]:
    required, properties = tool.parameters.get("required"), tool.parameters.get("properties")
    if not isinstance(required, list) or not isinstance(properties, dict):
        return frozenset()
    schemas = {name: properties.get(str(name)) for name in map(str, required)}
    return frozenset(
        name
        for name, schema in schemas.items()
        if isinstance(schema, dict) and schema.get("type") in _KEYS and "enum" not in schema
    )
