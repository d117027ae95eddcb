"""The agent spec of a session, its edits, and what tools and recorded calls propose for it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from workbench.app.agent_trouble import NAME, agent_trouble
from workbench.app.results import Logs, SessionChange
from workbench.clean_text import counted, one_line
from workbench.dialect.call_fields import CallField, CallType
from workbench.dialect.call_types import AgentTypes
from workbench.language.lexicon import OF_VERBS, UNCOUNTED, VERBS, doing, is_structural
from workbench.language.vocabulary import words_named
from workbench.language.words import singular, words_of, words_of_name
from workbench.language.writing import with_articles
from workbench.model import (
    AgentSpec,
    Json,
    Kind,
    Proposal,
    RecordedCall,
    TextReading,
    Value,
    WorkbenchError,
)
from workbench.policy.value_words import few_of
from workbench.serialization.json_form import json_form

if TYPE_CHECKING:
    from workbench.runs.proposals.confirmations import Confirmation
    from workbench.session import Session


__all__ = ["Agent", "AgentOverview", "Confirmation", "line_of_part"]


_NOUNS = "nouns"
"""The name of the proposal of nouns."""
_MOST_SHOWN = 6
_TABLES = {"record": "records", "tool": "tools", "schema": "schema", "synonym": "synonyms"}
"""The tables of ``agent.toml`` that hold the parts of a spec."""


@dataclass(frozen=True, slots=True)
class AgentOverview:
    """The agent spec, the number of ``calls`` in which each argument has a value, and the proposals."""

    spec: AgentSpec
    valued: Mapping[str, int]
    calls: int
    proposals: tuple[Proposal, ...] = ()
    edited: bool = False
    """Whether an edit of the file is kept that is not stored."""
    untold: str = ""
    """Which tools' results nothing tells, and what would; empty if all are told."""


def untold_results(
    agent: AgentSpec, described: Collection[str], calls: Iterable[RecordedCall]
) -> tuple[str, ...]:
    """The tools of which no schema, no record, no reading and no logged call tells what they give."""
    from workbench.dialect.call_types import class_name

    told = {*described, *(call.tool for call in calls if call.result)}
    told |= {result.tool for record in agent.records for result in record.results}
    read = {text.partition(".")[0] for one in agent.readings for text in one.texts}
    return tuple(one.name for one in agent.tools if one.name not in told and class_name(one) not in read)


def untold_words(tools: Sequence[str]) -> str:
    """A sentence on tools of whose results nothing is told, and on what to do; empty if there are none."""
    if not tools:
        return ""
    gives = "gives" if len(tools) == 1 else "give"
    return (
        f"Nothing tells what {few_of([*map(one_line, tools)])} {gives}, so no rule can speak of it: put a "
        "log of calls with their results into the session's folder logs, or give the tools an outputSchema "
        "when the session is made; the command propose then declares what is in them."
    )


def _plain(value: object) -> Json:
    match value:
        case dict():
            return {str(key): _plain(item) for key, item in cast("dict[object, object]", value).items()}
        case list() | tuple():
            return [_plain(item) for item in cast("list[object]", value)]
        case _:
            return value if isinstance(value, bool | int | str) else str(value)


def _records(proposal: Proposal) -> Mapping[str, Json]:
    from workbench.session.agent_records import record_table

    return {record.name: _plain(record_table(record)) for record in proposal.records}


def _notes(proposal: Proposal) -> Mapping[str, Json]:
    from workbench.session.agent_file import note_tables

    return {tool: _plain(note_tables(notes)) for tool, notes in proposal.notes.items()}


def _readings(proposal: Proposal) -> Mapping[str, Json]:
    from workbench.session.agent_file import reading_table

    return {reading.name: _plain(reading_table(reading)) for reading in proposal.readings}


def _context(proposal: Proposal) -> Mapping[str, Json]:
    from workbench.session.agent_file import context_table

    return {name: _plain(context_table(field)) for name, field in proposal.context.items()}


json_form(
    Proposal,
    *("name", ("records", _records), ("notes", _notes), ("readings", _readings), ("context", _context)),
    *("errors", "nouns", "evidence", "unsure"),
)


