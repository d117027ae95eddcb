"""What the user looks closer at, and single parts of the session that are edited."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from textual import on

from workbench.model import Question
from workbench.old_screen import messages
from workbench.old_screen import screen_state as boards
from workbench.old_screen.message_handlers import MessageHandlersApp
from workbench.old_screen.plain import TextRun, Tone, line, muted
from workbench.old_screen.state import PolicyComparison, StageName
from workbench.old_screen.value_text import plural, value_text

if TYPE_CHECKING:
    from workbench.old_screen.widgets.reader import ReaderLine
    from workbench.policy.terms import PolicyTerms

EXAMPLE = "example"
"""The kind of a question by example: its answer becomes a case."""
NOT_YET = "The policy is not in the dialect yet."


@dataclass(frozen=True, slots=True)
class PolicyPlace:
    """Where the user was: a pane and the line of the policy."""

    pane: str
    line: int


class InspectionApp(MessageHandlersApp):
    """Looking closer: links, versions, evidence, explanations, cases."""

    _places: tuple[PolicyPlace, ...] = ()

    # --- from one place to another

    def action_links(self) -> None:
        """Show where one can go from the rule or clause under the cursor."""
        from workbench.old_screen.links import Link, links, part_at
        from workbench.old_screen.widgets.reader import ReaderLine, ReaderScreen
        from workbench.policy.terms import Rule

        terms = self._board.verdicts.terms
        if terms is None:
            self._say(NOT_YET)
            return
        here = self._line_here(terms)
        found = links(terms, here, self._board.contents, self._board.tests, self._board.replayed)
        part = part_at(terms, here)
        if self._current != "policy" and part is not None:
            name = part.name if isinstance(part, Rule) else part.id
            found = (Link("policy", str(part.line), f"{name}, line {part.line} of the policy"), *found)
        entries = [ReaderLine(line(item.text), f"{item.pane} {item.key}") for item in found]
        nothing = ReaderLine(
            line(muted("Nothing belongs to this line: mark a rule, clause, case, sentence or denied step."))
        )
        self.push_screen(ReaderScreen("Belongs together", entries or [nothing]), self._follow)

    def _line_here(self, terms: PolicyTerms) -> int:
        """The line of the policy that the marked case, clause, step or sentence belongs to."""
        subject, line = "", 0
        match self._current:
            case "cases":
                subject = self.cases_pane.key.partition(" ")[0]
            case "rail":
                subject = self.rail.key.removeprefix("sentence ")
            case "proof":
                key = self.proof_pane.key
                line = next((clause.line for clause in terms.clauses if clause.id == key), 0)
            case "replay" | "details":
                line = self._line_of_step(terms)
            case _:
                line = self.policy_pane.editor.cursor_location[0] + 1
        parts = (*terms.rules, *terms.clauses)
        return next((part.line for part in parts if subject and subject in part.requirements), line)

    def _line_of_step(self, terms: PolicyTerms) -> int:
        """The line of the first rule that fired on the marked step."""
        step = self.replay_pane.table.step
        if step is None or step >= len(self._board.replayed.decisions):
            return 0
        fired = [violation.rule for violation in self._board.replayed.decision(step).violations]
        return next((rule.line for rule in terms.rules if rule.name in fired), 0)

    def _follow(self, target: str | None) -> None:
        if not target:
            return
        self._remember()
        pane, _, key = target.partition(" ")
        self.show_pane(pane)
        match pane:
            case "policy":
                self.policy_pane.go_to(int(key))
            case "proof":
                self.proof_pane.select_clause(key)
            case "cases":
                self.cases_pane.select(key)
            case "rail":
                self.rail.show_sentence(key)
            case _:
                self.replay_pane.show_filter(key)

    def _remember(self) -> None:
        here = PolicyPlace(self._current, self.policy_pane.editor.cursor_location[0] + 1)
        self._places = (*self._places[-19:], here)

    def action_jump_back(self) -> None:
        """Back to where the last jump began."""
        if not self._places:
            self._say("There is no place to go back to.")
            return
        *rest, place = self._places
        self._places = tuple(rest)
        self.policy_pane.go_to(place.line)
        self.show_pane(place.pane)

    @on(messages.LineWanted)
    def _line_wanted(self, event: messages.LineWanted) -> None:
        self._remember()
        self.policy_pane.go_to(event.line)
        self.show_pane("policy")

    # --- texts

    def action_lowered(self) -> None:
        """Show the program that is handed to the verifier."""
        terms = self._board.verdicts.terms
        if terms is None:
            self._say(NOT_YET)
            return
        port = self._port
        self._live.ask("read", lambda: messages.TextFound("Lowered program", port.lowered(terms)))

    @on(messages.OutputWanted)
    def _output_wanted(self) -> None:
        port, text = self._port, self.policy_pane.text
        self._live.ask("read", lambda: messages.TextFound("pytest", port.test_output(text)))

    @on(messages.EffectsWanted)
    def _effects_wanted(self, event: messages.EffectsWanted) -> None:
        port, question = self._port, event.question
        if question.kind == EXAMPLE:
            self._say("The answer becomes a case; no log step changes.")
            return
        name = "What each answer would change"
        self._live.ask("read", lambda: messages.TextFound(name, port.effects(question)))

    @on(messages.TextFound)
    def _text_found(self, event: messages.TextFound) -> None:
        from workbench.old_screen.widgets.reader import ReaderScreen, text_entries

        self.push_screen(ReaderScreen(event.name, text_entries(event.text), event.text))

    # --- versions

    def action_compare(self) -> None:
        """Choose a version and show what differs from it."""
        from workbench.old_screen.widgets.reader import ReaderLine, ReaderScreen

        versions = self._board.contents.versions
        entries = [
            ReaderLine(line(TextRun("draft ", Tone.ACCENT), "what the author makes of the request"), "draft"),
            *(
                ReaderLine(line(TextRun(f"{item.number:>4}  ", Tone.ACCENT), item.label), str(item.number))
                for item in versions
            ),
        ]
        self.push_screen(ReaderScreen("Compare the policy with version", entries), self._compare)

    def _compare(self, name: str | None) -> None:
        import difflib

        if not name:
            return
        port, text = self._port, self.policy_pane.text

        def work() -> messages.Compared:
            old = port.version(name)
            unified = difflib.unified_diff(
                old.splitlines(), text.splitlines(), f"version {name}", "editor", lineterm=""
            )
            return messages.Compared(name, port.compare(old, text), "\n".join(unified))

        self._live.ask("read", work)

    @on(messages.Compared)
    def _compared(self, event: messages.Compared) -> None:
        from workbench.old_screen.widgets.reader import ReaderLine, ReaderScreen, text_entries

        entries = [*comparison_entries(event.found), ReaderLine(()), *text_entries(event.text, paint=True)]
        self.push_screen(ReaderScreen(f"Against version {event.name}", entries, event.text))

    @on(messages.VersionWanted)
    def _version_wanted(self, event: messages.VersionWanted) -> None:
        work = partial(self._port.restore, event.number)
        self._change(work, f"The policy is that of version {event.number} again.", "It is the same policy.")

    # --- evidence

    @on(messages.EvidenceWanted)
    def _evidence_wanted(self) -> None:
        verdicts = self._board.verdicts
        if verdicts.terms is not None and verdicts.evidence is None and not verdicts.measuring:
            self._put(boards.measured(self._board, None, "measuring"))
            self._live.measure(verdicts.terms, (verdicts.preview, verdicts.proof))

    @on(messages.Measured)
    def _measured(self, event: messages.Measured) -> None:
        if event.generation == self._live.generation:
            self._put(boards.measured(self._board, event.evidence, event.progress))

    @on(messages.ReportWanted)
    def _report_wanted(self, event: messages.ReportWanted) -> None:
        verdicts, port = self._board.verdicts, self._port
        terms, proofs = verdicts.terms, (verdicts.preview, verdicts.proof)
        if terms is not None:
            name = f"Report: the engines disagree on {event.clause}"
            self._live.ask(
                "read", lambda: messages.TextFound(name, port.disagreement(terms, event.clause, proofs))
            )

    @on(messages.LongerWanted)
    def _longer_wanted(self) -> None:
        terms = self._board.verdicts.terms
        if terms is None or self._board.verdicts.running:
            return
        self._put(boards.proving(self._board))
        seconds = self._live.prove_longer(terms)
        self._say(f"Proving again, with {seconds:g} seconds of work for each clause.")

    @on(messages.ClauseWanted)
    def _clause_wanted(self, event: messages.ClauseWanted) -> None:
        terms = self._board.verdicts.terms
        if terms is None:
            self._say(NOT_YET)
            return
        self._remember()
        self._change(partial(self._port.pin, terms, event.survivor), "A clause refuses it.")

    # --- cases

    @on(messages.CaseWanted)
    def _case_wanted(self, event: messages.CaseWanted) -> None:
        case = event.case
        self._change(partial(self._port.put_case, case, f"Case: {case.reason}"), "Kept as a case.")

    @on(messages.CounterexampleKept)
    def _counterexample_kept(self, event: messages.CounterexampleKept) -> None:
        if (terms := self._board.verdicts.terms) is not None:
            work = partial(self._port.keep_counterexample, terms, event.clause, event.found)
            self._change(work, "Kept as a case.")

    @on(messages.SurvivorKept)
    def _survivor_kept(self, event: messages.SurvivorKept) -> None:
        if (terms := self._board.verdicts.terms) is not None:
            self._change(partial(self._port.keep_survivor, terms, event.survivor), "Kept as a case.")

    @on(messages.CounterexampleAsked)
    def _counterexample_asked(self, event: messages.CounterexampleAsked) -> None:
        if (terms := self._board.verdicts.terms) is not None:
            ask = partial(self._port.ask_counterexample, terms, event.clause, event.found)
            self._live.ask("read", lambda: messages.ExampleAsked(ask()))

    @on(messages.SurvivorAsked)
    def _survivor_asked(self, event: messages.SurvivorAsked) -> None:
        if (terms := self._board.verdicts.terms) is not None:
            ask = partial(self._port.ask_survivor, terms, event.survivor)
            self._live.ask("read", lambda: messages.ExampleAsked(ask()))

    @on(messages.ExampleAsked)
    def _example_asked(self, event: messages.ExampleAsked) -> None:
        self._extra = event.question
        self._wanted, self._aside = event.question.id, False
        self._ask(focus=True)

    def _answer_example(self, question: Question, value: str) -> None:
        self._extra = None
        if (terms := self._board.verdicts.terms) is None:
            self._say(NOT_YET)
            return
        self._change(partial(self._port.answer_example, terms, question, value), "Kept as a case.")

    @on(messages.RunCases)
    def _run_cases(self, event: messages.RunCases) -> None:
        if event.ids:
            self._live.test_some(self.policy_pane.text, event.ids)

    @on(messages.OneTested)
    def _one_tested(self, event: messages.OneTested) -> None:
        if event.generation == self._live.generation and StageName.TEST not in self._board.running:
            self._put(boards.tested_some(self._board, event.results))
            failed = sum(not result.passed for result in event.results)
            self._say(f"{plural(len(event.results), 'case')} run, {failed} failed.")

    @on(messages.Told)
    def _told(self, event: messages.Told) -> None:
        self._say(event.what)

    # --- explanations

    @on(messages.ExplanationWanted)
    def _explanation_wanted(self, event: messages.ExplanationWanted) -> None:
        terms = self._board.verdicts.terms
        if terms is None or self._board.replayed.stale:
            self._say("The replay is stale; wait until it is decided again.")
            return
        if not self.details_pane.display:  # where one pane is shown alone, the answer would be unseen
            self._remember()
            self.show_pane("details")
        port, generation = self._port, self._live.generation
        work = partial(port.explain, terms, event.index)
        self._live.ask("explain", lambda: messages.StepExplained(generation, work()))

    @on(messages.StepExplained)
    def _step_explained(self, event: messages.StepExplained) -> None:
        if event.generation == self._live.generation:
            self.details_pane.explain(event.found)


def comparison_entries(found: PolicyComparison) -> list[ReaderLine]:
    """What differs in decisions, before the texts."""
    from workbench.old_screen.widgets.reader import ReaderLine

    if found.equivalent:
        return [ReaderLine(line(TextRun("✓ ", Tone.GOOD), "Both decide alike on every input (proved)."))]
    entries: list[ReaderLine] = []
    for words, tone, witnesses in (
        ("newly allowed", Tone.BAD, found.allowed),
        ("newly denied", Tone.WARN, found.denied),
    ):
        for witness in witnesses:
            shown = ", ".join(f"{name} {value_text(value)}" for name, value in witness.items())
            entries.append(ReaderLine(line(TextRun(f"{words}: ", tone), shown)))
    if found.unknown:
        entries.append(ReaderLine(line(TextRun("? ", Tone.WARN), found.unknown)))
    flips = f"{plural(found.flips, 'log step')} decided otherwise." if found.flips else "No log step differs."
    return [*entries, ReaderLine(line(muted(flips)))]
