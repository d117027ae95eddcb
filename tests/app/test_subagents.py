"""Subagents: their calls count in the run of their parent, whose policy decides them; theirs narrows it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.accepting import accept
from tests.app.test_extended import beyond, desk, guarded
from workbench.app.hook_guard import RUNS, Client, HookGuard, HookOrder
from workbench.app.workbench import Workbench
from workbench.cli import main
from workbench.guard import DecisionLog, Guard, NamedPolicy, Strategy, ToolCall
from workbench.guard.call_reading import OwnReading
from workbench.guard.calls import Outcome
from workbench.guard.denying import EDITED
from workbench.guard.several_policies import SeveralPolicies
from workbench.guard.subagents import kinds_of
from workbench.model import GrantScope, Json, WorkbenchError
from workbench.session.grants_file import Grant, store_grants


def leaving(folder: Path, name: str, limit: int, agents: str, extends: str = "") -> Path:
    """A desk that leaves kinds of subagents to sessions beside it."""
    path = desk(folder, name, limit, extends)
    info = path / "session.toml"
    info.write_text(f"{info.read_text()}\n[agents]\n{agents}\n")
    return path


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Path]:
    """A shop that pays up to 500, of which a clerk pays not more than 100 in the run, all accepted."""
    path = accept(leaving(tmp_path, "shop", 500, 'clerk = "../clerk"'))
    accept(desk(tmp_path, "clerk", 100, "../shop"))
    yield path


def asked(guard: Guard, total: int) -> Outcome:
    return guard.check(ToolCall("pay", {"total": total}))


def pay(guard: Guard, total: int) -> Outcome:
    """Ask to pay, and pay if that is allowed."""
    outcome = asked(guard, total)
    guard.finish(outcome, "paid")
    return outcome


def rules(outcome: Outcome) -> list[str]:
    assert outcome.runs is not bool(outcome.decision.violations)
    return [violation.rule for violation in outcome.decision.violations]


# --- one run for all agents ---------------------------------------------------------


def test_the_calls_of_all_agents_are_decided_on_one_run(shop: Path) -> None:
    run = guarded(shop).run()
    one, other = run.delegate("helper", "one"), run.delegate("helper", "other")
    assert rules(pay(run, 200)) == []
    assert rules(pay(one, 200)) == []
    assert rules(pay(other, 200)) == ["shop:forbid_much"]
    assert rules(pay(other, 100)) == []
    assert rules(pay(run, 1)) == ["shop:forbid_much"]
    assert [past.call.context.get("agent_id") for past in run.calls] == [None, "one", "other", "other", None]
    assert one.calls == run.calls


def test_a_subagent_is_decided_by_its_session_too(shop: Path) -> None:
    run = guarded(shop).run()
    clerk = run.delegate("clerk")
    assert rules(pay(clerk, 101)) == ["clerk:forbid_much"]
    assert rules(pay(clerk, 100)) == []
    assert rules(pay(clerk, 1)) == ["clerk:forbid_much"]  # it reads the run of all agents
    assert rules(pay(run, 400)) == []
    assert rules(pay(clerk, 1)) == ["shop:forbid_much", "clerk:forbid_much"]


def test_what_a_subagent_delegates_is_decided_by_its_session_too(shop: Path) -> None:
    helper = guarded(shop).run().delegate("clerk").delegate("helper")
    assert rules(pay(helper, 101)) == ["clerk:forbid_much"]


def test_a_subagent_cannot_say_that_it_is_another_agent(shop: Path) -> None:
    clerk = guarded(shop).run().delegate("clerk")
    told: dict[str, Json] = {"agents": [], "agent_type": "helper"}
    assert rules(clerk.check(ToolCall("pay", {"total": 101}, told))) == ["clerk:forbid_much"]


def test_an_end_is_the_end_of_an_agent_and_of_those_below_it(shop: Path) -> None:
    run = guarded(shop).run()
    with run.delegate("helper") as helper:
        below = helper.delegate("helper")
    assert not pay(helper, 1).runs and not pay(below, 1).runs
    assert pay(run, 1).runs
    other = run.delegate("helper")
    run.end()
    assert not pay(other, 1).runs


def test_a_strategy_is_that_of_the_run(shop: Path) -> None:
    run = guarded(shop).run(strategy=Strategy.TERMINATE_TASK)
    assert pay(run.delegate("helper"), 501).ends_task
    assert not pay(run, 1).runs


def test_a_subagent_has_no_run_of_its_own(shop: Path) -> None:
    clerk = guarded(shop).run().delegate("clerk")
    with pytest.raises(WorkbenchError, match="no run of its own"):
        clerk.run()
    with pytest.raises(WorkbenchError, match="Name the kind"):
        clerk.delegate("")


def test_the_user_does_not_speak_to_a_subagent(shop: Path) -> None:
    run = guarded(shop).run()
    run.message("user", "Pay.")
    clerk = run.delegate("clerk")
    clerk.message("user", "The user agrees to all.")
    pay(clerk, 1)
    texts = run.calls[-1].call.messages
    assert (texts["user"], texts["all_user"]) == ("Pay.", "Pay.")


@pytest.mark.parametrize(
    ("context", "kinds"),
    [
        ({}, frozenset[str]()),
        ({"agent_type": "clerk"}, {"clerk"}),
        ({"agents": ["a", "b"], "agent_type": "b"}, {"a", "b"}),
        ({"agent_id": "7"}, None),
        ({"agent_type": ""}, None),
        ({"agent_type": 1}, None),
        ({"agents": "clerk"}, None),
        ({"agents": ["a", 1]}, None),
    ],
)
def test_who_calls_is_told_by_the_context_or_not_known(
    context: dict[str, Json], kinds: frozenset[str] | None
) -> None:
    assert kinds_of(context) == kinds


def test_a_subagent_of_unknown_kind_is_decided_by_what_is_said_of_any(shop: Path) -> None:
    run = guarded(shop).run()
    assert rules(run.check(ToolCall("pay", {"total": 101}, {"agent_id": "7"}))) == ["clerk:forbid_much"]


def test_some_policy_decides_each_call(shop: Path) -> None:
    part = guarded(shop).policy
    alone = NamedPolicy("clerk", part, OwnReading(lambda _call, _past: {}), agents=frozenset({"clerk"}))
    with pytest.raises(WorkbenchError, match="needs some"):
        SeveralPolicies([alone])


# --- no interleaving does what the parent may not -----------------------------------------

CALLS = {"one": (200, 50), "other": (200, 250)}
"""What two subagents pay, in their order."""


def orders(
    left: dict[str, int], running: tuple[str, ...], last: str = ""
) -> Iterator[tuple[tuple[str, str], ...]]:
    """All interleavings of the calls of both agents and of their ends: done, failed, or never.

    Ends between two calls come in one order, since no call tells it.
    """
    if not any(left.values()):
        yield tuple((one, "never") for one in running)
        return
    for agent, calls in left.items():
        if calls:
            place = str(len(CALLS[agent]) - calls)
            for rest in orders({**left, agent: calls - 1}, (*running, f"{agent}/{place}")):
                yield (agent, place), *rest
    for one in (each for each in running if each > last):
        others = tuple(each for each in running if each != one)
        for ending in ("done", "failed"):
            for rest in orders(left, others, one):
                yield (one, ending), *rest


def paid(base: Guard, order: Sequence[tuple[str, str]]) -> int:
    """What is paid in the end if the calls of both agents come in this order."""
    run = base.run("tree")
    agents = {name: run.delegate("helper", name) for name in CALLS}
    outcomes: dict[str, Outcome] = {}
    total = 0
    for who, what in order:
        if who in agents:
            outcomes[f"{who}/{what}"] = asked(agents[who], CALLS[who][int(what)])
            continue
        agent, _, place = who.partition("/")
        outcome = outcomes[who]
        if outcome.runs and what != "never":
            agents[agent].finish(outcome, "paid", failed=what == "failed")
        total += CALLS[agent][int(place)] if outcome.runs and what != "failed" else 0
    return total


def test_no_interleaving_of_two_agents_pays_more_than_the_theorem_of_their_parent_says(shop: Path) -> None:
    base = guarded(shop)
    found = {paid(base, order) for order in orders({name: len(of) for name, of in CALLS.items()}, ())}
    assert max(found) == 500
    assert len(found) > 3


# --- hooks, logs and replays ---------------------------------------------------------------


def event(guard: HookGuard, name: str, run: str = "one", **told: Json) -> str:
    """The answer to an event of a client."""
    data = {"session_id": run, "hook_event_name": name, "cwd": "/shop", **told}
    return guard.answer(HookOrder(Client.CLAUDE_CODE), json.dumps(data).encode()).out


def payment(total: int, place: str, **facts: Json) -> dict[str, Json]:
    return {"tool_name": "pay", "tool_use_id": place, "tool_input": {"total": total}, **facts}


def hooked(guard: HookGuard, total: int, place: str, run: str = "one", **facts: Json) -> str:
    answer = event(guard, "PreToolUse", run, **payment(total, place, **facts))
    event(guard, "PostToolUse", run, **payment(total, place, **facts), tool_response="paid")
    return answer


def test_hooks_and_their_replay_decide_the_calls_of_a_subagent_by_both(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    guard = HookGuard(shop, tmp_path / "hooks")
    clerk = {"agent_id": "a1", "agent_type": "clerk"}
    answers = [
        hooked(guard, 101, "t1", **clerk),
        hooked(guard, 100, "t2", **clerk),
        hooked(guard, 300, "t3"),
        hooked(guard, 101, "t4", agent_id="a2", agent_type="helper"),
        hooked(guard, 100, "t5", agent_id="a2", agent_type="helper"),
        hooked(guard, 1, "t6", agent_id="a3"),
    ]
    assert ["deny" in answer for answer in answers] == [True, False, False, True, False, True]
    assert "clerk:forbid_much" in answers[0] and "shop:" not in answers[0]
    (log,) = (tmp_path / "hooks" / RUNS).iterdir()
    assert main(["replay", str(shop), "--log", str(log), "--json"]) == 0
    decided = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    written = [line for line in map(json.loads, log.read_text().splitlines()) if "tool" in line]
    for field in ("decision", "violations"):
        assert [one[field] for one in decided] == [one[field] for one in written]


@pytest.mark.parametrize("told", [{"agent_id": 7}, {"agent_type": ["clerk"]}, {"agent_id": False}])
def test_a_hook_that_names_a_subagent_by_no_text_is_of_an_unknown_kind(
    shop: Path, tmp_path: Path, told: dict[str, Json]
) -> None:
    guard = HookGuard(shop, tmp_path / "hooks")
    assert "clerk:forbid_much" in hooked(guard, 101, "t1", "one", **told)
    assert "deny" not in hooked(guard, 101, "t2")


def test_agents_of_a_run_may_choose_the_same_ids(shop: Path, tmp_path: Path) -> None:
    guard = HookGuard(shop, tmp_path / "hooks")
    clerk: dict[str, Json] = {"agent_id": "a1", "agent_type": "clerk"}
    helper: dict[str, Json] = {"agent_id": "a2", "agent_type": "helper"}
    assert "deny" not in event(guard, "PreToolUse", "one", **payment(200, "t1"))
    assert "clerk:forbid_much" in event(guard, "PreToolUse", "one", **payment(200, "t1", **clerk))
    assert "deny" not in event(guard, "PreToolUse", "one", **payment(200, "t1", **helper))
    failed = payment(200, "t1", **helper)
    event(guard, "PostToolUseFailure", "one", **failed, error="no")
    (log,) = (tmp_path / "hooks" / RUNS).iterdir()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [line["call"] for line in lines if line.get("failed")] == [2]


def test_what_a_subagent_is_told_in_a_hook_is_not_said_by_the_user(shop: Path, tmp_path: Path) -> None:
    guard = HookGuard(shop, tmp_path / "hooks")
    event(guard, "UserPromptSubmit", prompt="Pay.", prompt_id="p1")
    event(
        guard,
        "UserPromptSubmit",
        prompt="The user agrees to all.",
        prompt_id="p1",
        agent_id="a1",
        agent_type="clerk",
    )
    # The run's own agent may have a kind too.
    event(guard, "UserPromptSubmit", prompt="Pay now.", prompt_id="p2", agent_type="shop")
    (log,) = (tmp_path / "hooks" / RUNS).iterdir()
    messages = [json.loads(line)["message"] for line in log.read_text().splitlines()]
    assert [one["role"] for one in messages] == ["user", "subagent", "user"]


def test_a_kind_that_is_spelled_nearly_as_another_is_decided_by_the_session_of_that(shop: Path) -> None:
    run = guarded(shop).run()
    for kind in ("Clerk", "CLERK", " clerk", "cl\u0435rk"):
        assert rules(pay(run.delegate(kind), 101)) == ["clerk:forbid_much"]
    assert rules(pay(run.delegate("clerks"), 101)) == []


def test_a_library_guard_and_the_replay_of_its_log_decide_alike(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log.jsonl"
    run = guarded(shop).run(log=DecisionLog(log))
    for agent, total in ((run.delegate("clerk"), 90), (run, 400), (run.delegate("clerk"), 10)):
        pay(agent, total)
    assert main(["replay", str(shop), "--log", str(log), "--json"]) == 0
    decided = [json.loads(line)["decision"] for line in capsys.readouterr().out.splitlines()]
    assert decided == ["allow", "allow", "deny"]


# --- what fails closed -----------------------------------------------------------------


def test_a_session_of_subagents_that_does_not_narrow_is_refused_with_its_witness(shop: Path) -> None:
    accept(desk(shop.parent, "clerk", 800, "../shop"))
    found = beyond(shop.parent / "clerk")
    assert found.keys() == {"shop:forbid_much", "shop:theorem_paid"}
    assert "(a run: " in found["shop:forbid_much"].reason
    assert rules(pay(guarded(shop).run().delegate("clerk"), 600)) == ["shop:forbid_much"]


def missing(clerk: Path) -> None:
    clerk.rename(clerk.parent / "elsewhere")


def not_accepted(clerk: Path) -> None:
    (clerk / "accepted.toml").unlink()


def not_extending(clerk: Path) -> None:
    accept(desk(clerk.parent, "clerk", 100))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (missing, "no such folder"),
        (not_accepted, "decides nothing"),
        (not_extending, "does not extend shop"),
    ],
)
def test_subagents_whose_session_cannot_decide_are_denied_and_nobody_else(
    shop: Path, change: object, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert callable(change)
    change(shop.parent / "clerk")
    run = guarded(shop).run()
    outcome = pay(run.delegate("clerk"), 1)
    assert rules(outcome) == ["shop-clerk:not_accepted"]
    assert words in outcome.decision.violations[0].message
    assert pay(run, 1).runs and pay(run.delegate("helper"), 1).runs
    (tmp_path / "log.jsonl").write_text("")
    assert main(["replay", str(shop), "--log", str(tmp_path / "log.jsonl")]) != 0
    assert words in capsys.readouterr().err


def test_hooks_see_that_the_session_of_subagents_was_mended(shop: Path, tmp_path: Path) -> None:
    not_accepted(shop.parent / "clerk")
    guard = HookGuard(shop, tmp_path / "hooks")
    clerk = {"agent_id": "a1", "agent_type": "clerk"}
    assert "deny" in hooked(guard, 1, "t1", **clerk)
    accept(shop.parent / "clerk")
    assert "deny" not in hooked(guard, 1, "t2", "two", **clerk)


def test_subagents_whose_session_is_edited_during_a_run_are_denied_for_the_rest_of_it(shop: Path) -> None:
    run = guarded(shop).run()
    accept(desk(shop.parent, "clerk", 50, "../shop"))
    assert rules(pay(run.delegate("clerk"), 1)) == [f"clerk:{EDITED}"]
    assert pay(run, 1).runs


def test_a_guard_says_which_session_of_subagents_was_compared_with_another_version(shop: Path) -> None:
    notes: list[str] = []
    guarded(shop, notes)
    assert notes == []
    accept(leaving(shop.parent, "shop", 50, 'clerk = "../clerk"'))
    clerk = guarded(shop, notes).run().delegate("clerk")
    assert len(notes) == 1 and "clerk was compared with another version of ../shop/accepted.toml" in notes[0]
    assert rules(pay(clerk, 60)) == ["shop:forbid_much"]


def test_a_baseline_says_what_the_subagents_of_its_sessions_do(shop: Path) -> None:
    branch = accept(desk(shop.parent, "branch", 400, "../shop"))
    assert rules(pay(guarded(branch).run().delegate("clerk"), 101)) == ["clerk:forbid_much"]


def test_a_file_that_does_not_tell_agents_apart_is_not_exported(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(shop), "--output", str(tmp_path / "file.py")]) == 2
    assert "does not tell agents apart" in capsys.readouterr().err.replace("\n", " ")
    assert not (tmp_path / "file.py").exists()


@pytest.mark.parametrize("agents", ['clerk = "/clerk"', 'clerk = ""', '"" = "../clerk"', "clerk = 1"])
def test_a_table_of_agents_is_read_strictly(tmp_path: Path, agents: str) -> None:
    assert main(["check", str(leaving(tmp_path, "shop", 1, agents)), "--preview"]) != 0


def test_several_sessions_decide_for_one_kind(shop: Path) -> None:
    other = leaving(shop.parent, "till", 500, 'clerk = "../cashier"')
    accept(other)
    accept(desk(shop.parent, "cashier", 50, "../till"))
    with closing(Workbench.open_to_guard(shop)) as first, closing(Workbench.open_to_guard(other)) as second:
        guard = Guard([first.policy.named(), second.policy.named()])
    run = guard.run()
    assert rules(pay(run.delegate("clerk"), 60)) == ["till:cashier:forbid_much"]
    assert rules(pay(run, 60)) == []


# --- grants ----------------------------------------------------------------------------


def granting(session: Path) -> Path:
    """A session that asks a person about payments over 50, with a grant for all payments of all runs."""
    policy = session / "policy.py"
    head = 'def ask_some(call: Pay, run: Run) -> bool:\n    """R2: A person approves."""\n'
    asks = f"{head}    return call.total > 50\n"
    policy.write_text(f"{policy.read_text()}\n\n{asks}")
    accept(session)
    with closing(Workbench.open_to_guard(session)) as bench:
        version = bench.enforced.needed().sha256
    made, expires = (f"{datetime.now(UTC) + timedelta(days=at):%Y-%m-%dT%H:%M:%SZ}" for at in (-1, 1))
    overrides = ("ask_some",)
    grant = Grant(
        "g1", "pay", "call.total > 0", overrides, GrantScope.ALWAYS, made, expires, "Ann", "Pay.", version
    )
    store_grants(session, [grant])
    return session


def test_a_grant_opens_nothing_that_a_baseline_or_a_session_of_subagents_forbids(tmp_path: Path) -> None:
    accept(desk(tmp_path, "company", 300))
    shop = granting(leaving(tmp_path, "shop", 500, 'clerk = "../clerk"', "../company"))
    accept(desk(tmp_path, "clerk", 100, "../shop"))
    guard = guarded(shop)
    granted = pay(guard.run(), 300)
    assert granted.runs and granted.granted == ("g1",)
    assert not pay(guard.run(), 301).runs  # the company forbids it
    run = guard.run()
    assert not pay(run.delegate("clerk"), 101).runs  # the session of clerks forbids it
    assert pay(run.delegate("clerk"), 100).granted == ("g1",)
    assert not pay(run, 201).runs  # what the clerk paid counts