class Agent:
    """Edits the agent spec of a session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def set_spec(self, spec: AgentSpec, label: str, text: str = "") -> SessionChange:
        """Write the agent spec; what a policy of calls comes to follows.

        What nobody confirmed of parts that it has no more goes with them.
        ``text`` is its ``agent.toml``, if a person wrote that; else the present file is changed in place.
        Raises WorkbenchError, and changes nothing, if a reading cannot be prepared or a case no longer fits
        the type of its argument.
        """
        from workbench.app.as_proposed import is_moot
        from workbench.runs.extract.text_readings import check_readings

        check_readings(spec)
        before, cases = self._session.lowered, self._session.cases
        with self._session.transaction(label):
            if text:
                self._session.set_text(NAME, text, label)
            else:
                self._session.set_spec(spec, label)
            held = tuple(one for one in self._session.assumptions if not is_moot(one, spec))
            if held != self._session.assumptions:
                self._session.set_assumptions(held, label)
            self._session.set_cases(cases)
            new_cases = self._session.cases
        now = self._session.lowered
        changed = (now and now.terms) != (before and before.terms)
        return SessionChange(policy=changed, cases=new_cases != cases)

    def overview(self, logs: Logs, *, propose: bool = False) -> AgentOverview:
        """The agent spec with figures of the loaded logs; with ``propose`` also the proposals from them."""
        count_by_argument = Counter(
            name for extracted in logs.extracted for name, value in extracted.items() if value.missing is None
        )
        proposals = self.proposals(logs.calls) if propose else ()
        edited, agent = self.kept_edit is not None, self._session.agent
        untold = untold_words(untold_results(agent, self._session.results, logs.calls))
        return AgentOverview(
            self._session.spec, count_by_argument, len(logs.calls), proposals, edited, untold
        )

    def read(self, text: str) -> AgentSpec:
        """The agent spec in a text of ``agent.toml``, all of whose readings can be prepared.

        Raises WorkbenchError with the problems of the text.
        """
        from workbench.session.agent_file import read_agent

        spec = read_agent(text)
        if trouble := agent_trouble(spec, text):
            raise WorkbenchError(trouble)
        return spec

    def text(self) -> str:
        """The text of ``agent.toml`` for an editor: an edit that was kept, else the file's."""
        return self._session.text(NAME) if self.kept_edit is None else self.kept_edit

    @property
    def kept_edit(self) -> str | None:
        """An edit of ``agent.toml`` that was left without being stored; None if there is none."""
        kept = self._session.buffers.get(NAME)
        return None if kept is None else kept.text

    def keep(self, text: str) -> None:
        """Keep an edited text next to the session's files, so that it is not lost."""
        self._session.save_buffer(NAME, text)

    def put_text(self, text: str, label: str) -> SessionChange:
        """Store the agent spec in an edited text of ``agent.toml``, as ``set_spec`` does."""
        stored = self.set_spec(self.read(text), label, text)
        self._session.drop_buffer(NAME)
        return stored

    def declare(self, reading: TextReading) -> SessionChange:
        """Declare a reading of texts, or one in the place of that of its name, as ``set_spec`` does.

        Raises WorkbenchError for a text that the agent does not have.
        """
        from workbench.session.agent_file import write_agent

        spec = self._session.agent
        others = tuple(one for one in spec.readings if one.name != reading.name)
        text = write_agent(replace(spec, readings=(*others, reading)), self.text())
        return self.put_text(text, f"Declare the reading {reading.name}")

    def reads(self, reading: TextReading, calls: Sequence[RecordedCall]) -> Sequence[tuple[str, Value]]:
        """What a reading gives for its texts in recorded calls, each with the place of the text.

        It is None where it gives nothing.
        """
        from workbench.dialect.call_types import agent_types
        from workbench.policy.undetermined import Undetermined
        from workbench.runs.extract.text_readings import prepared_readings
        from workbench.runs.world.record_values import RecordValues

        spec = replace(self._session.agent, readings=(reading,))
        values = RecordValues(spec.records, spec.zone, spec.schema)
        prepared = prepared_readings(spec, None, (), values)[reading.name]
        names = {one.tool: one.name for one in agent_types(spec).calls.values()}
        found: list[tuple[str, Value]] = []
        for call in calls:
            for key, text in {**(call.arguments or {}), "result": call.result}.items():
                place = f"{names.get(call.tool or '', '')}.{key}"
                if isinstance(text, str) and (place in reading.texts or not reading.texts):
                    value = prepared.of(text).value
                    found.append((place, None if isinstance(value, Undetermined) else value))
        return found

    def write_stub(self) -> AgentTypes:
        """Write ``agent.pyi``, the classes that a policy of calls imports; give what they are made of.

        Raises WorkbenchError where the agent has two classes of one name.
        """
        return self._session.set_stub()

    def proposals(self, calls: Sequence[RecordedCall]) -> tuple[Proposal, ...]:
        """What tools, recorded calls and the schemas of results suggest, except what is declared.

        They are records, readings of results, notes on parameters and the like.
        """
        from workbench.runs.proposals.call_proposals import propose_for_calls

        return (
            *propose_for_calls(self._session.agent, calls, self._session.results),
            *self._proposed_nouns(),
        )

    def not_described(self) -> tuple[str, ...]:
        """Sentences about the schemas of results from which less is proposed than they say."""
        from workbench.runs.proposals.described_results import described_calls

        return described_calls(self._session.agent.tools, self._session.results).unread

    def _proposed_nouns(self) -> Iterator[Proposal]:
        """What sentences call the tools whose names are no phrases."""
        from workbench.dialect.call_types import agent_types

        spec = self._session.agent
        try:
            types = agent_types(spec)
        except WorkbenchError:
            return  # two classes of one name, as whoever reads the policy says
        if _NOUNS in spec.not_proposed:
            return
        found = {"tool": tool_phrases(types), "parameter": parameter_nouns(types)}
        evidence = tuple(
            f"What sentences call {counted(len(nouns), what)}: "
            f"{'; '.join(f'“{words}”' for words in [*nouns.values()][:_MOST_SHOWN])}."
            for what, nouns in found.items()
            if nouns
        )
        if evidence:
            yield Proposal(_NOUNS, evidence=evidence, nouns={**found["tool"], **found["parameter"]})

    def confirmations(
        self, proposals: Sequence[Proposal], calls: Sequence[RecordedCall]
    ) -> tuple[Confirmation, ...]:
        """What these proposals assume of logged calls, as few questions to be answered with yes or no."""
        from workbench.runs.proposals.call_proposals import with_accepted
        from workbench.runs.proposals.confirmations import confirmations
        from workbench.runs.proposals.described_results import described_calls
        from workbench.runs.world.declared_failures import failed_by_tool

        spec = with_accepted(self._session.agent, proposals, [one.name for one in proposals])
        declared = described_calls(spec.tools, self._session.results).members
        return confirmations(proposals, spec.tools, failed_by_tool(spec, calls), declared)

    def not_read(self, calls: Sequence[RecordedCall]) -> str:
        """A sentence about results from which nothing can be proposed; empty if there are none."""
        from workbench.runs.proposals.tool_answers import no_json_sentence

        return no_json_sentence(calls)

    def accept(self, proposals: Sequence[Proposal], names: Collection[str]) -> SessionChange:
        """Declare the proposals of these names, as ``set_spec`` does.

        Raises WorkbenchError for a name that is not proposed.
        """
        from workbench.runs.proposals.call_proposals import with_accepted

        _check_proposed(proposals, names)
        changed = with_accepted(self._session.spec, proposals, names)
        return self.set_spec(changed, f"Add what is proposed: {', '.join(names)}")

    def accept_all(
        self, proposals: Sequence[Proposal], *, also: Sequence[str] = (), but: Collection[str] = ()
    ) -> tuple[str, ...]:
        """Declare all proposals as ``accept`` does, ``also`` first, without ``but``; return their names."""
        named = {*also, *but}
        names = (*also, *(proposal.name for proposal in proposals if proposal.name not in named))
        if names:
            self.accept(proposals, names)
        return names

    def drop(self, proposals: Sequence[Proposal], names: Collection[str]) -> SessionChange:
        """Remember that the proposals of these names are not wanted.

        Raises WorkbenchError as ``accept`` does.
        """
        from workbench.runs.proposals.call_proposals import with_dropped

        _check_proposed(proposals, names)
        changed = with_dropped(self._session.spec, names)
        return self.set_spec(changed, f"Drop what is proposed: {', '.join(names)}")


