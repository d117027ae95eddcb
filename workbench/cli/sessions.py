"""Commands around sessions: open, new, doctor."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from workbench.clean_text import counted, one_line
from workbench.cli.open_session import reading, writing
from workbench.cli.output import note, paint, progress, write, write_lines, write_result
from workbench.cli.parameters import AsJson, LogFiles, SessionPath
from workbench.cli.person import need_terminal, refuse_agents
from workbench.model import (
    ArgumentType,
    Extraction,
    FieldNote,
    Json,
    Kind,
    Proposal,
    Record,
    TextReading,
    Value,
    WorkbenchError,
)
from workbench.tones import Tone

if TYPE_CHECKING:
    from workbench.app.agent import Confirmation
    from workbench.app.from_settings import ChangedCall, Rescued
    from workbench.app.new_session import FirstDraft
    from workbench.app.workbench import Workbench
    from workbench.model import AgentSpec


NewFolder = Annotated[Path, typer.Argument(help="The folder to make.", show_default=False)]
RequestFile = Annotated[
    Path | None, typer.Option("--request", metavar="FILE", help="The guard request, text.")
]
SettingsFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--from-settings",
        metavar="FILE",
        help="In place of a request and an agent: the permissions of Claude Code (settings.json), Codex "
        "(*.rules, config.toml), the Gemini CLI (settings.json, policies in TOML) or OpenCode "
        "(opencode.json), or Cedar policies for tools of MCP (*.cedar); may be repeated.",
    ),
]
AgentFile = Annotated[
    Path | None,
    typer.Option(
        "--agent",
        metavar="FILE",
        help="The agent spec (TOML), or the agent's tools: a list of OpenAI, Anthropic or MCP or an OpenAPI "
        "3 (JSON), or functions (a .py file, which is never run). Left out, it is drafted from the logs.",
    ),
]
McpServer = Annotated[
    str,
    typer.Option(
        "--mcp",
        metavar="SERVER",
        help="The agent's MCP server, which is asked for its tools: a command to start, or an http address.",
    ),
]
CopiedLogs = Annotated[
    list[Path] | None,
    typer.Option(
        "--log", metavar="FILE", exists=True, help="A log to copy into the session; may be repeated."
    ),
]
AuthorName = Annotated[
    Literal["written", "openai"],
    typer.Option(
        "--author",
        metavar="NAME",
        help="Who makes the policy: written (you, by sentences and Python), or openai (a draft of the model "
        "that WORKBENCH_MODEL names, which you then check).",
    ),
]
AcceptRecords = Annotated[
    bool,
    typer.Option("--accept", help="Also declare what 'workbench propose' shows."),
]


def open_session(
    session: Annotated[
        Path | None,
        typer.Argument(metavar="SESSION", help="The session's folder; without one, choose from a list."),
    ] = None,
    copy: Annotated[
        bool,
        typer.Option(
            "--copy", help="Open a copy of your own, in your data folder; it is made once, then opened again."
        ),
    ] = False,
    follow: Annotated[
        Path | None,
        typer.Option("--follow", metavar="LOG", help="Show this log as it grows, decided by the policy."),
    ] = None,
) -> int:
    """Open the workbench on a session, or choose one from a list."""
    if session is None and (copy or follow):
        option = "--copy" if copy else f"--follow {follow}"
        raise WorkbenchError(f"Name the session's folder: 'workbench open {option} SESSION'.")
    need_terminal()
    if session is not None:
        refuse_agents(session)
    notice = ""
    if copy and session is not None:
        session, notice = _copied(session)
    from workbench.tui.starting import run

    return run(session, notice=notice, followed=follow)


def _copied(session: Path) -> tuple[Path, str]:
    """Make or find the person's copy of a session; return its folder and a notice, which is also written."""
    from workbench.app.own_copy import own_copy
    from workbench.files.private import data_folder

    copy, is_new = own_copy(session, data_folder() / "sessions")
    notice = f"This is {'a' if is_new else 'your'} copy of {session} for you to change: {copy}"
    note(notice)
    return copy, notice


