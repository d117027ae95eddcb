"""The state machines: random acts on a session, and after each the comparison with what was said."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import override

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.app.stateful.desks import DESKS, Desk
from tests.app.stateful.moment import Tally
from tests.app.stateful.player import OUTSIDE, REMOVABLE, SPOILED, Player
from tests.app.stateful.said import DeskSentence
from tests.examples import EVERY
from workbench.author.protocol import Author
from workbench.session import Session

type Model = Callable[[Session], Author]

DESK = DESKS[0]
RULES = tuple(range(len(DESK.rules)))
BY_HAND = st.sampled_from(["inside", *OUTSIDE])
SENTENCES = st.lists(st.integers(0, len(DESK.sentences) - 1), max_size=3, unique=True)
OFTEN = st.sampled_from([True, True, False])
THEMES = ["calm", "files", "policy", "agent", "all"]
REQUESTS = st.sampled_from(["carried", "not carried", *OUTSIDE])
ASKING = st.sampled_from([place for place, sentence in enumerate(DESK.sentences) if sentence.asks])


def _asks(machine: Machine) -> bool:
    return any(sentence.asks for sentence in machine.player.said.sentences)


def _answered(machine: Machine) -> bool:
    return bool(machine.player.said.standing_answers)


def _undone(machine: Machine) -> bool:
    bench = machine.player.bench
    return bench is not None and bool(bench.session.undone)


def _waits(machine: Machine) -> bool:
    return bool(machine.player.pending)


def _spoiled(machine: Machine) -> bool:
    return bool(machine.player.spoiled)


def _several(machine: Machine) -> bool:
    return len(machine.player.said.sentences) > 1


def _unanswered(machine: Machine) -> bool:
    return bool(machine.player.said.unanswered)


def _edits_files(machine: Machine) -> bool:
    return machine.theme in ("files", "agent", "all")


def _edits_request(machine: Machine) -> bool:
    return machine.theme != "agent"


def _looks_around(machine: Machine) -> bool:
    return machine.theme != "agent"


def _edits_policy(machine: Machine) -> bool:
    return machine.theme in ("policy", "all")


class Machine(RuleBasedStateMachine):
    """Acts that every author's session knows.

    In a ``calm`` history all acts are those of the application, so that all that is said must be in force
    after each. In the others a person edits the policy, or other programs edit any file, or both. In that of
    the ``agent`` the request stays, and answers meet changes of the agent. The fewer kinds of acts a history
    has, the more often one of them follows another on which it depends.
    """

    tally = Tally()
    player: Player
    theme = "all"

    def play(self, desk: Desk, sentences: tuple[DeskSentence, ...], model: Model | None = None) -> None:
        """Begin a history."""
        self._folder = Path(tempfile.mkdtemp(prefix="stateful-"))
        self.player = Player(desk, self._folder / "session", sentences, model)

    @override
    def teardown(self) -> None:
        """Count, close the session and remove its folder."""
        if hasattr(self, "player"):
            self.tally.histories += 1
            self.tally.acts += len(self.player.acts)
            self.tally.judged += self.player.judged
            self.tally.good += self.player.good
            self.player.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    @invariant()
    def agrees(self) -> None:
        """The session says what was said."""
        if hasattr(self, "player"):
            self.player.judge()

    def how(self, how: str) -> str:
        """How something is edited: without edits of files always so that the application carries it."""
        return how if _edits_files(self) else "carried"

    def asking(self, place: int) -> DeskSentence | None:
        """One of the request's sentences that ask, by any number."""
        asking = [sentence for sentence in self.player.said.sentences if sentence.asks]
        return asking[place % len(asking)] if asking else None

    # --- answers ----------------------------------------------------------------------

    @precondition(_asks)
    @rule(place=st.integers(0, 2), answer=st.integers(0, 3))
    def answer(self, place: int, answer: int) -> None:
        """Answer a question, or answer it anew."""
        sentence = self.asking(place)
        if sentence is not None:
            self.player.answer(sentence, sentence.answers[answer % len(sentence.answers)])

    @precondition(_unanswered)
    @rule(answer=st.integers(0, 3))
    def answer_first(self, answer: int) -> None:
        """Answer the first question that is open."""
        sentence = self.player.said.unanswered[0]
        self.player.answer(sentence, sentence.answers[answer % len(sentence.answers)])

    @precondition(_answered)
    @rule(place=st.integers(0, 2))
    def retract(self, place: int) -> None:
        """Take an answer back."""
        said = self.player.said
        answered = [sentence for sentence in said.sentences if sentence.text in said.standing_answers]
        self.player.retract(answered[place % len(answered)])

    @precondition(lambda machine: _asks(machine) and _looks_around(machine))
    @rule(place=st.integers(0, 2))
    def skip(self, place: int) -> None:
        """Leave a question for later."""
        sentence = self.asking(place)
        if sentence is not None:
            self.player.skip(sentence)

    @precondition(_looks_around)
    @rule()
    def answer_others(self) -> None:
        """Answer by their defaults the questions that several sentences together raise."""
        self.player.answer_others()

    @rule(answer=st.integers(0, 3), accepts=st.booleans())
    def settle(self, answer: int, accepts: bool) -> None:
        """Answer all that is open, and accept the version if it is good then."""
        self.player.settle(answer)
        self.player.judge()
        if accepts and self.player.may_accept:
            self.player.accept()

    # --- drafts and history -----------------------------------------------------------

    @rule()
    def draft(self) -> None:
        """Draft from the request."""
        self.player.draft()

    @rule()
    def undo(self) -> None:
        """Undo."""
        self.player.undo()

    @rule(times=st.integers(1, 2))
    def undo_and_redo(self, times: int) -> None:
        """Undo some changes, and do them again."""
        for _ in range(times):
            self.player.undo()
        for _ in range(times):
            self.player.redo()

    @precondition(_undone)
    @rule()
    def redo(self) -> None:
        """Redo."""
        self.player.redo()

    @precondition(_edits_policy)
    @rule(place=st.sampled_from(RULES), how=BY_HAND)
    def write_rule(self, place: int, how: str) -> None:
        """Write a rule into the policy."""
        self.player.write_rule(tuple(self.player.desk.rules)[place], how)

    @precondition(_edits_policy)
    @rule(place=st.integers(0, 3), how=BY_HAND)
    def empty_rule(self, place: int, how: str) -> None:
        """Let a rule forbid nothing."""
        self.player.empty_rule(place, how)

    @precondition(_edits_policy)
    @rule(how=BY_HAND)
    def widen(self, how: str) -> None:
        """Raise the limits in the rules."""
        self.player.widen(how)

    @precondition(lambda machine: machine.player.may_accept)
    @rule()
    def accept(self) -> None:
        """Accept the version, if it is good."""
        self.player.accept()

    @precondition(_edits_policy)
    @rule(place=st.sampled_from(RULES), how=BY_HAND)
    def write_clause(self, place: int, how: str) -> None:
        """Write a clause into the contract."""
        self.player.write_clause(tuple(self.player.desk.rules)[place], how)

    @precondition(_looks_around)
    @rule(place=st.integers(0, len(DESK.calls()) - 1), opposite=st.booleans())
    def keep_case(self, place: int, opposite: bool) -> None:
        """Keep a logged call as a case."""
        self.player.keep_case(place, opposite=opposite)

    @precondition(_looks_around)
    @rule()
    def consult(self) -> None:
        """Look at questions, page, screen and evidence."""
        self.player.consult()

    @precondition(_edits_policy)
    @rule()
    def discard(self) -> None:
        """Draft, and give up edits of the policy."""
        self.player.draft(discarding=True)

    @precondition(_edits_policy)
    @rule(how=BY_HAND)
    def delete_clauses(self, how: str) -> None:
        """Delete the contract."""
        self.player.delete_clauses(how)

    @precondition(_edits_policy)
    @rule(how=BY_HAND)
    def delete_rules(self, how: str) -> None:
        """Delete rules and contract."""
        self.player.delete_rules(how)

    @precondition(lambda machine: _answered(machine) and _edits_files(machine) and _looks_around(machine))
    @rule()
    def remove_answers(self) -> None:
        """Remove stored answers."""
        self.player.remove_answers()

    @precondition(lambda machine: EVERY and _edits_files(machine) and _looks_around(machine))
    @rule(name=st.sampled_from(REMOVABLE), how=st.sampled_from(OUTSIDE))
    def remove(self, name: str, how: str) -> None:
        """Remove a file of the program in another program, in the long run only."""
        self.player.remove(name, how)

    @precondition(_waits)
    @rule()
    def take_over(self) -> None:
        """Take over what other programs changed."""
        self.player.take_over()

    @rule()
    def reopen(self) -> None:
        """Open the session anew."""
        self.player.reopen()