def line_of_part(text: str, part: str, name: str = "") -> int:
    """The line (from 1) of a part of the spec in a text of ``agent.toml``; 0 if the text does not have it."""
    from workbench.files.strict_reading import line_of

    return line_of(text, (_TABLES[part], name)) if part in _TABLES else 0


def line_spoken_of(text: str, words: str) -> int:
    """The line (from 1) of a text of ``agent.toml`` that words are about; 0 if they name no table of it.

    They name one as in ``changed_by in [records.trip]``, or have the name of a record or tool.
    """
    from workbench.files.strict_reading import line_of

    tables = re.findall(r"\[([A-Za-z][\w.-]*)\]", words)
    if not tables:
        tables = re.findall(
            rf"^\[((?:records|tools)\.(?:{'|'.join(re.findall(_NAME, words)) or '-'}))\]", text, re.M
        )
    key = [one for one in re.findall(_NAME, words) if one in _KEYS_OF_RECORDS][:1] if tables else []
    return line_of(text, (*tables[0].split("."), *key)) if tables else 0


_NAME = r"[A-Za-z]\w+"
_KEYS_OF_RECORDS = ("changed_by", "errors", "absent", "results", "look_up", "type")


def _check_proposed(proposals: Sequence[Proposal], names: Collection[str]) -> None:
    from workbench.likeness import did_you_mean

    proposed_names = [proposal.name for proposal in proposals]
    for name in names:
        if name not in proposed_names:
            hint = (
                did_you_mean(name, proposed_names) or f"proposed are {', '.join(proposed_names) or 'none'}."
            )
            raise WorkbenchError(f'"{name}" is not proposed; {hint}')


