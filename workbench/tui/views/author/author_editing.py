"""Editing in the Author view: the request, one of its sentences, a rule, a case."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.app.as_proposed import PROPOSED
from workbench.model import Sentence, Span, WorkbenchError
from workbench.tui.messages import Ask, Go, Say
from workbench.tui.screen_places import Place, ViewName

if TYPE_CHECKING:
    from workbench.app.session_state import SessionState, WrittenPart
    from workbench.app.workbench import Workbench
    from workbench.tui.views.author.sentence_writing import SentenceWriting
    from workbench.tui.views.author.view import AuthorView

EDITS = {
    "rule": "edit rule",
    "problem": "edit policy.py",
    "case": "edit case",
    "assumed": "answer anew",
    "context": "edit sentence",
    "sentence": "edit sentence",
    "said": "say it",
    "question": "edit sentence",
    "request": "edit request",
}
"""The words for editing the item at the cursor, by the kind of its key."""


class Writing:
    """Opens the editors of a view, and stores the edited texts."""

    def __init__(self, view: AuthorView, saying: SentenceWriting) -> None:
        """Edit for a view; ``saying`` edits what the sentences of a policy of calls mean."""
        self._view = view
        self._saying = saying
        self.edited = ""
        """The key of the rule or problem that was edited last; empty if there is none."""

    def do_edit(self) -> bool:
        """Edit the item at the cursor; False if there is nothing to edit."""
        view, state = self._view, self._view.state
        kind, name = self._target()
        match kind:
            case "rule":
                return self._rule(state, name)
            case "problem":
                line, _, column = name.partition(":")
                return self._policy(state, int(line), int(column))
            case "case":
                return self._case(name)
            case "assumed" if name.startswith(f"{PROPOSED}:"):
                return view.post_message(Go(Place(ViewName.POLICY), then="edit_agent"))
            case "assumed":
                view.answer_again(name)
                return True
            case "context":
                sentence: Sentence = state.context[int(name)]
                return self._sentence(state, sentence.span)
            case "sentence" | "said":
                return self._saying.begin()
            case "question" if view.question is not None:
                return self._sentence(state, view.question.span)
            case _:
                return self.do_whole_request()

    @property
    def words(self) -> str:
        """The hint for editing the item at the cursor."""
        return EDITS[self._target()[0]]

    def _target(self) -> tuple[str, str]:
        """The item to edit: its kind (a key of ``EDITS``) and its name.

        If the item at the cursor cannot be edited, it is the sentence in focus, else the request.
        """
        view = self._view
        kind, _, name = view.middle.key.partition(":")
        if view.current is view.middle and kind in EDITS:
            return kind, name
        state, row = view.state, view.row
        if row is not None and state.requested_of(row.requirement.id) is not None:
            return "said", ""
        is_asked = view.current is view.middle and view.question is not None
        return "question" if is_asked else "request", ""

    # --- the texts to edit

    def _rule(self, state: SessionState, name: str) -> bool:
        terms = state.terms
        rules = () if terms is None else terms.rules
        rule = next((rule for rule in rules if rule.name == name), None)
        part = None if terms is None or rule is None else terms.file.part(rule)
        if part is None or not part.line:
            return False
        editor = self._view.code
        self.edited = f"rule:{name}"
        line = condition_line(state.policy, part)
        editor.begin(state.policy, part.line, part.end_line, f"the rule {name}", line)
        return True

    def sentence_rule(self, words: str, tool: str, said: str) -> None:
        """Edit the rule of a sentence of the request, or begin one about a tool in the whole policy.

        Of several rules it is the one that is read aloud as ``said``, if there is one.
        """
        view, state = self._view, self._view.state
        requested = state.requested
        sentence = next((one for one in requested if one.requirement.text == words), None)
        if sentence is None:
            return
        readings = sorted(sentence.readings, key=lambda one: one.text != said)
        if any(self._rule(state, one.name) for one in readings):
            return

        def begin(found: tuple[str, int]) -> None:
            text, line = found
            view.code.begin_whole(text, "policy.py", line)

        view.mark(view.middle)
        skeleton = Ask(
            "skeleton", lambda bench: bench.rewordings.with_skeleton(words, tool), begin, opens=True
        )
        view.post_message(skeleton)

    def _policy(self, state: SessionState, line: int, column: int) -> bool:
        """Edit the whole policy at the place of a problem that keeps its rules from being known."""
        self.edited = self._view.middle.key
        self._view.mark(self._view.middle)
        self._view.code.begin_whole(state.policy, "policy.py", line, column)
        return True

    def do_whole_request(self) -> bool:
        """Edit the whole request, at the sentence in focus."""
        state, row = self._view.state, self._view.row
        line = row.requirement.span.line - 1 if row is not None else 0
        view, label = self._view, "Edited the request"
        view.edit_stored(view.text, "the request", state.request, label, _set_request)
        view.text.move_cursor((line, 0))
        return True

    def _sentence(self, state: SessionState, span: Span) -> bool:
        request = state.request

        def store(bench: Workbench, text: str) -> object:
            if bench.session.request != request:
                raise WorkbenchError("The request was changed meanwhile; edit the sentence once more.")
            return _set_request(bench, request[: span.start] + text.strip() + request[span.end :])

        view, sentence = self._view, request[span.start : span.end]
        view.edit_stored(view.text, "the sentence", sentence, "Edited a sentence", store)
        return True

    def _case(self, identity: str) -> bool:
        return self._view.edit_found(
            self._view.text,
            f"the case {identity}",
            lambda bench: bench.cases.text(identity),
            f"Edited {identity}",
            lambda bench, text: bench.cases.put_text(identity, text),
        )

    def add_case(self) -> bool:
        """Write a new case for the requirement in focus."""
        state, row = self._view.state, self._view.row
        if state.terms is None:
            return False
        terms, about = state.terms, "" if row is None else row.requirement.id
        return self._view.edit_found(
            self._view.text,
            "a new case",
            lambda bench: bench.cases.new_text(terms, about),
            "Added a case",
            lambda bench, text: bench.cases.add_text(text),
        )


def condition_line(policy: str, rule: WrittenPart) -> int:
    """The line on which the condition of a rule begins, after the rule's sentence."""
    lines = policy.splitlines()[rule.line - 1 : rule.end_line]
    starts = (at for at, line in enumerate(lines) if line.lstrip().startswith(("return", "if ")))
    return rule.line + next(starts, 0)


def _set_request(bench: Workbench, text: str) -> object:
    """Write the request; a sentence on the clauses that the policy breaks then, if there are any."""
    stored = bench.editing.set_request(text)
    found = stored.contradictions if stored is not None else ()
    if not found:
        return stored
    broken = "; ".join(contradiction.sentence for contradiction in found)
    return Say(f"The request is stored, but the policy contradicts it: {broken}", problem=True)
