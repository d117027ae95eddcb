"""The agent spec over the screen: its parts line by line, each of which a form edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.message import Message
from textual.screen import ModalScreen

from workbench.clean_text import one_line
from workbench.old_screen.actions import bindings
from workbench.old_screen.plain import Line, TextRun, Tone, fit, line, muted, title
from workbench.old_screen.styles import style_sheet
from workbench.old_screen.value_text import BLANK, heading, paragraph, plural
from workbench.old_screen.widgets.lines import LineList, Row, RowList

if TYPE_CHECKING:
    from workbench.model import Argument, Proposal, Record, Tool
    from workbench.old_screen.agent_state import AgentView

HINT = "Enter edits or adds, n adds, Del removes or drops, p to proposals, Esc closes"


class AgentParts(RowList):
    """The parts of an agent spec; the key of a row is the kind of part and its name."""

    def show(self, view: AgentView) -> None:
        """Show the parts."""
        self.border_title = title(f"Agent {view.spec.name}")
        self.border_subtitle = title(HINT)
        self.show_rows(lambda width: agent_rows(view, width))

    @property
    def part(self) -> tuple[str, str]:
        """The kind and the name of the marked part."""
        kind, _, name = self.key.partition(" ")
        return kind, name


class AgentScreen(ModalScreen[None]):
    """Shows the agent spec until it is closed; the app opens the forms and stores them."""

    DEFAULT_CSS = style_sheet(__file__)
    AUTO_FOCUS = "AgentParts"
    HELP = """The agent spec: what the agent is, the arguments of the policy and how each is read from a step,
tools, vocabulary, tables and synonyms. Enter edits the marked part in a form, Alt+E its text in $EDITOR, n
adds another one, Delete removes it, Ctrl+Z takes the last change back."""
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("agent")]

    @dataclass
    class Wanted(Message):
        """The user wants the form of a part; an empty name adds one of its kind."""

        kind: str
        name: str

    @dataclass
    class Removed(Message):
        """The user wants a part away."""

        kind: str
        name: str

    def __init__(self, view: AgentView) -> None:
        """Take what to show first."""
        super().__init__()
        self._view = view

    def compose(self) -> ComposeResult:
        """The parts alone."""
        yield AgentParts()

    def on_mount(self) -> None:
        """Fill in the parts."""
        self.show(self._view)

    def show(self, view: AgentView) -> None:
        """Show the spec after a change."""
        self._view = view
        self.query_one(AgentParts).show(view)

    @on(LineList.Chosen)
    def _chosen(self, event: LineList.Chosen) -> None:
        event.stop()
        kind, name = self.query_one(AgentParts).part
        if kind == "record":
            self.notify("A record has no form; Alt+E edits agent.toml.", markup=False)
        elif kind:
            self.post_message(self.Wanted(kind, name))

    def action_add(self) -> None:
        """Add a part of the marked one's kind."""
        kind = self.query_one(AgentParts).part[0]
        self.post_message(
            self.Wanted(
                {"agent": "argument", "proposal": "argument", "record": "argument"}.get(kind, kind), ""
            )
        )

    def action_propose(self) -> None:
        """Go to the first thing that the tools' schemas and the logs suggest."""
        if self._view.proposals:
            self.query_one(AgentParts).select(f"proposal {self._view.proposals[0].name}")
        else:
            self.notify("Neither the tools' schemas nor the logs suggest anything more.", markup=False)

    def action_remove(self) -> None:
        """Remove the marked part."""
        kind, name = self.query_one(AgentParts).part
        if name and kind != "record":
            self.post_message(self.Removed(kind, name))

    def action_close(self) -> None:
        """Close."""
        self.dismiss(None)


