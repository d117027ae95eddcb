"""The view of the policy file with the findings at its cursor, and the pane of the agent spec beside it.

The file as rows: verdicts in the gutter, problems under their lines, long parts folded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import TextArea

from workbench.app.policy_sections import Section, SectionKind, sections
from workbench.app.session_state import Clause, ClauseState, Rule, SessionState
from workbench.app.value_texts import ArgumentWords
from workbench.clean_text import code_line, one_line
from workbench.model import Argument, Problem, ProofStatus, Proposal, Record, WorkbenchError
from workbench.tui.background_result import Things
from workbench.tui.code_rows import code_lines
from workbench.tui.messages import Act, Ask, Go, Place, PlaceKind, ViewName, Workbench
from workbench.tui.run_text import call_rows
from workbench.tui.text_runs import Line, TextRun, accent, bad, coded, line, muted, strong, warn
from workbench.tui.verdict_signs import line_signs
from workbench.tui.views.author.requirement import clause_rows, judged_rows, problem_row, sentence_line
from workbench.tui.views.view import UNKNOWN, View
from workbench.tui.widgets.code_editor import CodeEditor
from workbench.tui.widgets.lines import BLANK, Row, heading, paragraph, plural
from workbench.tui.widgets.pane import Pane

if TYPE_CHECKING:
    from workbench.app.agent import Agent, AgentOverview


GUTTER = 8
_NO_SIGN = TextRun(" ")
PROBLEM = "problem"
LONGEST_OPEN = 3
"""A section of up to this many lines is never folded."""


def file_rows(state: SessionState, turned: Collection[str]) -> Iterator[Row]:
    """The whole file; ``turned`` has the sections whose folding differs from the default."""
    signs = line_signs(state)
    problems: dict[int, list[Problem]] = {}
    for problem in state.problems:
        problems.setdefault(problem.line, []).append(problem)
    yield from map(_problem, problems.pop(0, ()))
    for section in sections(state):
        if is_folded(state, section, turned):
            yield _folded(state, section, signs)
            continue
        is_text = section.kind is SectionKind.TEXT
        for number in range(section.first, section.last + 1):
            key = f"{SectionKind.TEXT}:{number}" if is_text else section.key
            for content, hang in code_lines(state.policy, number, number):
                empty = is_text and not "".join(run.text for run in content).strip()
                gutter = _gutter(number, signs.get(number, _NO_SIGN))
                yield Row(line(gutter, content), "" if empty else key, hang=GUTTER + hang)
            yield from map(_problem, problems.pop(number, ()))
    yield from map(_problem, chain.from_iterable(problems.values()))
    if not state.policy:
        yield paragraph(muted("There is no policy yet. Answer what is asked, or e writes it."))


def _parts(state: SessionState, turned: Collection[str]) -> Things:
    """That of which the rows of the file are made."""
    return state.policy, state.problems, state.terms, state.clauses, state.rows, state.theorems, turned


def can_fold(section: Section) -> bool:
    """Whether a section can be folded into one line."""
    if section.kind is SectionKind.IMPORTS:
        return section.lines > 1
    return section.kind not in (SectionKind.TEXT, SectionKind.RULE) and section.lines > LONGEST_OPEN


def is_folded(state: SessionState, section: Section, turned: Collection[str]) -> bool:
    """Whether a section is shown as one line.

    A section with a problem never is. By default a clause that is refuted, vacuous or unknown is not, and
    every other section is; a key in ``turned`` inverts the default.
    """
    if not can_fold(section) or any(
        section.first <= problem.line <= section.last for problem in state.problems
    ):
        return False
    clause = _clause(state, section)
    wrong = clause is not None and clause.status not in (None, ProofStatus.PROVED)
    return (section.key in turned) is wrong


def place_of(state: SessionState, key: str) -> tuple[int, int]:
    """The first line (from 1) of the row with a key, and the column of a problem; 0 where there is none."""
    kind, _, name = key.partition(":")
    if kind == PROBLEM:
        line, _, column = name.partition(":")
        return int(line), int(column)
    if kind == SectionKind.TEXT:
        return int(name), 0
    return next((section.first for section in sections(state) if section.key == key), 0), 0


def key_of(state: SessionState, number: int) -> str:
    """The key of the row that has a line (from 1)."""
    section = next((section for section in sections(state) if section.first <= number <= section.last), None)
    if section is None:
        return ""
    return f"{SectionKind.TEXT}:{number}" if section.kind is SectionKind.TEXT else section.key


# --- lines


def _gutter(number: int, sign: TextRun, mark: str = " ") -> Line:
    return line(muted(f"{number:>4} "), sign, muted(mark), " ")


def _problem(problem: Problem) -> Row:
    words = bad(f"✗ {one_line(problem.message)} "), muted(problem.instead)
    return paragraph(*words, key=problem_row(problem).key, indent=GUTTER, hang=2)


_NOUNS = {SectionKind.IMPORTS: "imports", SectionKind.WORDS: "names", SectionKind.TABLE: "table"}


def _folded(state: SessionState, section: Section, signs: Mapping[int, TextRun]) -> Row:
    clause = _clause(state, section)
    place = section.first if clause is None else clause.line
    gutter = _gutter(section.first, signs.get(place, _NO_SIGN), "▸")
    if clause is not None:
        names = f"{', '.join(clause.clause.requirements)}  "
        comment = one_line(clause.clause.comment)
        words = TextRun(comment) if comment else coded(code_line(clause.source))
        head = line(strong(f"{clause.clause.id} "), accent(names), words)
    else:
        head = line(muted(f"{_NOUNS[section.kind]}  "), coded(section.name))
    return paragraph(gutter, head, muted(f"  {section.lines} lines"), key=section.key, hang=GUTTER + 2)


def _clause(state: SessionState, section: Section) -> ClauseState | None:
    if section.kind is not SectionKind.CLAUSE:
        return None
    return next((clause for clause in state.clauses if clause.clause.id == section.name), None)


class PolicyView(View):
    """The file with verdicts in the gutter, and the findings on the part at the cursor."""

    NAME = ViewName.POLICY
    HELP = """The policy file with the sign of each rule and clause in the gutter; what holds is folded.