# --- What sentences call tools whose names make no phrase of English: proposals for [nouns]


_DOING = VERBS | words_named("verbs_of_tools")
"""The first words of names that say what is done."""
_NAMED = words_named("verbs_of_names")
"""Those that are the name of what is done: "make a git commit", but "send a mail"."""
_LINKS = frozenset(["by", "for", "of", "to", "from", "in", "into", "with", "at", "on", "over", "via"])


def tool_phrases(types: AgentTypes) -> Mapping[str, str]:
    """The phrases of tools by their classes: those that the name does not say, each of one tool."""
    found = {name: with_articles(_phrase(call)) for name, call in types.calls.items()}
    said = {name: types.nouns.get(name) or found[name] for name in found}
    every = Counter(words.casefold() for words in said.values())
    every.update(doing(call.tool).casefold() for call in types.calls.values())
    return {
        name: words
        for name, words in found.items()
        if name not in types.nouns
        and words != with_articles(doing(types.calls[name].tool))
        and every[words.casefold()] == 1
    }


def parameter_nouns(types: AgentTypes) -> Mapping[str, str]:
    """What the tools themselves call parameters whose names are words of the language: "to" is "recipients".

    A name such as ``to`` can only be said in quotation marks; a description of one or two words says it, or
    the last of them: "email addresses of the recipients". The headers of mails have nouns of their own.
    """
    found: dict[str, str] = {}
    for name, call in types.calls.items():
        taken = {words_of_name(one.name) for one in call.fields}
        for one in call.fields:
            name_words = words_of_name(one.name.rstrip("_"))
            said = ""
            if is_structural(name_words):
                many = one.type.kind in (Kind.LIST, Kind.SET)
                said = _noun_in(one.description, is_of_one=" " in name_words, many=many)
            noun = said or _of_mail(one, name_words)
            if noun and noun not in taken:
                found[f"{name}.{one.name}"] = noun
    return {key: noun for key, noun in found.items() if key not in types.nouns}


_OF_MAIL = {"to": "recipient", "cc": "cc recipient", "bcc": "bcc recipient"}
"""What stands in the headers of mails of these names."""
_MAIL = re.compile(r"\be-?mail|\baddress", re.IGNORECASE)


def _of_mail(one: CallField, words: str) -> str:
    """What a parameter with the name of a header of mails has, if its kind or description says addresses."""
    many = one.type.kind in (Kind.LIST, Kind.SET)
    is_of_mail = one.kind == "mail_address" or _MAIL.search(one.description) is not None
    noun = _OF_MAIL.get(words, "") if is_of_mail else ""
    return f"{noun}s" if noun and many else noun