class SessionMachine(Machine):
    """Acts of a person and of other programs on a session that the offline author drafts."""

    @initialize(
        desk=st.sampled_from(DESKS),
        asking=ASKING,
        chosen=SENTENCES,
        answer=st.integers(0, 5),
        settled=st.booleans(),
        theme=st.sampled_from(THEMES),
    )
    def begin(
        self, desk: Desk, asking: int, chosen: list[int], answer: int, settled: bool, theme: str
    ) -> None:
        """Make a session with some sentences, one of which asks; in most histories it is answered at once.

        Acts are drawn without a thought of their order, and few of them matter before there is an answer, or
        while something else is wrong anyway.
        """
        self.theme = theme
        self.play(desk, tuple(desk.sentences[place] for place in dict.fromkeys((asking, *chosen))))
        self.player.judge()
        sentence = desk.sentences[asking]
        rules = [each for each in sentence.answers if each.by_rule]
        if theme == "agent" and rules:  # an answer in the agent's words, which a change of the agent meets
            self.player.answer(sentence, rules[answer % len(rules)])
        elif not settled and answer < len(sentence.answers):
            self.player.answer(sentence, sentence.answers[answer])
        if settled:
            self.player.settle(answer)

    # --- request, rules, drafts -------------------------------------------------------

    @precondition(_edits_request)
    @rule(chosen=SENTENCES, how=REQUESTS)
    def request(self, chosen: list[int], how: str) -> None:
        """Give the request other sentences."""
        self.player.request(tuple(self.player.desk.sentences[place] for place in chosen), self.how(how))

    @precondition(lambda machine: _several(machine) and _edits_request(machine))
    @rule(place=st.integers(0, 3), how=REQUESTS)
    def strike(self, place: int, how: str) -> None:
        """Take one sentence out of the request."""
        sentences = self.player.said.sentences
        gone = sentences[place % len(sentences)]
        self.player.request(tuple(s for s in sentences if s is not gone), self.how(how))

    @precondition(_edits_request)
    @rule(place=st.integers(0, len(DESK.sentences) - 1), how=REQUESTS)
    def add(self, place: int, how: str) -> None:
        """Add a sentence to the request."""
        more = self.player.desk.sentences[place]
        sentences = self.player.said.sentences
        if more not in sentences:
            self.player.request((*sentences, more), self.how(how))

    @precondition(lambda machine: _several(machine) and _edits_request(machine))
    @rule(how=st.sampled_from(["carried", *OUTSIDE]))
    def turn(self, how: str) -> None:
        """Turn the order of the sentences, so that requirements get other numbers."""
        self.player.request(self.player.said.sentences[::-1], self.how(how))

    @precondition(_edits_policy)
    @rule(how=BY_HAND)
    def widen_all(self, how: str) -> None:
        """Raise the limits in the rules and in the contract."""
        self.player.widen_all(how)

    @rule(optional=OFTEN, note=st.sampled_from(["", "place"]), how=BY_HAND, draft=OFTEN)
    def agent(self, optional: bool, note: str, how: str, draft: bool) -> None:
        """Change the agent file, and perhaps draft from it."""
        self.player.agent(optional=optional and _edits_files(self), note=note, how=self.how(how))
        if draft:
            self.player.draft()

    @precondition(_edits_files)
    @rule(how=BY_HAND)
    def turn_flag(self, how: str) -> None:
        """Make the flag of the agent optional, or required again, and draft."""
        self.player.agent(optional=not self.player.said.optional, note="", how=how)
        self.player.draft()

    @precondition(_edits_files)
    @rule(way=st.sampled_from(sorted(SPOILED)), draft=st.booleans())
    def spoil(self, way: str, draft: bool) -> None:
        """Make the agent file unreadable, and draft from it."""
        self.player.spoil_agent(way)
        if draft:
            self.player.reopen()
            self.player.draft()

    @precondition(_spoiled)
    @rule()
    def repair(self) -> None:
        """Repair the agent file."""
        self.player.repair_agent()

    @precondition(lambda machine: _answered(machine) and _edits_files(machine))
    @rule()
    def damage(self) -> None:
        """Damage stored answers."""
        self.player.damage_answers()


MACHINES: tuple[type[Machine], ...] = (SessionMachine,)
