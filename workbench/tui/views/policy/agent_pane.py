"""The pane of the agent spec, and the editor of ``agent.toml`` with the problems of an edit.

Rows of the agent spec: values that the policy reads with their frequency, records, tools, proposals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from workbench.app.session_state import SessionState
from workbench.app.value_texts import ArgumentWords
from workbench.clean_text import one_line
from workbench.model import Argument, Problem, Proposal, Record, WorkbenchError
from workbench.tui.messages import Act, Ask
from workbench.tui.rows import BLANK, Row, heading, paragraph, plural
from workbench.tui.text_runs import TextRun, accent, coded, muted, warn
from workbench.tui.views.author.requirement import problem_row
from workbench.tui.views.view import UNKNOWN
from workbench.tui.widgets.pane import Pane

if TYPE_CHECKING:
    from workbench.app.agent import Agent, AgentOverview
    from workbench.app.workbench import Workbench

type Decide = Callable[[Agent, Sequence[Proposal], str], object]


class AgentPane(Pane):
    """The parts of the agent spec, after the proposals from schemas and logs."""

    def __init__(self) -> None:
        """Start without a state."""
        super().__init__("Agent", id="agent")
        self._state = UNKNOWN
        self._looked_at: object = None
        self._proposing = self.edited = False

    def take(self, state: SessionState) -> None:
        """Take another state; read the spec again if an act may have changed it."""
        self._state = state
        looked_at = (len(state.versions), id(state.logs))
        if looked_at != self._looked_at:
            self._looked_at = looked_at
            self._find()

    def propose(self) -> bool:
        """Look for records, readings and notes in the tools' schemas and the logs."""
        self._proposing = True
        self._find("looking for what the schemas and the logs suggest")
        return True

    def _find(self, label: str = "") -> None:
        logs, propose = self._state.logs, self._proposing

        def find(bench: Workbench) -> AgentOverview:
            return bench.agent.overview(logs or bench.runs.load(), propose=propose)

        self.post_message(Ask("agent", find, self._show_agent, label))

    def _show_agent(self, agent: AgentOverview) -> None:
        note = plural(len(agent.spec.arguments), "value")
        if self._proposing and not agent.proposals:
            note = "nothing more is suggested"
        self.edited = agent.edited
        if agent.edited:
            note = "an edit that is not stored: e opens it"
        self.fill(partial(agent_rows, agent), note=note)

    # --- acts

    def accept(self) -> bool:
        """Accept the proposal at the cursor; False if there is none."""
        return self._decide("Declared", lambda agent, proposals, name: agent.accept(proposals, [name]))

    def put_away(self) -> bool:
        """Drop the proposal at the cursor, or remove the part at the cursor from the spec."""
        if self._decide("Not wanted", lambda agent, proposals, name: agent.drop(proposals, [name])):
            return True
        kind, _, name = self.key.partition(":")
        if not name:
            return False
        label = f"Agent without the {kind} {name}"
        return self.post_message(Act(label, lambda bench: bench.agent.without(kind, name)))

    def _decide(self, label: str, decide: Decide) -> bool:
        kind, _, name = self.key.partition(":")
        logs = self._state.logs
        if kind != "proposal":
            return False

        def work(bench: Workbench) -> object:
            calls = (logs or bench.runs.load()).calls
            return decide(bench.agent, bench.agent.proposals(calls), name)

        return self.post_message(Act(f"{label}: {name}", work))

    # --- editing

    def edit(self, begin: Callable[[str, str], None], words: str = "") -> None:
        """Read ``agent.toml``; ``begin`` gets its text, and the part at the cursor or words about one."""
        at_cursor = words or self.key

        def show(text: str) -> None:
            begin(text, at_cursor)

        self.post_message(Ask("agent text", lambda bench: bench.agent.text(), show, opens=True))


def store_act(text: str, failed: Callable[[str], None]) -> Act:
    """The act that stores an edited ``agent.toml``; ``failed`` gets the reason of a failure."""
    label = "The agent is edited"
    return Act(label, lambda bench: bench.agent.put_text(text, label), failed)


type Problems = tuple[Problem, ...]


