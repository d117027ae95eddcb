"""Sentences of the language that a model proposes for a sentence that is not.

A proposal counts for no more than what a search finds: the language reads it, the checker of the dialect
takes it, and a person confirms it. The JSON schema of the reply has the words of the language as its pattern,
for servers that keep to a schema. What the language does not read goes back to the model, with the place up
to which it is read and what could stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from workbench.author.model.client import ModelClient
from workbench.author.model.recording import Message
from workbench.clean_text import one_line
from workbench.language.completion import completion
from workbench.language.enum_values import enum_words
from workbench.language.grammar import SHORTER, productions
from workbench.language.language import Language
from workbench.language.lexicon import FieldWords, Scope
from workbench.language.normal_form import normal
from workbench.language.productions import Word, kind_of
from workbench.language.reading import TooLong
from workbench.language.suggestion import Suggestion, Suggestions
from workbench.language.trees import Tree
from workbench.language.words import MONTHS, singular, tokens
from workbench.language.writing import with_articles
from workbench.model import WorkbenchError

TRIES = 3
_MOST = 3
_MOST_OFFERED = 8
_MOST_WORDS = 60
_LONGEST = 700
_LONGEST_AROUND = 1500
_TASK = Path(__file__).with_name("proposal.md").read_text("utf-8").strip()
_SYNTAX = re.compile(r"[$()*+.?\[\\\]^{|}]")
"""What a JSON schema may escape in a pattern: an escaped hyphen is refused by servers."""
_LENGTHS = "day days hour hours minute minutes second seconds"
_SORTS = {
    "int": "a whole number", "dec": "a number", "dur": "a duration", "date": "a date",
    "clock": "a time of day", "moment": "a time", "bool": "true or not", "text": "a text",
}  # fmt: skip


class ProposalForm(BaseModel):
    """The reply: sentences, the likeliest first."""

    model_config = ConfigDict(extra="forbid")
    sentences: list[str]


class SentenceProposals:
    """Asks a model for sentences of one language."""

    def __init__(self, client: ModelClient, suggestions: Suggestions) -> None:
        """Take the model, and the search of the language, whose findings the model sees."""
        self._client = client
        self._suggestions = suggestions
        self._language = suggestions.language

    def of(self, text: str, around: str, found: Sequence[Suggestion]) -> tuple[Suggestion, ...]:
        """What the model proposes for a sentence, each rule once; ``found`` is what the search suggests.

        Raises ModelError if the model cannot be asked or replies in another form.
        """
        messages = (Message("system", _TASK), Message("user", self._prompt(text, around, found)))
        proposed: dict[Tree, Suggestion] = {}
        for _ in range(TRIES):
            reply = self._client.ask("sentence of the language", messages, _form(self.pattern))
            refused: list[str] = []
            for one in map(one_line, reply.sentences):
                read = self._read(one)
                if isinstance(read, str):
                    refused.append(f"- “{one[:_LONGEST]}” {read}")
                else:
                    proposed.setdefault(normal(read), self._suggestions.stated(text, read))
            if proposed or not refused:
                break
            back = "\n".join(["These are no sentences of the language:", *refused, "Say them again in it."])
            messages = (*messages, Message("assistant", reply.model_dump_json()), Message("user", back))
        return tuple(proposed.values())

    def _read(self, text: str) -> Tree | str:
        """The rule that a sentence on one line states, or why it states none."""
        if len(text) > _LONGEST * 4:
            return "is too long."
        try:
            trees = self._language.read(text)
        except (TooLong, WorkbenchError) as error:
            return f"is not read: {error}"
        if len(trees) > 1:
            return f"can be read in {len(trees)} ways; say it so that it has one."
        if not trees:
            stopped = completion(self._language.reader, text)
            offered = ", ".join(stopped.offered[:_MOST_OFFERED])
            follows = f" After it could stand: {offered}." if offered else ""
            return f"is read up to “{stopped.beginning}”.{follows}"
        problem = self._suggestions.problem(trees[0]) or (
            "" if self._language.write(trees[0]) else "it has no one reading."
        )
        return trees[0] if not problem else f"cannot be a rule: {problem}"

    # --- the prompt ---------------------------------------------------------------

    def _prompt(self, text: str, around: str, found: Sequence[Suggestion]) -> str:
        parts = [f"# The words for this agent\n\n{self._words}"]
        if found:
            parts.append("# What a search found\n\n" + "\n".join(f"- {one.text}" for one in found))
        if around.strip():
            parts.append(f"# What stands above it\n\n{around.strip()[:_LONGEST_AROUND]}")
        return "\n\n".join([*parts, f"# The sentence\n\n{text.strip()[: _LONGEST * 4]}"])

    @cached_property
    def _words(self) -> str:
        """The tools with their fields, the records, the context and the facts, each in its words."""
        return "\n".join(_words_of(self._language))

    @cached_property
    def pattern(self) -> str:
        """A regular expression of all rules: whole tools, after them words of the language in any order."""
        lexicon = self._language.lexicon
        (block,) = lexicon.blocks("tool", (), Scope(), None)
        tools = _one_of(map(with_articles, block.by_words))
        fields = [one for several in lexicon.fields.values() for one in several]
        nouns = (text for one in fields for text in (one.words, singular(one.words), *enum_words(one.sort)))
        known = map(with_articles, (*_words_of(self._language), *block.by_words, *nouns))
        texts = {*known, *(short for _, short in SHORTER), *MONTHS, _LENGTHS}
        said = {part.text for one in productions() for part in one.parts if isinstance(part, Word)}
        said |= {token.text for text in texts for token in tokens(text)}
        words = _one_of({one for one in said if one.replace("'", "").isalnum()})
        condition = rf"( \(where)?( (\()?({words}|[0-9][0-9.,:]*|“[^”]*”))(,|'s|\))*"
        approval = "( only with the approval of a person)?"
        head = rf"The agent (must not|may|must never|may always) {tools}((,| or) {tools})*{approval}"
        return rf"^{head}( (if|unless)({condition}){{1,{_MOST_WORDS}}})?\.$"


def _one_of(texts: Iterable[str]) -> str:
    return f"({'|'.join(sorted(_SYNTAX.sub(r'\\\g<0>', one) for one in texts))})"


@lru_cache(maxsize=8)
def _form(pattern: str) -> type[ProposalForm]:
    """The form of a reply about one language; the pattern is for the server, the reader decides."""
    sentence: Any = Annotated[str, Field(json_schema_extra={"pattern": pattern, "maxLength": _LONGEST})]
    field: Any = (Annotated[list[sentence], Field(max_length=_MOST)], ...)
    return create_model("Sentences", __base__=ProposalForm, sentences=field)


def _words_of(language: Language) -> Iterator[str]:
    lexicon = language.lexicon
    for call in lexicon.types.calls.values():
        fields = [one for one in lexicon.fields.get(f"call:{call.name}", ()) if one.name != "tool"]
        listed = "; ".join(f"the {_described(one, lexicon.fields)}" for one in fields)
        yield f"- tool: {lexicon.tool_words(call)}{f' (it has {listed})' if listed else ''}"
    for record in lexicon.types.records.values():
        if record.key:
            words = lexicon.words_of_record(record)
            listed = "; ".join(
                _described(one, lexicon.fields) for one in lexicon.fields[f"rec:{record.class_name}"]
            )
            yield f"- record: the {words}; “the {words}'s …”: {listed}"
    for one in lexicon.fields["context"]:
        yield f"- of the session: the session's {_described(one, lexicon.fields)}"
    for fact in lexicon.facts.values():
        yield f"- said already: {lexicon.words_of_fact(fact)}"


def _described(one: FieldWords, fields: Mapping[str, Sequence[FieldWords]]) -> str:
    """A field in its words, with what it holds."""
    kind = kind_of(one.sort)
    if kind == "enum":
        held = "one of " + ", ".join(enum_words(one.sort))
    elif one.many and fields.get(one.sort):
        held = "several, each with its " + ", ".join(each.words for each in fields[one.sort])
    else:
        held = f"several of {_SORTS.get(kind, kind)}" if one.many else _SORTS.get(kind, kind)
    return f"{one.words} ({held}{', may be missing' if one.optional else ''})"
