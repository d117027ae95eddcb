"""GuardAgent on a call of a run: asked, corrected by hand, stored, and settled if the policy disagrees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.author.model.model_server import Behaviour, model_server
from tests.tui.driving import Driver, opened
from workbench.app.workbench import Workbench

PLAN = json.dumps(
    {"request": "payments", "agent_input": "an account", "agent_output": "the register", "code": "compare"}
)


def reply(code: str) -> Behaviour:
    return Behaviour(pieces=(json.dumps({"code": code}),))


async def at_a_denial(person: Driver) -> None:
    """Go to GuardAgent on the first denied call about R4."""
    await person.press("R", *(() if person.app.view.fitting < 3 else ("tab",)), "slash")
    await person.type("deny cc-202")
    await person.press("enter")
    await person.command("guardagent")


async def test_guardagent_decides_beside_the_policy_and_a_person_takes_it_on(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stalled = Behaviour(pieces=('{"request": ', '"pay'), stall=True)
    behaviours = (
        stalled,
        Behaviour(pieces=(PLAN,)),
        reply("import os"),
        reply("label = 0\ndetails = ['all well']"),
    )
    with model_server(*behaviours) as server:
        monkeypatch.setenv("WORKBENCH_MODEL", "scripted")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        async with opened(desk, (120, 60)) as person:
            await at_a_denial(person)
            assert "GuardAgent  has not decided this call" in person.text
            assert "1 let GuardAgent decide it" in person.text
            # Esc leaves a stalled model, and nothing is lost
            await person.pilot.press("1")
            await person.until(server.reached.is_set)
            await person.press("escape")
            await person.until(server.closed.is_set)
            assert "GuardAgent  has not decided this call" in person.text
            await person.press("1")
            # both decisions with their reasons, the rounds of code with their errors, and the question
            assert "policy      deny" in person.text
            assert "GuardAgent  allow  label 0  all well" in person.text
            assert "They disagree. Which decision is right" in person.text
            assert "1 GuardAgent disagrees" in person.text
            assert "round 1 of 2" in person.text
            assert "failed: " in person.text
            assert "2 an account" in person.text
            # the code is corrected by hand and runs without a model, and the two agree
            sent = len(server.requests)
            await person.press("e")
            await person.press("end", "backspace")
            await person.type("1")
            await person.press("escape")
            assert len(server.requests) == sent
            assert "GuardAgent  deny  label 1" in person.text
            assert "They disagree" not in person.text
            # plan and code become a demonstration
            await person.press("a")
            assert "Demonstration of GuardAgent on call" in person.text
            # Esc shows the run again, with GuardAgent's decision on the call
            await person.press("escape")
            assert "GuardAgent deny  as the policy" in " ".join(person.text.split(" "))
    bench = Workbench.open(desk)
    assert bench.session.demonstrations[-1].code == "label = 1\ndetails = ['all well']"
    assert bench.session.demonstrations[-1].plan[1] == "an account"
    bench.close()


async def test_without_a_model_a_sentence_says_what_to_do_and_own_code_runs(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WORKBENCH_MODEL", raising=False)
    async with opened(desk, (75, 24)) as person:
        await at_a_denial(person)
        assert "GuardAgent needs a model. Set WORKBENCH_MODEL" in person.text
        await person.press("r")
        assert "GuardAgent needs a model. Set WORKBENCH_MODEL" in person.text
        # a person's initial code allows: the two disagree, and the person decides who is right
        await person.press("1", "ctrl+s")
        assert "They disagree. Which decision is right of this call?" in person.text
        await person.press("1")
        assert "says deny" in person.text
    # it is stored in the session, and shown at once
    async with opened(desk, (75, 24)) as person:
        await at_a_denial(person)
        assert "GuardAgent  allow  label 0" in person.text
        assert "says deny" in person.text