Beside it is what was found of the part at the cursor, and the agent spec: arguments, records, tools."""

    def __init__(self) -> None:
        """Start with all long parts folded."""
        super().__init__(id=self.NAME.value)
        self.state = UNKNOWN
        self._whole, self._spec = CodeEditor(id="whole"), CodeEditor(id="spec", is_policy=False)
        self._file, self._findings = Pane("policy.py", id="file"), Pane("Found", id="findings")
        self._agent = AgentPane()
        self._turned: frozenset[str] = frozenset()
        self._shown = self._about = ""

    def compose(self) -> ComposeResult:
        """The file, or the editor in its place, and the findings."""
        yield from (self._whole, self._spec, self._file)
        with Vertical(id="beside"):
            yield from (self._findings, self._agent)

    def show(self, state: SessionState) -> None:
        """Draw another state; the cursor begins on the first error, else on the first rule."""
        self.state = state
        self._whole.take(state)
        self._agent.take(state)
        self._mark_editing()
        if not self._is_editing:  # what is hidden is shown when the editor is left
            self._show_file(state)
        self._show_findings()

    def prepare(self, state: SessionState) -> None:
        """Make the rows of the file."""
        self._file.prepare(partial(file_rows, state, self._turned), _parts(state, self._turned))

    def _show_file(self, state: SessionState) -> None:
        lines = plural(len(state.policy.splitlines()), "line")
        note = f"{lines}, an edit that is not stored" if state.edited else lines
        self._file.fill(partial(file_rows, state, self._turned), note=note, of=_parts(state, self._turned))
        if not self._file.key and state.problems:
            self._look_at(problem_row(state.problems[0]).key)
        elif not self._file.key and state.terms is not None and state.terms.rules:
            self._file.select(f"{SectionKind.RULE}:{state.terms.rules[0].name}")

    def go(self, place: Place) -> None:
        """Put the cursor on a rule, a clause or a problem of the file."""
        if place.kind in (PlaceKind.RULE, PlaceKind.CLAUSE, PlaceKind.PROBLEM):
            self._look_at(f"{place.kind}:{place.name}")
        if place.kind is PlaceKind.PROBLEM:
            self._file.focus()
        self._about = place.name if place.kind is PlaceKind.SPEC else ""

    def _look_at(self, key: str) -> None:
        """Unfold a part of the file and put the cursor on it."""
        state = self.state
        section = next((section for section in sections(state) if section.key == key), None)
        if section is not None and is_folded(state, section, self._turned):
            self._turned ^= {key}
            self.show(state)
        self._file.select(key)
        top = self._file.cursor - self._file.size.height // 4
        self._file.scroll_to(y=max(top, 0), animate=False)

    def _mark_editing(self) -> None:
        """Show the editor in the place of the file while a text is edited."""
        self.set_class(self._is_editing, "-editing")

    @property
    def _is_editing(self) -> bool:
        """Whether an editor stands in the place of the file."""
        return bool(self._whole.display or self._spec.display)

    # --- the person's actions

    def do_fold(self) -> bool:
        """Unfold the part at the cursor, or fold it."""
        state, key = self.state, self._file.key
        if not any(section.key == key and can_fold(section) for section in sections(state)):
            return False
        self._turned ^= {key}
        self.show(state)
        return True

    def do_edit(self) -> bool:
        """Edit the whole file, from the line at the cursor; in the agent's pane edit agent.toml."""
        state = self.state
        if state.read_only:
            return False
        if self._agent.has_focus:
            self._agent.edit(self._begin_spec)
            return True
        self._begin_at(state, self._file.key)
        return True

    def do_edit_agent(self) -> bool:
        """Edit agent.toml, whatever pane has the focus."""
        if self.state.read_only:
            return False
        about, self._about = self._about, ""
        self._agent.focus()
        self._agent.edit(self._begin_spec, about)
        return True

    def _begin_at(self, state: SessionState, key: str) -> None:
        """Open the editor where the row with a key stands, at a problem on its column."""
        self._whole.begin_whole(state.policy, "policy.py", *place_of(state, key))
        self.show(state)

    def do_add(self) -> bool:
        """Accept the proposal at the cursor."""
        if not self._agent.decide("Declared", lambda agent, found, name: agent.accept(found, [name])):
            self.say("The policy reads calls as their tools declare them: e edits agent.toml.")
        return True

    def do_put_away(self) -> bool:
        """Drop the proposal at the cursor."""
        drop: Decide = lambda agent, found, name: agent.drop(found, [name])  # noqa: E731
        return self._agent.has_focus and self._agent.decide("Not wanted", drop)

    def do_propose(self) -> bool:
        """Look for records, readings and notes that the agent spec could declare."""
        self._agent.focus()
        return self._agent.propose()

    def do_pin(self) -> bool:
        """Keep the counterexample of the clause at the cursor as a case."""
        state, part = self.state, self._part()
        kind, _, name = self._findings.key.partition(":")
        if not (self._findings.has_focus and kind == "clause"):
            name = part.id if isinstance(part, Clause) else ""
        clause = next((clause for clause in state.clauses if clause.clause.id == name), None)
        return self.keep_counterexample(state, clause)

    def chosen_agent(self) -> None:
        """Edit the part at the cursor."""
        self._agent.edit(self._begin_spec)

    def _begin_spec(self, text: str, key: str) -> None:
        from workbench.app.agent import line_of_part, line_spoken_of

        line = line_of_part(text, *key.split(":", 1)) or line_spoken_of(text, key)
        self._spec.begin_whole(text, "agent.toml", line)
        self._mark_editing()
        self._show_trouble(())

    @on(CodeEditor.Edited, "#spec")
    def _spec_typed(self, event: CodeEditor.Edited) -> None:
        event.stop()
        self._find_trouble(event.policy)

    def _find_trouble(self, text: str) -> None:
        self.post_message(Ask("reading", partial(_trouble, text), self._show_trouble))

    def _show_trouble(self, problems: tuple[Problem, ...]) -> None:
        if self._spec.display:
            self._spec.show_problems(problems)
            wrong = len(self.state.problems)
            self._findings.fill(partial(trouble_rows, problems, wrong), name="Problems")

    @on(CodeEditor.Left, "#spec")
    def _spec_left(self, event: CodeEditor.Left) -> None:
        event.stop()
        text = event.policy

        def failed(why: str) -> None:
            """Open the editor again with the text, and show why the text was not stored."""
            self._begin_spec(text, "")
            self._show_trouble((Problem(why),))
            self._find_trouble(text)  # with their places

        if event.changed or self._agent.edited:
            label = "The agent is edited"
            self.act(label, lambda bench: bench.agent.put_text(text, label), failed)
        self.show(self.state)
        self.call_after_refresh(self._agent.focus)

    @on(CodeEditor.Left, "#whole")
    def _left(self) -> None:
        """Show the file again, at the line where the editor was left."""
        editor = self._whole
        line = editor.cursor_location[0] + 1
        self.show(self.state)
        self._look_at(key_of(self.state, line))
        self.call_after_refresh(self._file.focus)

    def moved_file(self) -> None:
        """Show what was found of the part at the cursor."""
        self._show_findings()

    def chosen_file(self) -> None:
        """Mend a problem, fold a part, or show the requirement of a rule or clause."""
        part = self._part()
        if self._file.key.startswith(f"{PROBLEM}:"):
            self._mend(self._file.key)
        elif part is None:
            self.do_fold()
        elif part.requirements:
            kind, _, name = self._file.key.partition(":")
            self.post_message(Go(Place(ViewName.AUTHOR, PlaceKind(kind), name)))

    def chosen_findings(self) -> None:
        """Mend a problem, or show what was found in the view for it."""
        if self._findings.key.startswith(PROBLEM):
            self._mend(self._findings.key)
        else:
            self.follow(self._findings.key)

    def _mend(self, key: str) -> None:
        """Open the editor at the place of a problem; a session that cannot be changed shows its line."""
        state = self.state
        if state.read_only:
            self._look_at(key)
        else:
            self._begin_at(state, key)

    @property
    def _key(self) -> str:
        """The part of the file at the cursor, or at the cursor of the editor."""
        if self._whole.display:
            return key_of(self.state, self._whole.cursor_location[0] + 1)
        return self._file.key

    @on(TextArea.SelectionChanged, "#whole")
    def _text_moved(self, event: TextArea.SelectionChanged) -> None:
        event.stop()
        if self._key != self._shown:
            self._show_findings()

    def _part(self) -> Rule | Clause | None:
        """The rule or clause at the cursor."""
        terms = self.state.terms
        kind, _, name = self._key.partition(":")
        if terms is None or kind not in ("rule", "clause"):
            return None
        if kind == "rule":
            return next((rule for rule in terms.rules if rule.name == name), None)
        return next((clause for clause in terms.clauses if clause.id == name), None)

    def _show_findings(self) -> None:
        state, part = self.state, self._part()
        pane = self._findings
        if self._spec.display:
            return
        self._shown = self._key
        if part is None or state.problems:
            problems = state.problems
            nothing = [paragraph(muted("Put the cursor on a rule or a clause."))]
            rows = [*map(problem_row, problems)] or nothing
            pane.fill(lambda: rows, name="To mend" if problems else "Found")
            return
        title = part.name if isinstance(part, Rule) else part.id
        pane.fill(partial(_finding_rows, state, part), name=title)