def problems_wanted(text: str, show: Callable[[Problems], None]) -> Ask[Problems]:
    """A request to keep an edited ``agent.toml``, and for its problems, which ``show`` gets."""

    def find(bench: Workbench) -> Problems:
        try:
            if not bench.session.read_only:
                bench.agent.keep(text)
            bench.agent.read(text)
        except WorkbenchError as error:
            return error.problems or (Problem(str(error)),)
        return ()

    return Ask("reading", find, show)


# --- rows of the spec


def agent_rows(agent: AgentOverview) -> Iterator[Row]:
    """Every part of the agent spec; the key of a row is the kind of part and its name."""
    spec = agent.spec
    if agent.proposals:
        yield heading(f"Proposed by schemas and logs  {len(agent.proposals)}")
        for proposal in agent.proposals:
            yield from _proposal(proposal)
        yield BLANK
    yield heading(f"Values that the policy reads  {len(spec.arguments)}")
    for argument in spec.arguments:
        yield _argument(argument, agent)
    if not spec.arguments:
        yield paragraph(muted("None."), indent=1)
    for name, kind, parts in (
        ("Records", "record", [(record.name, _record_words(record)) for record in spec.records]),
        ("Tools", "tool", [(tool.name, tool.description) for tool in spec.tools]),
        ("Tables", "schema", [(table, f"{len(of)}: {', '.join(of)}") for table, of in spec.schema.items()]),
        ("Synonyms", "synonym", [(word, f"means {means}") for word, means in spec.synonyms.items()]),
    ):
        if parts or kind == "tool":
            yield from (BLANK, heading(f"{name}  {len(parts)}"))
        for part, words in parts:
            yield paragraph(
                coded(f" {one_line(part)}  "), muted(one_line(words)), key=f"{kind}:{part}", most=1
            )


def _record_words(record: Record) -> str:
    """The fields of a record, and how it is found."""
    key_words = f"by {', '.join(record.keys)}: " if record.key else "in lists: "
    return key_words + ", ".join(field.name for field in record.fields)


def _argument(argument: Argument, agent: AgentOverview) -> Row:
    """The type of an argument, its extraction, and the number of calls in which it has a value."""
    valued = agent.valued.get(argument.name, 0)
    share = muted("  all calls" if agent.calls else "")
    if valued < agent.calls:
        share = warn(f"  {valued:,} of {plural(agent.calls, 'call')}")
    tools = argument.expression.tools if argument.expression is not None else ()
    read = one_line(f"for {', '.join(tools)}") if tools else "for every call"
    name = ArgumentWords((argument,)).expressions.get(argument.name, argument.name)
    words = coded(one_line(name)), muted(f" {_type_word(argument)}  {read}"), share
    return paragraph(*words, key=f"argument:{argument.name}", indent=1, hang=2)


def _type_word(argument: Argument) -> str:
    element = argument.type.element
    record = argument.type.record or (element.record if element is not None else None)
    if record is None:
        return argument.type.kind.value
    return f"list of {record.name}" if element is not None else record.name


def _proposal(proposal: Proposal) -> Iterator[Row]:
    """Rows of a proposal, and below it the reasons for it and the points to check."""
    key, record = f"proposal:{proposal.name}", proposal.record
    if record is not None:
        what = f"record  {', '.join(field.name for field in record.fields)}"
    else:
        declared = (proposal.readings, proposal.context, proposal.errors, proposal.nouns)
        named = zip(("reading", "context", "errors", "nouns"), declared, strict=True)
        what = ", ".join(word for word, of in named if of) or "note"
    yield paragraph(
        accent("+ "), coded(f"{one_line(proposal.name)}  "), muted(what), key=key, indent=1, hang=2
    )
    for sentence in (*map(muted, proposal.evidence), *map(warn, proposal.unsure)):
        yield paragraph(TextRun(one_line(sentence.text), sentence.tone), key=key, indent=4)


def trouble_rows(problems: Sequence[Problem], policy_problems: int) -> Iterator[Row]:
    """The problems of an edited spec, and how many the policy has until the spec is kept."""
    yield from map(problem_row, problems)
    if not problems:
        yield paragraph(muted("agent.toml can be read."))
    if policy_problems:
        words = f"policy.py has {plural(policy_problems, 'problem')} by the agent.toml that is stored."
        yield paragraph(warn(words))