def agent_rows(view: AgentView, width: int) -> list[Row]:
    """Everything about the agent, a line for each part."""
    spec = view.spec
    words = one_line(spec.description) or "no description"
    rows = [heading("Agent"), *paragraph(line(spec.name, muted(f"  {words}")), width, "agent ", 1, 2)]
    rows += [BLANK, heading(f"Arguments of the policy  {len(spec.arguments)}")]
    names = min(max((len(one.name) for one in spec.arguments), default=0), max(width // 3, 8))
    for argument in spec.arguments:
        rows.append(Row(argument_line(argument, view, names, width), f"argument {argument.name}"))
    rows += _none(not spec.arguments, "argument", "None. n adds one.", width)
    if view.proposals:
        rows += [BLANK, heading(f"Proposed from schemas and logs  {len(view.proposals)}")]
        for proposal in view.proposals:
            rows += proposal_rows(proposal, width)
    if spec.records:
        rows += [BLANK, heading(f"Records  {len(spec.records)}")]
        rows += [Row(_record_line(record, width), f"record {record.name}") for record in spec.records]
    rows += [BLANK, heading(f"Tools  {len(spec.tools)}")]
    rows += [Row(_tool_line(tool, width), f"tool {tool.name}") for tool in spec.tools]
    rows += _none(not spec.tools, "tool", "None. n adds one.", width)
    for kind, name, lists in (
        ("vocabulary", "Vocabulary", spec.vocabulary),
        ("schema", "Tables", spec.schema),
    ):
        rows += [BLANK, heading(f"{name}  {len(lists)}")]
        rows += [Row(_words_line(key, words, width), f"{kind} {key}") for key, words in lists.items()]
        rows += _none(not lists, kind, "None. n adds one.", width)
    rows += [BLANK, heading(f"Synonyms  {len(spec.synonyms)}")]
    for word, means in spec.synonyms.items():
        rows.append(Row(line(f" {one_line(word)}", muted(" means "), one_line(means)), f"synonym {word}"))
    return rows + _none(not spec.synonyms, "synonym", "None. n adds one.", width)


def proposal_rows(proposal: Proposal, width: int) -> list[Row]:
    """What is proposed, and below it what speaks for it and what to look at."""
    key, record = f"proposal {proposal.name}", proposal.record
    if record is not None:
        told = f"  record  {', '.join(field.name for field in record.fields)}"
    else:
        argument = proposal.arguments[0]
        now = f", now {proposal.replaces}" if proposal.replaces else ""
        told = f"  {_type_word(argument)}{now}  {_read_by(argument)}"
    head = f" + {one_line(proposal.name)}"
    rows = [
        Row(line(muted(" + "), one_line(proposal.name), muted(fit(told, max(width - len(head), 4)))), key)
    ]
    if not proposal.is_plain:
        for sentence in proposal.evidence:
            rows += paragraph(line(muted(one_line(sentence))), width, key, 5)
        for sentence in proposal.unsure:
            rows += paragraph(line(TextRun(one_line(sentence), Tone.WARN)), width, key, 5)
    return rows


def _type_word(argument: Argument) -> str:
    element = argument.type.element
    record = argument.type.record or (element.record if element is not None else None)
    if record is None:
        return argument.type.kind.value
    return f"list of {record.name}" if element is not None else record.name


def _record_line(record: Record, width: int) -> Line:
    head = f" {one_line(record.name)}  "
    known = f"by {', '.join(record.keys)}  " if record.key else "of lists  "
    fields = ", ".join(field.name for field in record.fields)
    return line(head, muted(fit(known + fields, max(width - len(head), 4))))


def _none(empty: bool, kind: str, text: str, width: int) -> list[Row]:
    return paragraph(line(muted(text)), width, f"{kind} ", 1) if empty else []


def argument_line(argument: Argument, view: AgentView, names: int, width: int) -> Line:
    """An argument: its name, type and method, and in how many steps it has a value."""
    head = f" {fit(argument.name, names)}  {fit(argument.type.kind, 8)}  "
    valued = view.valued.get(argument.name)
    share = ""
    tone = Tone.MUTED
    if valued is not None and view.steps:
        share = f"  {valued:,} of {plural(view.steps, 'step')}"
        tone = Tone.GOOD if valued == view.steps else Tone.WARN
    room = max(width - len(head) - len(share), 4)
    return line(head, muted(fit(_read_by(argument), room)), TextRun(share, tone))


def _read_by(argument: Argument) -> str:
    if argument.extraction is None:
        return "not read"
    options = argument.extraction.options
    first = next((value for value in options.values() if isinstance(value, str)), "")
    return one_line(f"{argument.extraction.method} {first}")


def _tool_line(tool: Tool, width: int) -> Line:
    head = f" {one_line(tool.name)}  "
    return line(head, muted(fit(tool.description, max(width - len(head), 4))))


def _words_line(name: str, words: Sequence[str], width: int) -> Line:
    head = f" {one_line(name)}  "
    return line(head, muted(fit(", ".join(words), max(width - len(head), 4))))


if __name__ == "__main__":
    from workbench.old_screen.alone import run_alone
    from workbench.old_screen.samples.sample_agent import VIEW

    run_alone(AgentParts(), lambda widget: widget.show(VIEW))
