"""The state machine of a session with a policy of calls: random acts, and after each the comparison."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import closing
from pathlib import Path
from random import Random
from typing import override

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.app.stateful.consulted import Part
from tests.app.stateful.moment import Shared
from tests.app.stateful.written_desk import EDITED, SENTENCES, SPOILED, AgentFile
from tests.app.stateful.written_player import EDITS, OUTSIDE, WrittenPlayer
from tests.examples import EVERY

TEXTS = tuple(SENTENCES)
BEGINNINGS = 30 if EVERY else 12
"""The most beginnings of one run, which histories share: to make one takes as long as a few acts."""
SIZES = (2, 3, 3, 4, len(TEXTS))
"""How many sentences a request begins with: a short one costs little, and is good after few acts."""
PLACE = st.integers(0, len(TEXTS) - 1)
HOW = st.sampled_from(["inside", *OUTSIDE])
OTHERS = st.sampled_from(OUTSIDE)
AGENTS = st.builds(
    AgentFile,
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["", "Pays what is owed."]),
    st.sampled_from([*[""] * 4, *SPOILED]),
)


def _settle(player: WrittenPlayer, place: int, choice: int | None, *, accepts: bool) -> None:
    player.settle(place, choice)
    player.judge()
    if accepts and player.may_accept:
        player.accept()


def _beginning(folder: Path, random: Random) -> WrittenPlayer:
    """A session that is closed: with a request of which most is said, perhaps with an accepted version."""
    size, texts = random.choice(SIZES), random.sample(TEXTS, len(TEXTS))
    with closing(WrittenPlayer(folder, tuple(sorted(texts[:size], key=TEXTS.index)))) as player:
        player.say({text: SENTENCES[text][0] for text in texts[random.randrange(3) : size]})
        if random.random() < 0.5:
            _settle(player, 0, None, accepts=True)
        return player


def _touches(machine: WrittenMachine) -> bool:
    return machine.theme == "hand"


def _edits_request(machine: WrittenMachine) -> bool:
    return machine.theme in ("request", "hand")


def _edits_files(machine: WrittenMachine) -> bool:
    return machine.theme == "files"


class WrittenMachine(RuleBasedStateMachine):
    """Acts of a person and of other programs on the desk.

    In a ``calm`` history sentences are said, questions answered, and changes undone. In one of the
    ``request`` its sentences change too, and in one of the ``hand`` also the policy. In one of ``files`` the
    agent file changes, and other programs harm what is stored.
    """

    shared: Shared[WrittenPlayer]
    player: WrittenPlayer
    theme = "hand"

    @initialize(
        theme=st.sampled_from(["calm", "files", "request", "hand"]), number=st.integers(0, BEGINNINGS - 1)
    )
    def begin(self, theme: str, number: int) -> None:
        """Begin a history, perhaps as another one began."""
        self.theme = theme
        self._folder, begun = Path(tempfile.mkdtemp(dir=self.shared.folder)), self.shared.begun
        if number not in begun:
            begun[number] = _beginning(self._folder / "begun", Random(self.shared.first * 1000 + number))
        self.player = begun[number].copied(self._folder / "desk")

    @override
    def teardown(self) -> None:
        """Count, close the session and remove it."""
        if hasattr(self, "player"):
            tally = self.shared.tally
            tally.histories += 1
            tally.acts += len(self.player.acts)
            tally.judged += self.player.judged
            tally.good += self.player.good
            self.player.close()
            shutil.rmtree(self._folder / "desk", ignore_errors=True)

    @invariant()
    def agrees(self) -> None:
        """The session says what was said."""
        if hasattr(self, "player"):
            self.player.judge()

    @rule(place=PLACE, choice=PLACE, anyway=st.booleans())
    def say(self, place: int, choice: int, anyway: bool) -> None:
        """Say what a sentence of the request means."""
        request = self.player.said.request
        sentence = request[place % len(request)]
        original = next((old for old, new in EDITED.items() if new == sentence), sentence)
        means = SENTENCES[original]
        self.player.say({sentence: means[choice % len(means)]}, anyway=anyway)

    @rule(place=PLACE)
    def context(self, place: int) -> None:
        """Say that a sentence states no rule."""
        request = self.player.said.request
        self.player.context(request[place % len(request)])

    @rule(place=PLACE, choice=PLACE)
    def answer(self, place: int, choice: int) -> None:
        """Answer an open question."""
        questions = self.player.open_questions()
        if questions:
            self.player.answer(questions[place % len(questions)], choice)

    @precondition(lambda machine: bool(machine.player.said.answers))
    @rule(place=PLACE)
    def retract(self, place: int) -> None:
        """Take an answer back."""
        self.player.retract(place)

    @rule(place=PLACE, accepts=st.booleans(), choice=st.none() | PLACE)
    def settle(self, place: int, accepts: bool, choice: int | None) -> None:
        """Settle all that is open, perhaps with other answers, and accept the version if it is good then."""
        _settle(self.player, place, choice, accepts=accepts)

    @rule()
    def undo(self) -> None:
        """Undo."""
        self.player.undo()

    @rule(times=st.integers(1, 3))
    def undo_and_redo(self, times: int) -> None:
        """Undo some changes, and do them again."""
        for _ in range(times):
            self.player.undo()
        self.player.judge()
        for _ in range(times):
            self.player.redo()

    @precondition(_edits_request)
    @rule(place=PLACE, how=HOW)
    def strike(self, place: int, how: str) -> None:
        """Take a sentence out of the request."""
        request = self.player.said.request
        if len(request) > 1:
            gone = request[place % len(request)]
            self.player.request(tuple(one for one in request if one != gone), how)

    @precondition(_edits_request)
    @rule(place=PLACE, how=HOW)
    def add(self, place: int, how: str) -> None:
        """Put a sentence before the others of the request."""
        request = self.player.said.request
        if TEXTS[place] not in request:
            self.player.request((TEXTS[place], *request), how)

    @precondition(_edits_request)
    @rule(how=HOW)
    def edit(self, how: str) -> None:
        """Edit a sentence of the request."""
        self.player.request(tuple(EDITED.get(one, one) for one in self.player.said.request), how)

    @precondition(_touches)
    @rule(what=st.sampled_from(sorted(EDITS)), place=PLACE, how=HOW, choice=st.none() | PLACE)
    def edit_policy(self, what: str, place: int, how: str, choice: int | None) -> None:
        """Edit the policy by hand, perhaps after all that its rules left open was answered."""
        if choice is not None:
            self.player.answer_rules(choice)
            self.player.judge()
        self.player.edit_policy(what, place, how)

    @precondition(_edits_files)
    @rule(agent=AGENTS, how=HOW, undoes=st.booleans())
    def agent(self, agent: AgentFile, how: str, undoes: bool) -> None:
        """Edit the agent file, which may go bad or be repaired; or edit it here, and undo that."""
        self.player.agent(agent, "inside" if undoes else how)
        if undoes:
            self.player.judge()
            self.player.undo()

    @precondition(lambda machine: _edits_files(machine) and bool(machine.player.said.answers))
    @rule(place=PLACE, how=OTHERS)
    def damage_answer(self, place: int, how: str) -> None:
        """Harm a stored answer."""
        self.player.damage_answer(place, how)

    @precondition(lambda machine: _edits_files(machine) and bool(machine.player.said.answers))
    @rule(how=OTHERS)
    def forget_answers(self, how: str) -> None:
        """Take all stored answers away."""
        self.player.forget_answers(how)

    @precondition(_edits_files)
    @rule(place=PLACE, how=OTHERS)
    def rob(self, place: int, how: str) -> None:
        """Take the accepted version away, after all that is open was settled and the version accepted."""
        self.settle(place, accepts=True, choice=None)
        self.player.judge()
        self.player.rob(how)

    @precondition(lambda machine: machine.theme != "calm")
    @rule()
    def take_over(self) -> None:
        """Take over what other programs changed."""
        self.player.take_over()

    @rule(part=st.sampled_from(Part))
    def consult(self, part: Part) -> None:
        """Look at the questions, the page, the screen or a command."""
        self.player.consult(part)

    @rule()
    def reopen(self) -> None:
        """Open the session anew."""
        self.player.reopen()