def tour() -> int:
    """Open your copy of a shipped session: four things to do."""
    from workbench.app.own_copy import first_session
    from workbench.tui.starting import run

    need_terminal()
    session, notice = first_session()
    return run(session, guided=True, notice=notice)


def new(
    folder: NewFolder,
    request: RequestFile = None,
    agent: AgentFile = None,
    log: CopiedLogs = None,
    author: AuthorName = "written",
    accept: AcceptRecords = False,
    mcp: McpServer = "",
    from_settings: SettingsFiles = None,
    as_json: AsJson = False,
) -> int:
    """Make a session of a request, or of settings.

    'workbench propose' then proposes records from what the results in the logs tell. Nothing is made where
    the request is empty, or where a log has no call that can be read. From settings it says what is wrong
    with them, too.
    """
    if from_settings:
        if request or agent or mcp or accept or author != "written":
            raise WorkbenchError(
                "Settings say the request and the tools; with --from-settings give --log alone."
            )
        return _new_from_settings(folder, from_settings, log or (), as_json=as_json)
    if request is None or as_json:
        needed = "--json goes with --from-settings." if as_json else "Give --request, or --from-settings."
        raise WorkbenchError(needed)
    return _new_of_request(folder, request, agent, log or (), author, accept=accept, mcp=mcp)


def _new_of_request(
    folder: Path,
    request: Path,
    agent: Path | None,
    log: Sequence[Path],
    author: Literal["written", "openai"],
    *,
    accept: bool,
    mcp: str,
) -> int:
    """Make a session of a request, and write what it comes to."""
    from workbench.app.new_session import new_session
    from workbench.cli.model_calls import tell_call

    if mcp:
        progress("Asking the MCP server")
    created_session = new_session(folder, request, agent=agent, logs=log, author=author, mcp=mcp)
    with contextlib.closing(created_session.workbench) as bench:
        for sentence in created_session.notes:
            note(sentence)
        bench.authorship.watch(tell_call)
        try:
            first_draft = created_session.draft(accept_records=accept)
        except WorkbenchError:
            if not bench.session.written:
                note(f"{folder} is made, without a policy; 'workbench draft {folder}' drafts one later.")
            raise
        spec = bench.session.spec
        standing = None if bench.session.is_drafted else bench.standing()
        default = () if standing is None else default_lines(bench)
    _tell_drafted(folder, spec if created_session.spec_drafted else None, first_draft)
    if standing is None:
        write(f"Made {folder}. {counted(len(first_draft.understanding.draft.requirements), 'sentence')}.")
        return 0
    write(f"Made {folder}. {counted(len(standing.sentences), 'sentence')}, none said yet.")
    write_lines(default)
    write(f"Next: {standing.next_step}")
    return 0


_MOST_CALLS = 3
_LONGEST_CALL = 200
_MOST_FINDINGS = 12


def _new_from_settings(folder: Path, files: Sequence[Path], logs: Sequence[Path], *, as_json: bool) -> int:
    """Make a session from settings, and write what was read, what is wrong and what is offered."""
    from workbench.app.from_settings import from_settings

    created, rescued = from_settings(folder, files, logs)
    created.workbench.close()
    for sentence in created.notes:
        note(sentence)
    if as_json:
        write_result(rescued)
        return 0
    counts = ", ".join(f"{count} {effect}" for effect, count in rescued.rules.items() if count)
    write(one_line(f"Read the rules of {rescued.client}: {counts}."))
    for title, lines in (
        ("Wrong", _wrong(rescued)),
        ("Offered", _offered(rescued)),
        ("Proved", _proved(rescued)),
        ("Not carried over", rescued.lost),
    ):
        for number, line in enumerate(lines[:_MOST_FINDINGS]):
            write(f"{'' if number else title:<17} {one_line(line)}")
        if len(lines) > _MOST_FINDINGS:
            write(f"{'':<17} and {len(lines) - _MOST_FINDINGS} more; --json has all")
    write(f"Made {folder}.")
    write(f"Next: {rescued.next_step}")
    return 0


