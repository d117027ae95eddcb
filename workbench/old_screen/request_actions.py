"""What the user does with questions, assumptions and the sentences of the request."""

from __future__ import annotations

from functools import partial

from textual import on

from workbench.model import Assumption, Question, SentenceRole, WorkbenchError
from workbench.old_screen import messages
from workbench.old_screen.form_actions import FormsApp
from workbench.old_screen.inspection_actions import EXAMPLE

ONLY_A_CASE = "The answer becomes a case; it is about no sentence."


class AskingApp(FormsApp):
    """Looking into questions: what answers change in the logs, why readings differ, where sentences went."""

    @on(messages.TurnedWanted)
    def _turned_wanted(self, event: messages.TurnedWanted) -> None:
        port, question = self._port, event.question
        if question.kind == EXAMPLE:
            return

        def work() -> messages.TurnedFound | None:
            try:
                return messages.TurnedFound(question, port.turned(question))
            except WorkbenchError:
                return None  # the policy cannot be decided at present; the problem is told elsewhere

        self._live.ask("turned", work)

    @on(messages.TurnedFound)
    def _turned_found(self, event: messages.TurnedFound) -> None:
        self.question_panel.show_turned(event.question, event.turned)

    @on(messages.NeitherMeant)
    def _neither_meant(self, event: messages.NeitherMeant) -> None:
        if event.question.kind == EXAMPLE:
            self._say(ONLY_A_CASE)
            return
        self._wanted = ""
        self._change(partial(self._port.reject, event.question), "Say the sentence in other words.")

    @on(messages.PathsWanted)
    def _paths_wanted(self, event: messages.PathsWanted) -> None:
        port, question = self._port, event.question
        if question.kind == EXAMPLE:
            self._say(ONLY_A_CASE)
            return
        name = "Why the answers differ"
        self._live.ask("read", lambda: messages.TextFound(name, port.paths(question)))

    @on(messages.AssumptionFormWanted)
    def _assumption_form_wanted(self, event: messages.AssumptionFormWanted) -> None:
        from workbench.old_screen.assumption_form import assumption_form

        found = self._board.contents.assumption(event.question_id)
        if found is not None:
            self.fill(assumption_form(found), self._put_assumption)

    def _put_assumption(self, made: Assumption) -> None:
        self._change(partial(self._port.put_assumption, made), "The assumption is stored.")

    @on(messages.RefinedWanted)
    def _refined_wanted(self) -> None:
        port = self._port
        self._live.ask("read", lambda: messages.TextFound("The request as understood", port.refined()))

    @on(messages.SentenceChosen)
    def _sentence_chosen(self, event: messages.SentenceChosen) -> None:
        """From a sentence to its rule, or to the question about it."""
        sentence = event.sentence
        if sentence.role is SentenceRole.CONTEXT:
            self._say("This sentence is context: it changes no decision.")
        elif sentence.role is SentenceRole.OPEN:
            inside = (
                each
                for each in self._board.contents.open
                if _within(each, sentence.span.start, sentence.span.end)
            )
            if (question := next(inside, None)) is not None:
                self.post_message(messages.QuestionChosen(question.id))
        else:
            self._go_to_rule(sentence.requirements)

    def _go_to_rule(self, requirements: tuple[str, ...]) -> None:
        terms = self._board.verdicts.terms
        parts = (*terms.rules, *terms.clauses) if terms is not None else ()
        wanted = set(requirements)
        line = next((part.line for part in parts if wanted & set(part.requirements)), 0)
        if line:
            self.post_message(messages.LineWanted(line))
        else:
            self._say(f"No rule of the policy names {', '.join(requirements)}.")


def _within(question: Question, start: int, end: int) -> bool:
    return start <= question.span.start < end
