"""The state machine: random acts on a session, and after each the comparison with what was said."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import override

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.app.stateful.desks import DESKS
from tests.app.stateful.player import SPOILED, Player
from tests.app.stateful.said import DeskSentence

DESK = DESKS[0]
ASKING = tuple(place for place, sentence in enumerate(DESK.sentences) if sentence.asks)
RULES = tuple(range(len(DESK.rules)))
BY_HAND = st.sampled_from(["inside", "outside"])
SENTENCES = st.lists(st.integers(0, len(DESK.sentences) - 1), max_size=3, unique=True)


class SessionMachine(RuleBasedStateMachine):
    """Acts of a person and of other programs on one session."""

    player: Player

    @initialize(desk=st.sampled_from(DESKS), chosen=SENTENCES)
    def begin(self, desk: int, chosen: list[int]) -> None:
        """Make a session with some sentences."""
        self._folder = Path(tempfile.mkdtemp(prefix="stateful-"))
        self.player = Player(desk, self._folder / "session", tuple(desk.sentences[place] for place in chosen))

    @override
    def teardown(self) -> None:
        """Close the session and remove its folder."""
        if hasattr(self, "player"):
            self.player.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    @invariant()
    def agrees(self) -> None:
        """The session says what was said."""
        if hasattr(self, "player"):
            self.player.judge()

    def _asking(self, place: int) -> DeskSentence | None:
        """One of the request's sentences that ask, by any number."""
        asking = [sentence for sentence in self.player.said.sentences if sentence.asks]
        return asking[place % len(asking)] if asking else None

    def _asks(self) -> bool:
        return any(sentence.asks for sentence in self.player.said.sentences)

    def _answered(self) -> bool:
        return bool(self.player.said.standing_answers)

    # --- answers ----------------------------------------------------------------------

    @precondition(_asks)
    @rule(place=st.integers(0, 2), answer=st.integers(0, 3))
    def answer(self, place: int, answer: int) -> None:
        """Answer a question, or answer it anew."""
        sentence = self._asking(place)
        if sentence is not None:
            self.player.answer(sentence, sentence.answers[answer % len(sentence.answers)])

    @precondition(_answered)
    @rule(place=st.integers(0, 2))
    def retract(self, place: int) -> None:
        """Take an answer back."""
        sentence = self._asking(place)
        if sentence is not None:
            self.player.retract(sentence)

    @precondition(_asks)
    @rule(place=st.integers(0, 2))
    def skip(self, place: int) -> None:
        """Leave a question for later."""
        sentence = self._asking(place)
        if sentence is not None:
            self.player.skip(sentence)

    @rule()
    def answer_others(self) -> None:
        """Answer by their defaults the questions that several sentences together raise."""
        self.player.answer_others()

    # --- request, rules, drafts -------------------------------------------------------

    @rule(chosen=SENTENCES, how=st.sampled_from(["carried", "not carried", "outside"]))
    def request(self, chosen: list[int], how: str) -> None:
        """Give the request other sentences."""
        self.player.request(tuple(self.player.desk.sentences[place] for place in chosen), how)

    @rule(how=st.sampled_from(["carried", "outside"]))
    def turn(self, how: str) -> None:
        """Turn the order of the sentences, so that requirements get other numbers."""
        self.player.request(self.player.said.sentences[::-1], how)

    @rule(place=st.sampled_from(RULES))
    def build(self, place: int) -> None:
        """Build a rule."""
        self.player.build(tuple(self.player.desk.rules)[place])

    @precondition(_asks)
    @rule(place=st.sampled_from(RULES), sentence=st.integers(0, 2))
    def build_answer(self, place: int, sentence: int) -> None:
        """Build a rule as the answer to a question."""
        self.player.build(tuple(self.player.desk.rules)[place], self._asking(sentence))

    @rule()
    def draft(self) -> None:
        """Draft from the request."""
        self.player.draft()

    @rule()
    def discard(self) -> None:
        """Draft, and give up edits."""
        self.player.draft(discarding=True)

    @rule()
    def undo(self) -> None:
        """Undo."""
        self.player.undo()

    @rule()
    def redo(self) -> None:
        """Redo."""
        self.player.redo()

    # --- the policy by hand, files ------------------------------------------------------

    @rule(place=st.sampled_from(RULES), how=BY_HAND)
    def write_rule(self, place: int, how: str) -> None:
        """Write a rule into the policy."""
        self.player.write_rule(tuple(self.player.desk.rules)[place], how)

    @rule(how=BY_HAND)
    def widen(self, how: str) -> None:
        """Raise the limits in the rules."""
        self.player.widen(how)

    @rule(how=BY_HAND)
    def delete_clauses(self, how: str) -> None:
        """Delete the contract."""
        self.player.delete_clauses(how)

    @rule(how=BY_HAND)
    def delete_rules(self, how: str) -> None:
        """Delete rules and contract."""
        self.player.delete_rules(how)

    @rule(optional=st.booleans(), note=st.sampled_from(["", "place"]), how=BY_HAND)
    def agent(self, optional: bool, note: str, how: str) -> None:
        """Change the agent file."""
        self.player.agent(optional=optional, note=note, how=how)

    @rule(way=st.sampled_from(sorted(SPOILED)))
    def spoil(self, way: str) -> None:
        """Make the agent file unreadable."""
        self.player.spoil_agent(way)

    @rule()
    def repair(self) -> None:
        """Repair the agent file."""
        self.player.repair_agent()

    @precondition(_answered)
    @rule()
    def damage(self) -> None:
        """Damage stored answers."""
        self.player.damage_answers()

    @precondition(_answered)
    @rule()
    def remove_answers(self) -> None:
        """Remove stored answers."""
        self.player.remove_answers()

    @rule()
    def reopen(self) -> None:
        """Open the session anew."""
        self.player.reopen()

    @rule()
    def take_over(self) -> None:
        """Take over what other programs changed."""
        self.player.take_over()