def _wrong(rescued: Rescued) -> Sequence[str]:
    lines: list[str] = []
    for finding in rescued.findings:
        shown = "; ".join(slip.command for slip in finding.slips[:_MOST_CALLS])
        lines.append(finding.text + (f": {shown}" if shown else ""))
    return lines or ["nothing was found"]


def _offered(rescued: Rescued) -> Sequence[str]:
    slipped = len(rescued.closed) + len(rescued.open)
    lines = [
        f"{counted(rescued.typed, 'rule')} over programs, files and hosts; 'workbench check' proves each"
    ]
    if slipped:
        lines.append(
            f"of {counted(slipped, 'command')} that slip through, the session stops {len(rescued.closed)}"
        )
    if rescued.open:
        lines.append(f"it does not stop {'; '.join(rescued.open[:_MOST_CALLS])}")
    tried = f"{counted(rescued.tried, 'command')} of these kinds and {counted(rescued.logged, 'logged call')}"
    lines.append(
        f"of {tried} it is stricter about {_calls(rescued.newly_denied)}, "
        f"laxer about {_calls(rescued.newly_allowed)}"
    )
    return lines


def _proved(rescued: Rescued) -> Sequence[str]:
    """What is proved of all calls, and of which calls nothing is."""
    lines = [
        f"of every call of {', '.join(rescued.compared)}: laxer by {_calls(rescued.proved_allowed)}, "
        f"stricter by {_calls(rescued.proved_denied)}"
    ]
    lines = lines if rescued.compared else []
    lines += [f"nothing of {why}" for why in rescued.unproved]
    if rescued.held:
        lines.append(f"of every command that begins as {_named(rescued.held)}, whatever follows: laxer by 0")
    if rescued.searched:
        searched = f"nothing of commands that match {_named(rescued.searched)}"
        lines.append(f"{searched}: {counted(rescued.tried, 'command')} were tried")
    return lines


def _named(rules: Sequence[str]) -> str:
    """The first rules, and how many more there are."""
    more = f" and {len(rules) - _MOST_CALLS} more" if len(rules) > _MOST_CALLS else ""
    return ", ".join(rules[:_MOST_CALLS]) + more


def _calls(changed: Sequence[ChangedCall]) -> str:
    shown = "; ".join(
        f"{one_line(one.call, _LONGEST_CALL)} ({one.settings} → {one.session})"
        for one in changed[-_MOST_CALLS:]
    )
    return f"{len(changed)}" + (f" ({shown})" if shown else "")


def default_lines(bench: Workbench) -> tuple[str, ...]:
    """Lines on what is decided where no sentence speaks, and on the sentence that changes it."""
    now, other = bench.sentences.default
    say = shlex.join(["workbench", "say", str(bench.session.path), other, "--keep"])
    return (one_line(f"{now} That is DEFAULT in policy.py; to change it: {say}"),)


def _tell_drafted(folder: Path, drafted: AgentSpec | None, first_draft: FirstDraft) -> None:
    """Write what was drafted; ``drafted`` is the agent spec if it was drafted from tools and logs."""
    if drafted is not None:
        holds = counted(len(drafted.tools), "tool")
        holds += f", {counted(len(drafted.records), 'record')}" if drafted.records else ""
        write(f"Drafted {folder / 'agent.toml'}: {holds}. Look it over; it is yours to edit.")
    write_lines(confirmation_lines(first_draft.assumed, first_draft.look))
    if first_draft.proposed:
        listed = one_line(", ".join(first_draft.proposed))
        write(f"Also proposed: {listed}; 'workbench propose {folder}' shows what speaks for each.")