def _noun_in(description: str, *, is_of_one: bool, many: bool = False) -> str:
    """The one or two words that are a description, or that follow its last "of the", of ``many`` also "of".

    What has a name of several words ``is_of_one`` of those: "with_email" is no person.
    """
    first = re.split(r"[.,;:(]", description.casefold(), maxsplit=1)[0].strip()
    last = first.rpartition(" of ")[2] if many else ""
    for part in (first,) if is_of_one else (first, first.rpartition(" of the ")[2], last):
        noun = re.sub(r"^(?:the|an?) ", "", part)
        if noun.replace(" ", "").isalpha() and noun.count(" ") <= 1 and not is_structural(noun):
            return noun
    return ""


def _phrase(call: CallType) -> str:
    """What an agent does by a call: a verb with its thing, and what the name says besides."""
    words = words_of_name(call.tool).split()
    known = (number for number, word in enumerate(words) if word in _DOING)
    verb = next(known, 0 if _is_done(words, call.description) else None)
    if verb is None or 0 < verb == len(words) - 1:
        known_thing = words[:verb] if words[-1] not in _NAMED else ()
        if said := _described(known_thing, call.description):
            return said
    if verb is None or len(words) == 1 or not all(word.isalpha() for word in words):
        return doing(call.tool)
    of_verb = verb + (2 if len(words) > verb + 2 and words[verb + 1] in OF_VERBS else 1)
    before, done, after = words[:verb], " ".join(words[verb:of_verb]), words[of_verb:]
    if before and not after:
        return f"make a {' '.join(words)}" if done in _NAMED else f"{done} {_thing(before, call)}"
    of = f" with {' '.join(before)}" if before else ""
    return f"{done} {_thing(after, call)}{of}"


def _described(thing: Sequence[str], description: str) -> str:
    """What a description says first is done, and to what; empty if nothing, or to the ``thing`` of the name.

    ``terminal`` with "Run a command in bash." runs a command, ``calendar_create`` may make an appointment.
    """
    found = _DONE_TO.match(description.split(".")[0].casefold())
    if found is None:
        return ""
    verb, noun = found["verb"], found["noun"].split()
    verb = next((one for one in (verb, verb.removesuffix("s"), verb.removesuffix("es")) if one in _DOING), "")
    is_of_other = not {*noun} & {*thing, *(singular(one) for one in thing)}
    return f"{verb} a {' '.join(noun)}" if verb and is_of_other and _is_counted(noun[-1]) else ""


_DONE_TO = re.compile(
    r"(?P<verb>[a-z]+) (?:an?|one|the) (?P<noun>[a-z]+(?: [a-z]+)?)"
    r"(?:$|[,;:(]| (?:and|or|that|which|in|on|at|to|as|with|by|for|from|into)\b)"
)


def _is_done(words: Sequence[str], description: str) -> bool:
    """Whether the first word of a name is done to one of the last: "discard item" throws away "an item".

    A first word that the description has after its beginning is a thing itself, as in "directory tree".
    """
    from workbench.language.foreign.stems import stem

    one_of_it = rf"\b(?:an?|one|each|another) (?:\w+ )?{re.escape(words[-1])}\b"
    said = [stem(word) for word in words_of(description)]
    return stem(words[0]) not in said[1:] and re.search(one_of_it, description, re.IGNORECASE) is not None


def _thing(words: Sequence[str], call: CallType) -> str:
    """One thing with its article, and what it is found by."""
    link = next((number for number, word in enumerate(words) if word in _LINKS), len(words))
    thing, rest = list(words[:link]), list(words[link:])
    if thing and _is_counted(thing[-1]) and thing[0] not in ("a", "an", "the", "all", "every", "my"):
        thing = ["a", *thing]
    if len(rest) == 3 and all(_is_parameter(word, call) for word in rest[1:]):
        rest = [rest[0], rest[1], "and", rest[2]]
    return " ".join((*thing, *rest))


def _is_counted(word: str) -> bool:
    return word not in UNCOUNTED and (not word.endswith("s") or word.endswith(("ss", "us", "is")))


def _is_parameter(word: str, call: CallType) -> bool:
    names = (name for name, _ in call.decided.fields)
    return any(word in words_of_name(name).split() for name in names)
