"""The command ``propose``: declarations that the agent spec could have, to be accepted or dropped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from workbench.clean_text import counted, one_line
from workbench.cli.open_session import reading, writing
from workbench.cli.output import note, paint, progress, write, write_json
from workbench.cli.parameters import AsJson, LogFiles, SessionPath
from workbench.model import ArgumentType, FieldNote, Kind, Proposal, Record
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.agent import Confirmation

_MOST_LOOKS = 8
_LONGEST_LOOK = 300
Accepted = Annotated[
    list[str] | None,
    typer.Option("--accept", metavar="NAME", help="Add this one to agent.toml; may be repeated."),
]
Dropped = Annotated[
    list[str] | None,
    typer.Option("--drop", metavar="NAME", help="Do not propose this one again; may be repeated."),
]
WriteThem = Annotated[
    bool,
    typer.Option("--write", help="Add all to agent.toml; undo takes them out."),
]


def propose(
    session: SessionPath,
    log: LogFiles = None,
    accept: Accepted = None,
    drop: Dropped = None,
    write_them: WriteThem = False,
    as_json: AsJson = False,
) -> int:
    """Propose declarations from tools and logs.

    They are records, readings of results, notes on parameters and the like for a policy of calls; lists and
    arguments for any other one. Each is shown with what was seen, and with what to look at before it is
    accepted. It leaves out what the session declares already, and what was dropped.
    """
    from workbench.app.json_output.nouns import PROPOSAL

    accepted, dropped = tuple(accept or ()), tuple(drop or ())
    with writing(session) if write_them or accepted or dropped else reading(session) as bench:
        progress("Reading the logs")
        calls = bench.runs.recorded(log)
        proposals = bench.agent.proposals(calls)
        not_read, assumed = bench.agent.not_read(calls), bench.agent.confirmations(proposals)
        if dropped:
            bench.agent.drop(proposals, dropped)
        if write_them:
            accepted = bench.agent.accept_all(proposals, also=accepted, but=dropped)
        elif accepted:
            bench.agent.accept(proposals, accepted)
    touched = {*accepted, *dropped}
    shown_proposals = [proposal for proposal in proposals if not touched or proposal.name in touched]
    if as_json:
        for proposal in shown_proposals:
            write_json(PROPOSAL.write(proposal))
    elif touched:
        write(f"{counted(len(accepted), 'proposal')} added to agent.toml, {len(dropped)} dropped.")
    else:
        _show(shown_proposals)
        for line in confirmation_lines(assumed, ()):
            write(line)
        if not_read:
            note(one_line(not_read))
    return 0


def confirmation_lines(assumed: Sequence[Confirmation], look: Sequence[str]) -> Iterator[str]:
    """Lines on what is assumed, each with what to write otherwise, and on what to look at."""
    if assumed or look:
        yield "Please confirm; each is taken as yes:" if assumed else "Please look at this:"
    for number, one in enumerate(assumed, start=1):
        yield f"  {number}. {one_line(one.question)}"
        yield f"     If not: {one_line(one.otherwise)}."
    for sentence in look[:_MOST_LOOKS]:
        yield f"  {paint('look', Tone.WARN)}: {one_line(sentence, _LONGEST_LOOK)}"
    if len(look) > _MOST_LOOKS:
        yield f"  {len(look) - _MOST_LOOKS} more such sentences; agent.toml says what was declared."


def _show(proposals: Sequence[Proposal]) -> None:
    """Write the proposals, and how to accept them."""
    for proposal in proposals:
        for line in _lines(proposal):
            write(line)
    if proposals:
        write(f"{counted(len(proposals), 'proposal')}. --accept NAME adds one to agent.toml, --drop NAME")
        write("drops it, --write adds all.")
    else:
        write("Nothing to propose.")


def _lines(proposal: Proposal) -> Iterator[str]:
    """Lines on a proposal: what it declares, and below it the reasons for it."""
    record = proposal.record
    if record is not None:
        known_by = one_line(" and ".join(record.keys))
        yield f"{paint(one_line(proposal.name), Tone.TITLE)}: record, known by {known_by}"
        yield "  " + one_line(f"fields: {', '.join(_field_names(proposal.records, record))}")
    else:
        yield f"{paint(one_line(proposal.name), Tone.TITLE)}: {one_line(_declared(proposal))}"
    for sentence in proposal.evidence:
        yield "  " + one_line(sentence)
    for sentence in proposal.unsure:
        yield f"  {paint('look', Tone.WARN)}: {one_line(sentence)}"


def _declared(proposal: Proposal) -> str:
    """What a proposal declares that is no record."""
    parts = [f"reading, {type_words(reading.type)}" for reading in proposal.readings]
    if proposal.context:
        fields = (f"{name} {type_words(field.type)}" for name, field in proposal.context.items())
        parts.append(f"context: {', '.join(fields)}")
    if proposal.errors:
        parts.append(f"results that say that a call failed: {', '.join(proposal.errors)}")
    if proposal.nouns:
        parts.append(f"nouns: {', '.join(f'{name} “{words}”' for name, words in proposal.nouns.items())}")
    said = {note_words(note): None for notes in proposal.notes.values() for note in notes.values()}
    parts += [f"note, {words}" for words in said]
    return "; ".join(parts)


def note_words(note: FieldNote) -> str:
    """What a note says, in words: ``a mail_address``, ``normal code``."""
    said = (
        note.type and f"a {note.type}",
        note.name and f"named {note.name}",
        note.normal and f"normal {note.normal}",
        f"{note.places} places" if note.places is not None else "",
        "empty where a call lacks it" if note.optional else "",
        "read letter for letter" if note.exact else "",
        ", ".join(f"{key} {value}" for key, value in note.options.items()),
    )
    return ", ".join(part for part in said if part)


def _field_names(records: Sequence[Record], record: Record) -> Iterator[str]:
    inner = {inner_record.name: inner_record for inner_record in records}
    for field in record.fields:
        element = inner.get(field.of)
        of = (
            f" of {element.name} ({', '.join(inner_field.name for inner_field in element.fields)})"
            if element is not None
            else ""
        )
        yield f"{field.name} {type_words(field.type) if element is None else 'list'}{of}"


def type_words(type_: ArgumentType) -> str:
    """A type in words: ``optional enum of economy, business``."""
    optional = "optional " if type_.optional else ""
    values = (
        f" of {', '.join(type_.values[:6])}{', ...' if len(type_.values) > 6 else ''}" if type_.values else ""
    )
    whole = type_.record or (type_.element.record if type_.element is not None else None)
    if whole is not None:
        return f"{optional}{'list of ' if type_.kind is Kind.LIST else ''}{whole.name}"
    of = f" of {type_.element.kind}" if type_.element is not None else ""
    return f"{optional}{type_.kind}{of}{values}"
