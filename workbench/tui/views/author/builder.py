"""A rule that is built by choices, independent of the reading of a sentence, with a live preview."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from workbench.app.rules import RulePlan, RulePreview
from workbench.app.session_state import SessionState
from workbench.clean_text import one_line
from workbench.model import Kind, Question, WorkbenchError
from workbench.tones import Tone
from workbench.tui.code_rows import code_rows
from workbench.tui.messages import Act, Ask, Choose, Offer, Say, TypeIn
from workbench.tui.numbered_options import Picks
from workbench.tui.text_runs import TextRun, line, muted
from workbench.tui.value_text import BLANK, paragraph
from workbench.tui.views.author.rule_effect_rows import trial_rows
from workbench.tui.widgets.lines import Row

if TYPE_CHECKING:
    from textual.widget import Widget

    from workbench.app.rules import RuleFact
    from workbench.app.workbench import Workbench

EVERY = "*"
"""The choice of all tools."""


class RuleBuilder:
    """The rule that is being built; ``changed`` is called when the view has to redraw it."""

    def __init__(self, view: Widget, changed: Callable[[], None]) -> None:
        """Start with no rule."""
        self._view = view
        self._changed = changed
        self._state: SessionState | None = None
        self._plan: RulePlan | None = None
        self._question: Question | None = None
        self._tools: tuple[str, ...] = ()
        self._facts: Mapping[str, RuleFact] = {}
        self._preview: RulePreview | None = None
        self._trouble = ""

    @property
    def building(self) -> bool:
        """Whether a rule is being built."""
        return self._plan is not None

    def begin(
        self, state: SessionState, requirements: Sequence[str] = (), question: Question | None = None
    ) -> None:
        """Begin a rule for these requirements, or for the sentence that a question is about.

        The sentence is the message for a denied agent, until the person writes another one.
        """
        texts = [requirement.text for requirement in state.requirements if requirement.id in requirements]
        message = one_line(question.quote) if question is not None else " ".join(map(one_line, texts))
        self._plan = RulePlan(requirements=tuple(requirements), message=message)
        self._state, self._question = state, question
        self._preview, self._trouble = None, ""

        def known(bench: Workbench) -> Callable[[], object]:
            tools = tuple(tool.name for tool in bench.session.spec.tools)
            return partial(self._known, bench.rules.facts(), tools)

        self._view.post_message(Ask("facts", known))
        self._changed()

    def leave(self) -> None:
        """Stop building the rule."""
        self._plan = None
        self._changed()

    def _known(self, facts: Mapping[str, RuleFact], tools: tuple[str, ...]) -> None:
        self._facts, self._tools = facts, tools
        self._choose_tool()

    # --- drawing

    def rows(self, width: int, picks: Picks) -> list[Row]:
        """Rows of the rule so far with its options, the rule aloud, and the effect of the rule."""
        plan = self._plan
        if plan is None:
            return []
        tools = " or ".join(plan.tools) or "every call"
        rows = paragraph(line(TextRun(self._called, Tone.TITLE), muted(", built by choices")), width, hang=2)
        rows += [BLANK, *picks.rows("build:tools", line("it is about ", TextRun(tools, Tone.CODE)), width)]
        for number, condition in enumerate(plan.conditions):
            content = line("when ", TextRun(one_line(str(condition)), Tone.CODE), muted("  d takes it out"))
            rows += picks.rows(f"build:condition:{number}", content, width)
        rows += picks.rows("build:when", "one more condition …" if plan.conditions else "when …", width)
        effect = "denied" if plan.effect == "forbid" else "permitted"
        rows += picks.rows("build:effect", line("then the call is ", TextRun(effect, Tone.CODE)), width)
        message = plan.message or "nothing but its name"
        rows += picks.rows("build:message", line("a denied agent is told: ", muted(message)), width)
        if self._preview is not None:
            rows += picks.rows("build:add", line(TextRun("add it to the policy", Tone.ACCENT)), width)
        if self._trouble:
            rows += [BLANK, *paragraph(line(TextRun(one_line(self._trouble), Tone.WARN)), width)]
        return [*rows, *(self._preview_rows(width))]

    @property
    def _called(self) -> str:
        if self._question is not None and self._question.quote:
            return f"The rule of “{one_line(self._question.quote)}”"
        return "A rule of your own"

    def _preview_rows(self, width: int) -> Iterator[Row]:
        rule_preview = self._preview
        if rule_preview is None:
            return
        yield BLANK
        yield from paragraph(line(muted("Read aloud: "), one_line(rule_preview.sentence)), width)
        yield BLANK
        yield from code_rows(rule_preview.rule, 1, len(rule_preview.rule.splitlines()), width)
        for contradiction in rule_preview.contradictions:
            told = line(TextRun("contradicts ", Tone.BAD), one_line(contradiction.sentence))
            yield from paragraph(told, width, hang=2)
        yield BLANK
        yield from trial_rows(rule_preview.change, width)
        for clause in rule_preview.clauses:
            yield from paragraph(line(muted("clause "), TextRun(one_line(clause), Tone.CODE)), width, hang=2)

    # --- the person's actions

    def act(self, option: str) -> None:
        """Do the action of an option."""
        if self._plan is None:
            return
        match option.split(":"):
            case ["build", "tools"]:
                self._choose_tool()
            case ["build", "when"]:
                self._choose_fact()
            case ["build", "condition", number]:
                self._choose_fact(int(number))
            case ["build", "effect"]:
                effect = "permit" if self._plan.effect == "forbid" else "forbid"
                self._take(replace(self._plan, effect=effect))
            case ["build", "message"]:
                self._ask("told:", self._plan.message, lambda text: self._with(message=text))
            case ["build", "add"]:
                self._add()
            case _:
                pass

    def put_away(self, key: str) -> bool:
        """Remove the condition of a row; False if the row is no condition."""
        number = key.rpartition("build:condition:")[2]
        if self._plan is None or "build:condition:" not in key:
            return False
        conditions = [condition for at, condition in enumerate(self._plan.conditions) if at != int(number)]
        self._with(conditions=tuple(conditions))
        return True

    def _with(self, **changes: str | tuple[str, ...]) -> None:
        if self._plan is not None:
            self._take(replace(self._plan, **changes))

    def _take(self, plan: RulePlan) -> None:
        self._plan, self._preview, self._trouble = plan, None, ""
        state = self._state
        if (plan.tools or plan.conditions) and state is not None:
            logs = state.logs

            def preview(bench: Workbench) -> Callable[[], object]:
                try:
                    return partial(self._show_preview, bench.rules.preview(plan, logs), "")
                except WorkbenchError as error:
                    return partial(self._show_preview, None, str(error))

            self._view.post_message(Ask("rule", preview))
        self._changed()

    def _show_preview(self, preview: RulePreview | None, trouble: str) -> None:
        self._preview, self._trouble = preview, trouble
        self._changed()

    def _add(self) -> None:
        plan, state = self._plan, self._state
        if plan is None or state is None or self._preview is None:
            self._view.post_message(Say("Choose a tool or a condition first."))
            return
        logs, question, label = state.logs, self._question, f"Added {self._preview.name}"

        def add(bench: Workbench) -> object:
            return bench.rules.add(plan, logs, question)

        self._view.post_message(Act(label, add, self._failed))
        self.leave()

    def _failed(self, why: str) -> None:
        self._trouble = why

    # --- choices

    def _choose_tool(self) -> None:
        chosen = self._plan.tools if self._plan is not None else ()
        offers: list[Offer] = [
            *((tool, "✓" if tool in chosen else "", tool) for tool in self._tools),
            (EVERY, "", "every call"),
        ]

        def toggle_tool(tool: str) -> None:
            if tool == EVERY:
                self._with(tools=())
            else:
                other_tools = tuple(name for name in chosen if name != tool)
                self._with(tools=other_tools if tool in chosen else (*chosen, tool))

        self._view.post_message(Choose("What is the rule about?", offers, toggle_tool))

    def _choose_fact(self, number: int = -1) -> None:
        offers: list[Offer] = [
            (path, fact.type.kind.value, f"{'any or every ' if fact.of else ''}{path}")
            for path, fact in self._facts.items()
            if fact.relations
        ]

        def take_fact(path: str) -> None:
            self._choose_relation(path, number)

        self._view.post_message(Choose("When: what does the condition speak of?", offers, take_fact))

    def _choose_relation(self, path: str, number: int) -> None:
        fact = self._facts[path]
        heads = (f"any {path}", f"every {path}") if fact.of else (path,)
        relations = {f"{head} {relation.words}": relation for head in heads for relation in fact.relations}
        offers: list[Offer] = [(beginning, "", beginning) for beginning in relations]

        def take_relation(beginning: str) -> None:
            relation = relations[beginning]
            if relation.takes_value:
                self._choose_value(beginning, fact, number, single=relation.takes_one)
            else:
                self._condition(beginning, number)

        self._view.post_message(Choose(f"What of {path}?", offers, take_relation))

    def _choose_value(self, comparison: str, fact: RuleFact, number: int, *, single: bool) -> None:
        if fact.type.kind is Kind.ENUM and single:
            offers: list[Offer] = [(value, "", value) for value in fact.type.values]

            def take_value(value: str) -> None:
                self._condition(f"{comparison} {value}", number)

            self._view.post_message(Choose(comparison, offers, take_value))
        else:
            self._ask(f"{comparison}", "", lambda value: self._condition(f"{comparison} {value}", number))

    def _condition(self, condition: str, number: int) -> None:
        if self._plan is None:
            return
        conditions = list(self._plan.conditions)
        if 0 <= number < len(conditions):
            conditions[number] = condition
        else:
            conditions.append(condition)
        self._take(replace(self._plan, conditions=tuple(conditions)))

    def _ask(self, sign: str, text: str, take: Callable[[str], None]) -> None:
        self._view.post_message(TypeIn(sign, lambda typed: take(typed.strip()), text))