_MOST_CALLS = 50
_MOST_SENTENCE = 4
"""The most lines of a sentence here; Enter shows it whole, in the view of its requirement."""


def _finding_rows(state: SessionState, part: Rule | Clause) -> Iterator[Row]:
    """The requirements of a rule or clause with the findings on them, and the calls it decides."""
    requirements = [*filter(None, map(state.row, part.requirements))]
    for row in requirements:
        about = partial(paragraph, key=f"requirement:{row.requirement.id}")
        yield about(sentence_line(row), hang=1, most=_MOST_SENTENCE)
        for question in row.questions:
            yield about(warn(f"? {question.text}"))
        yield from (*judged_rows(state, row), BLANK)
    if not requirements:
        yield from (paragraph(muted("It belongs to no sentence of the request.")), BLANK)
        if isinstance(part, Clause):
            own = (one for one in state.clauses if one.clause.id == part.id)
            yield from chain.from_iterable(clause_rows(state, one) for one in own)
    if isinstance(part, Rule) and state.decisions:
        fired = state.fired.get(part.name, ())
        yield heading(f"Fired on {len(fired):,} of {plural(len(state.decisions), 'call')}")
        yield from call_rows(state, fired[:_MOST_CALLS])


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

    def decide(self, label: str, decide: Decide) -> bool:
        """Accept or drop the proposal at the cursor; False if there is none."""
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


def _trouble(text: str, bench: Workbench) -> tuple[Problem, ...]:
    """Keep an edited ``agent.toml``; its problems."""
    try:
        if not bench.session.read_only:
            bench.agent.keep(text)
        bench.agent.read(text)
    except WorkbenchError as error:
        return error.problems or (Problem(str(error)),)
    return ()


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
        if kind == "tool" and agent.untold:
            yield paragraph(muted(agent.untold), indent=1)


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
