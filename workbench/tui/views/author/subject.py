"""The subject of the Author view: the item in focus, with everything about it, and its calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from workbench.app.clause_findings import NO_CLAUSE
from workbench.app.requested_sentence import SentenceState, is_made_up
from workbench.app.session_state import RequirementState, SessionState
from workbench.model import Question, Verdict
from workbench.tui.rows import BLANK, Row, paragraph
from workbench.tui.text_runs import muted
from workbench.tui.views.author.requirement import option_keys, question_rows, requirement_rows
from workbench.tui.views.author.spine import (
    LISTS,
    READING,
    UNCLAIMED,
    same_place,
    spine_keys,
    unclaimed_rows,
    unread_words,
)
from workbench.tui.views.view import UNKNOWN

NOT_ALLOWED_FIRST = (Verdict.DENY, Verdict.CANNOT_EVALUATE, Verdict.ASK, Verdict.ALLOW)
_MANY_ALIKE = 2


class Subject:
    """The item in focus: a requirement, an unread sentence, or a list of the spine.

    ``keys`` are those of the spine, ``focus`` the one in focus, ``again`` the question that is answered
    again, and ``whole`` means that all cases are shown.
    """

    def __init__(self) -> None:
        """Start with nothing in focus."""
        self.state = UNKNOWN
        self.keys: Sequence[str] = ()
        self.focus = ""
        self.again = ""
        self.whole = False
        self._calls: tuple[Sequence[int], Sequence[Verdict], Sequence[int]] | None = None
        """The calls that a requirement decides, in the order in which they are shown."""

    def take(self, state: SessionState) -> None:
        """Take another state; keep the item in focus if it still exists, else focus an open question."""
        before, self.state = self.state, state
        keys = self.keys = spine_keys(state)
        if before.requirements is not state.requirements or self.focus not in keys:
            self.focus = same_place(before, self.focus, state) or self.focus
        if self.focus not in keys or not before.sentences:
            first_open = next((row.requirement.id for row in state.rows if row.questions), "")
            self.focus = first_open or (keys[0] if keys else "")
        if all(assumption.question != self.again for assumption in state.assumptions):
            self.again = ""

    def answer_again(self, question: str) -> bool:
        """Show an answered question; False if the request does not raise it any more."""
        is_raised = any(candidate.id == question for candidate in self.state.questions)
        self.again = question if is_raised else self.again
        return is_raised

    def look_at(self, key: str) -> None:
        """Focus another row of the spine."""
        self.focus, self.again, self.whole = key, "", False

    @property
    def row(self) -> RequirementState | None:
        """The requirement in focus."""
        return self.state.row(self.focus)

    @property
    def question(self) -> Question | None:
        """The visible question: the one that is answered again, or the first about the item in focus."""
        state = self.state
        if self.again:
            return next((question for question in state.questions if question.id == self.again), None)
        row = self.row
        if row is not None:
            requested = state.requested_of(row.requirement.id)
            is_open = requested is not None and requested.state is SentenceState.OPEN
            asked = (one for one in row.questions if not (is_open and one.kind == NO_CLAUSE))
            return next(asked, None)
        return next((question for question in state.open if question.id == self.focus), None)

    def heading(self, state: SessionState, said: str | None) -> str:
        """The title of the middle pane: the item in focus, and its position in the spine.

        While a sentence is ``said`` it is that one, by its id; a new one has none.
        """
        if not state.understood or said == "":
            return "Requirement" if said is None else "A new sentence"
        keys, focus = self.keys, said or self.focus
        place = f" ▸ {keys.index(focus) + 1} of {len(keys)}" if focus in keys else ""
        asked = self.question if focus == self.focus else None
        unread = "Not read yet" if asked is None else unread_words(asked)
        named = focus if not is_made_up(focus) else "Sentence"
        name = LISTS[focus][0] if focus in LISTS else named if state.row(focus) is not None else unread
        return f"◂ {'? ' if asked is not None else ''}{name}{place}"

    def rows(self, aloud: Mapping[str, str], *, code: bool) -> Iterable[Row]:
        """Everything about the item in focus, with its rules ``aloud`` if they are requested so.

        Without ``code`` its rules are left out, as they are edited.
        """
        state, row, asked = self.state, self.row, self._question_rows()
        if row is not None:
            return requirement_rows(state, row, asked, whole=self.whole, code=code, aloud=aloud)
        if self.question is not None:
            return asked
        if self.focus == UNCLAIMED:
            return unclaimed_rows(aloud, state)
        if self.focus in LISTS:
            return LISTS[self.focus][1](state)
        return [paragraph(muted("Choose a requirement at the left." if state.understood else READING))]

    @property
    def options(self) -> list[str]:
        """The keys of the visible options, by their numbers."""
        return [] if self.question is None else option_keys(self.question)

    def _question_rows(self) -> Iterator[Row]:
        state, question, row = self.state, self.question, self.row
        if question is None:
            return
        chosen = (one.value for one in state.assumptions if one.question == question.id)
        if row is not None:
            yield BLANK
        yield from question_rows(question, state.turned.get(question.id, {}), next(chosen, ""))
        if row is not None and not self.again and (further := len(row.questions) - 1) > 0:
            yield paragraph(muted(f"and {further} more about it"))
        if (alike := sum(one.kind == question.kind for one in state.open)) > _MANY_ALIKE:
            words = f"{alike} of its kind are open; once one is answered, = answers all of them so"
            yield paragraph(muted(words))

    def calls(self, state: SessionState) -> tuple[Sequence[int], str]:
        """The positions of the calls to show, those that are not allowed first, and a title for them."""
        row = self.row
        if row is None:
            return [], "It decides"
        if self._calls is None or self._calls[0] is not row.decided or self._calls[1] is not state.verdicts:
            by_verdict: dict[Verdict, list[int]] = {verdict: [] for verdict in NOT_ALLOWED_FIRST}
            for at in row.decided:
                by_verdict[state.verdicts[at]].append(at)
            ordered = [*chain.from_iterable(by_verdict.values())]
            self._calls = row.decided, state.verdicts, ordered
        name = "It" if is_made_up(row.requirement.id) else row.requirement.id
        return self._calls[2], f"{name} decides"