def doctor(
    model: Annotated[
        bool,
        typer.Option("--model", help="Ask the model one small question, and say what its endpoint can do."),
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Check what the workbench needs, each with a remedy.

    Nagini is tried with a real proof, which takes some seconds. So are the hooks in your settings of coding
    agents and in those of this folder: each is asked about a harmless call and about one that it must deny.
    Exits with 3 if something is missing.
    """
    from workbench.app.doctor import Diagnosis, examinations
    from workbench.cli.report_text import finding_lines
    from workbench.hook.examination import hook_examinations

    findings: list[Diagnosis] = []
    if model:
        import os

        from workbench.app.doctor import examine_model

        progress("Asking the model")
        findings += examine_model(os.environ)
    for examination in () if model else (*examinations(), *hook_examinations(Path.cwd())):
        progress(f"Examining {examination.subject}")
        findings.append(examination.run())
        if not as_json:
            write_lines(finding_lines(findings[-1]))
    if model and not as_json:
        write_lines(line for finding in findings for line in finding_lines(finding))
    if as_json:
        write_result(findings)
    return 3 if any(finding.needed and not finding.good for finding in findings) else 0


# --- propose: declarations that the agent spec could have, to be accepted or dropped


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
    typer.Option("--write", help="Add all, or the reading, to agent.toml; undo takes them out."),
]


ReadingName = Annotated[
    str,
    typer.Option(
        "--reading", metavar="NAME", help="Declare what is read out of texts, by the options below."
    ),
]
Pattern = Annotated[
    str | None, typer.Option("--pattern", metavar="REGEX", help="What the first group matches, or all of it.")
]
Line = Annotated[str | None, typer.Option("--line", metavar="KEY", help="The value of a line KEY: value.")]
JsonPath = Annotated[
    str | None, typer.Option("--path", metavar="PATH", help="The value at a path of a text that is JSON.")
]
Phrases = Annotated[
    list[str] | None,
    typer.Option(
        "--phrases",
        metavar="VALUE=TEXTS",
        help="A value and its phrases, as “refund=refund, money back”; may be repeated.",
    ),
]
ReadingType = Annotated[
    str, typer.Option("--type", metavar="TYPE", help="str, int, decimal, bool, date or list (of texts).")
]
OfTexts = Annotated[
    list[str] | None,
    typer.Option("--of", metavar="CLASS.FIELD", help="The only texts that have it; may be repeated."),
]


def propose(
    session: SessionPath,
    log: LogFiles = None,
    accept: Accepted = None,
    drop: Dropped = None,
    write_them: WriteThem = False,
    reading_name: ReadingName = "",
    pattern: Pattern = None,
    line: Line = None,
    path: JsonPath = None,
    phrases: Phrases = None,
    type_: ReadingType = "str",
    of: OfTexts = None,
    as_json: AsJson = False,
) -> int:
    """Propose what tools and logs show, or declare a reading.

    They show records, readings of results, notes on parameters and the like. Each comes with what was seen,
    and with what to look at before it is accepted. What the session declares already, and what was dropped,
    is left out.
    """
    if reading_name:
        how = Method(pattern, line, path, phrases or ())
        return _declare(session, declared_reading(reading_name, type_, of or (), how), log, keep=write_them)
    accepted, dropped = tuple(accept or ()), tuple(drop or ())
    with writing(session) if write_them or accepted or dropped else reading(session) as bench:
        progress("Reading the logs")
        calls = bench.runs.recorded(log)
        proposals = bench.agent.proposals(calls)
        not_read, assumed = bench.agent.not_read(calls), bench.agent.confirmations(proposals, calls)
        if dropped:
            bench.agent.drop(proposals, dropped)
        if write_them:
            accepted = bench.agent.accept_all(proposals, also=accepted, but=dropped)
        elif accepted:
            bench.agent.accept(proposals, accepted)
    shown = _Shown(tuple(proposals), assumed, not_read, accepted, dropped)
    shown.tell(as_json=as_json)
    return 0


@dataclass(frozen=True, slots=True)
class _Shown:
    """What was proposed, and what of it was accepted and dropped."""

    proposals: Sequence[Proposal]
    assumed: Sequence[Confirmation]
    not_read: str
    accepted: Sequence[str]
    dropped: Sequence[str]

    def tell(self, *, as_json: bool) -> None:
        """Write the proposals, or how many were accepted and dropped."""
        touched = {*self.accepted, *self.dropped}
        shown = [one for one in self.proposals if not touched or one.name in touched]
        if as_json:
            for proposal in shown:
                write_result(proposal)
        elif touched:
            added = counted(len(self.accepted), "proposal")
            write(f"{added} added to agent.toml, {len(self.dropped)} dropped.")
        else:
            _show(shown)
            write_lines(confirmation_lines(self.assumed, ()))
            if self.not_read:
                note(one_line(self.not_read))


def _declare(session: Path, declared: TextReading, log: Sequence[Path] | None, *, keep: bool) -> int:
    """Show what a reading gives in the logs, and declare it."""
    with writing(session) if keep else reading(session) as bench:
        reads = bench.agent.reads(declared, bench.runs.recorded(log))
        if keep:
            bench.agent.declare(declared)
    write_lines(reading_lines(declared, reads))
    write("Added to agent.toml." if keep else "Nothing is stored; --write does that.")
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
        write_lines(_lines(proposal))
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


# --- a reading of texts that a person declares

_TYPES = {
    **{kind: ArgumentType(Kind(kind)) for kind in ("str", "int", "decimal", "bool", "date")},
    "list": ArgumentType(Kind.LIST, element=ArgumentType(Kind.STR)),
}
_MOST_VALUES = 3


@dataclass(frozen=True, slots=True)
class Method:
    """How a text is read, as the options of the command say it."""

    pattern: str | None = None
    line: str | None = None
    path: str | None = None
    phrases: Sequence[str] = ()


def declared_reading(name: str, type_: str, texts: Sequence[str], how: Method) -> TextReading:
    """The reading that options of the command say; raises WorkbenchError unless they say one method."""
    options: list[tuple[str, dict[str, Json]]] = []
    if how.pattern is not None:
        options.append(("regex", {"pattern": how.pattern}))
    if how.line is not None:
        options.append(("field", {"key": how.line}))
    if how.path is not None:
        options.append(("json", {"path": how.path}))
    if how.phrases:
        options.append(("phrases", {"categories": _categories(how.phrases)}))
    if len(options) != 1:
        raise WorkbenchError("Say how the text is read: one of --pattern, --line, --path and --phrases.")
    method, given = options[0]
    if not how.phrases and type_ not in _TYPES:
        raise WorkbenchError(f"“{one_line(type_)}” is none of {', '.join(_TYPES)}.")
    read = ArgumentType(Kind.ENUM, values=tuple(_categories(how.phrases))) if how.phrases else _TYPES[type_]
    return TextReading(name, read, Extraction(method, given), texts=tuple(texts))


def _categories(phrases: Sequence[str]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for one in phrases:
        category, equals, listed = one.partition("=")
        words: list[Json] = [part.strip() for part in listed.split(",") if part.strip()]
        if not (equals and category.strip() and words):
            raise WorkbenchError(f"“{one_line(one)}” is not of the form “refund=refund, money back”.")
        found[category.strip()] = words
    return found


def reading_lines(reading: TextReading, reads: Sequence[tuple[str, Value]]) -> Iterator[str]:
    """What a reading gives for the texts in the logs."""
    values = [(place, value) for place, value in reads if value is not None]
    yield f"{reading.name}: a value in {len(values)} of {counted(len(reads), 'text')} of the logs."
    shown = dict.fromkeys(f"{place}: {value}" for place, value in values)
    yield from (f"  {one_line(one)}" for one in [*shown][:_MOST_VALUES])
    if not reading.texts:
        yield "  Every text has it; --of CLASS.FIELD, as SendMail.body, names those that do."
