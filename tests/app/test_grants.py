"""Grants: what they open, for how long, and that nothing they say opens what a rule forbids."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.accepting import accept, accepted
from tests.examples import examples
from tests.hook.coding_desk import before, coding_desk, guard, order, verdict
from workbench.app.grants import Grants, OfferedRegion
from workbench.app.hook_guard import RUNS, Client, HookGuard, accepted_pin
from workbench.app.live_grants import LiveGrants
from workbench.app.owed import OwedKind
from workbench.app.workbench import Workbench
from workbench.dialect.grants import GrantedRegion, region_terms
from workbench.engines.compiled.compile import compile_policy
from workbench.guard import Mode, PastCall, Strategy, ToolCall
from workbench.guard.grants import Granted
from workbench.model import GrantScope, Json, Verdict, WorkbenchError
from workbench.runs.replay.decide import replay
from workbench.session.grants_file import (
    NAME,
    Grant,
    changing,
    claim_of,
    exact_text,
    load_grants,
    now,
    read_grants,
    store_grants,
)

RUN = "codex:r1"


@pytest.fixture(scope="module")
def accepted_desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return coding_desk(tmp_path_factory.mktemp("desk"))


class Desk:
    """A coding desk whose agent asked to delete a file, with its hooks and grants."""

    def __init__(self, session: Path, folder: Path) -> None:
        self.session, self.folder = session, folder
        self.hooks = HookGuard(session, folder)
        self._count = 0
        assert self.call("rm a.py") == "deny"
        self.bench = Workbench.open_to_guard(session)

    def call(self, command: str, run: str = "r1") -> str:
        """What a client that cannot ask does with a command."""
        self._count += 1
        event = before("Bash", f"t{self._count}", run=run, command=command)
        return verdict(self.hooks.answer(order(Client.CODEX), event))

    @property
    def grants(self) -> Grants:
        return self.bench.grants

    @property
    def logs(self) -> Sequence[Path]:
        return sorted((self.folder / RUNS).glob("*.jsonl"))

    def offers(self, index: int = 0) -> list[OfferedRegion]:
        return list(self.grants.offered(self.logs, RUN, index))

    def give(
        self,
        number: int = 0,
        scope: GrantScope = GrantScope.ONCE,
        lasting: timedelta = timedelta(hours=1),
    ) -> Grant:
        """Grant one of the regions around the first call."""
        offer = self.offers()[number]
        return self.grants.add(offer, scope=scope, lasting=lasting, by="ann", reason="tidy up")


@pytest.fixture
def desk(accepted_desk: Path, tmp_path: Path) -> Iterator[Desk]:
    session = tmp_path / accepted_desk.name
    shutil.copytree(accepted_desk, session)
    made = Desk(session, tmp_path / "hooks")
    yield made
    made.bench.close()


# --- what is offered ------------------------------------------------------------------


def test_the_regions_around_a_call_are_offered_narrowest_first(desk: Desk) -> None:
    assert desk.call("rm -r a.py b") == "deny"
    exact, narrow, wide = desk.offers()
    assert exact.region.exact
    assert [offer.inside for offer in (exact, narrow, wide)] == [
        ((RUN, 0),),
        ((RUN, 0),),
        ((RUN, 0), (RUN, 1)),
    ]
    assert [offer.opened for offer in (exact, narrow, wide)] == [1, 1, 2]
    assert "/repo/a.py" in narrow.sentence
    assert wide.sentence == (
        "The agent may bash if the command's calls are exactly “rm” and the number of hosts of the command"
        " is 0."
    )
    assert {offer.overrides for offer in (exact, narrow, wide)} == {("ask_deleting",)}


def test_a_call_that_a_rule_forbids_is_not_granted_and_the_rule_is_named(desk: Desk) -> None:
    assert desk.call("rm a.py && git push") == "deny"
    with pytest.raises(WorkbenchError, match="forbid_untested"):
        desk.offers(1)
    with pytest.raises(WorkbenchError, match="does not lie"):
        desk.grants.offer(desk.logs, RUN, 0, 'call.command.calls == {"mv"}')
    assert desk.call("ls") == "goes on"
    with pytest.raises(WorkbenchError, match="allows call 2"):
        desk.offers(2)


@pytest.mark.parametrize(
    "text",
    [
        *("", "call", "x = 1", "unknown_fact(call)", "True) or (False", "call.no_field == 1"),
        *("__import__('os')", "True  # ok", '"x" * 9', "(" * 3000 + ")" * 3000),
        "True\n\n\ndef forbid_untested(call: Bash) -> bool:\n    return False",
    ],
)
def test_a_region_is_one_condition_of_the_dialect(desk: Desk, text: str) -> None:
    if text == "True  # ok":
        assert desk.grants.offer(desk.logs, RUN, 0, text).region.text == text
        return
    with pytest.raises(WorkbenchError):
        desk.grants.offer(desk.logs, RUN, 0, text)


def test_a_region_that_opens_nothing_is_refused(desk: Desk) -> None:
    with pytest.raises(WorkbenchError, match="nothing"):
        desk.grants.offer(desk.logs, RUN, 0, '"rm" in call.command.programs and is_closed(call)'.replace(
            "and is_closed(call)", "and not \"rm\" in call.command.programs"))  # fmt: skip


# --- what is opened -------------------------------------------------------------------


def test_a_grant_for_one_call_is_used_once_also_after_a_restart(desk: Desk) -> None:
    desk.give()
    assert desk.call("rm a.py", "r2") == "deny"  # another run
    assert desk.call("rm b.py") == "deny"  # an edited call
    assert desk.call("rm a.py") == "goes on"
    assert desk.call("rm a.py") == "deny"
    desk.hooks = HookGuard(desk.session, desk.folder)
    assert desk.call("rm a.py") == "deny"


def test_an_answer_after_a_restart_is_decided_against_the_run_as_it_then_is(desk: Desk) -> None:
    desk.give(2, GrantScope.RUN)
    desk.hooks = HookGuard(desk.session, desk.folder)
    assert desk.call("rm b.py") == "goes on"
    assert desk.call("rm b.py; git push") == "deny"  # the rule about pushes decides as ever


def test_a_grant_is_used_up_by_a_guard_that_was_killed_before_the_call(desk: Desk) -> None:
    claim = claim_of(desk.session, desk.give())
    claim.parent.mkdir()
    claim.symlink_to("nowhere")
    assert desk.call("rm a.py") == "deny"
    assert not (claim.parent / "nowhere").exists()
    assert [one.state for one in desk.grants.listed()] == ["used up: a guard let a call run by it"]


def test_no_call_runs_by_a_grant_whose_use_would_be_noted_elsewhere(desk: Desk, tmp_path: Path) -> None:
    claim = claim_of(desk.session, desk.give())
    claim.parent.symlink_to(tmp_path)
    with pytest.warns(UserWarning, match="is a link"):
        assert desk.call("rm a.py") == "deny"


def test_a_grant_for_every_run_is_in_force_in_each(desk: Desk) -> None:
    desk.give(1, GrantScope.ALWAYS)
    assert [desk.call("rm a.py", run) for run in ("r1", "r2", "r3")] == ["goes on"] * 3
    assert desk.call("rm b.py") == "deny"
    assert desk.call("rm a.py b.py") == "deny"
    assert desk.call("rm -f a.py") == "deny"
    assert desk.call("rm $X") == "deny"  # which files is not determinable


def test_what_ran_by_a_grant_counts_as_approved_and_names_it(desk: Desk) -> None:
    grant = desk.give()
    desk.call("rm a.py")
    line = desk.logs[0].read_text().splitlines()[-1]
    assert f'"approved_by": "ann (grant {grant.id})"' in line
    assert f'"granted": ["{grant.id}"]' in line
    assert '"decision": "ask"' in line


def test_a_replay_says_where_a_call_did_not_run_by_the_grant_of_its_log(desk: Desk) -> None:
    grant = desk.give(2)
    assert desk.call("rm a.py") == "goes on"
    logs = desk.bench.runs.load(desk.logs)
    ran = {call for call in ((one.run, one.index) for one in logs.calls if one.granted)}
    assert ran and desk.grants.doubts(logs) == {}
    expired = (datetime.fromisoformat(grant.made) + timedelta(microseconds=1)).isoformat()
    for other, why in (
        (replace(grant, region='call.command.programs == {"mv"}'), "for other calls"),
        (replace(grant, arguments='{"command": "rm b.py"}'), "for other calls"),
        (replace(grant, expires=expired), "not in force then"),
        (replace(grant, instance="another"), "for another run"),
        (replace(grant, id="g7"), "has no grant g1"),
    ):
        store_grants(desk.session, [other])
        assert set(desk.grants.doubts(logs)) == ran
        assert all(why in text for text in desk.grants.doubts(logs).values())
    store_grants(desk.session, [grant])
    again = replace(logs.calls[-1], index=logs.calls[-1].index + 1)
    twice = replace(
        logs, calls=(*logs.calls, again), runs=(replace(logs.runs[0], calls=(*logs.calls, again)),)
    )
    assert list(desk.grants.doubts(twice).values()) == [
        "g1 is for one call, and another one ran by it before"
    ]


def test_no_call_that_another_rule_closes_ran_by_the_grant_of_its_log(desk: Desk) -> None:
    grant = desk.give(2)
    store_grants(desk.session, [replace(grant, region="True")])
    assert desk.call("rm a.py") == "goes on"
    forged = desk.logs[0].read_text().replace("rm a.py", "rm a.py; git push")
    desk.logs[0].write_text(forged)
    logs = desk.bench.runs.load(desk.logs)
    assert "overrides only" in " ".join(desk.grants.doubts(logs).values())


def test_a_clock_that_is_set_back_in_a_run_brings_no_grant_back(desk: Desk) -> None:
    grant = desk.give(2, GrantScope.RUN)
    ended = datetime.fromisoformat(grant.expires)
    log = desk.logs[0]
    line = json.loads(log.read_text().splitlines()[0])
    later = {**line, "call": 1, "call_id": "later", "time": (ended + timedelta(minutes=1)).isoformat()}
    with log.open("a") as file:
        file.write(json.dumps(later) + "\n")
    desk.hooks = HookGuard(desk.session, desk.folder)
    assert desk.call("rm a.py") == "deny"


def test_a_clock_that_is_set_back_between_runs_brings_no_grant_back(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    grant = desk.give(2, GrantScope.ALWAYS)
    assert desk.call("rm a.py", "r2") == "goes on"
    later = (datetime.fromisoformat(grant.expires) + timedelta(seconds=1)).isoformat()
    own = LiveGrants.opening

    def opening(self: LiveGrants, call: ToolCall, history: Sequence[PastCall]) -> Granted | None:
        return own(self, replace(call, time=later), history)

    monkeypatch.setattr(LiveGrants, "opening", opening)
    assert desk.call("rm a.py", "r3") == "deny"
    monkeypatch.undo()
    desk.hooks = HookGuard(desk.session, desk.folder)
    assert desk.call("rm a.py", "r4") == "deny"
    assert [one.in_force for one in desk.grants.listed()] == [False]


def test_a_used_grant_stays_used_in_its_run_without_its_claim(desk: Desk) -> None:
    claim = claim_of(desk.session, desk.give())
    assert desk.call("rm a.py") == "goes on"
    claim.unlink()
    desk.hooks = HookGuard(desk.session, desk.folder)
    assert desk.call("rm a.py") == "deny"


def test_a_revoked_grant_opens_nothing_and_stays_listed(desk: Desk) -> None:
    grant = desk.give(2, GrantScope.RUN)
    assert desk.call("rm b.py") == "goes on"
    assert [one.in_force for one in desk.grants.listed()] == [True]
    desk.grants.revoke(grant.id, "bob")
    assert desk.call("rm c.py") == "deny"
    (listed,) = desk.grants.listed()
    assert not listed.in_force
    assert "revoked by bob" in listed.state
    with pytest.raises(WorkbenchError, match="already"):
        desk.grants.revoke(grant.id, "bob")


def test_grants_without_a_call_that_open_nothing_are_pruned(desk: Desk) -> None:
    used, unused, alive = desk.give(), desk.give(2, GrantScope.RUN), desk.give(2, GrantScope.RUN)
    assert desk.call("rm a.py") == "goes on"
    desk.grants.revoke(used.id, "bob")
    desk.grants.revoke(unused.id, "bob")
    assert [one.id for one in desk.grants.prune(desk.logs)] == [unused.id]
    assert [one.id for one in load_grants(desk.session)] == [used.id, alive.id]
    assert desk.call("rm b.py") == "goes on"


def test_a_grant_of_which_the_rule_is_gone_says_so_and_is_pruned(desk: Desk) -> None:
    grant = desk.give(2, GrantScope.RUN)
    policy = desk.session / "policy.py"
    policy.write_text(policy.read_text().replace(grant.overrides[0], "ask_first"))
    accept(desk.session)
    desk.bench.close()
    desk.bench = Workbench.open_to_guard(desk.session)
    (listed,) = desk.grants.listed()
    assert (listed.in_force, listed.is_over) == (False, True)
    assert listed.state.endswith(f"and another one guards, which has no rule {grant.overrides[0]}")
    assert desk.grants.prune(desk.logs)
    assert load_grants(desk.session) == ()


def test_a_grant_ends(desk: Desk) -> None:
    grant = desk.give(2, GrantScope.RUN)
    at = datetime.fromisoformat(grant.made)
    for moment, expected in (
        (at, True),
        (at - timedelta(seconds=1), False),  # a clock that was set back
        (at + timedelta(minutes=59), True),
        (at + timedelta(hours=1), False),
        (at.astimezone(UTC).replace(tzinfo=None), False),
    ):
        assert grant.was_in_force(moment.isoformat()) is expected
    assert not grant.was_in_force("soon")
    with pytest.raises(WorkbenchError, match="year"):
        desk.give(lasting=timedelta(days=400))


def test_another_accepted_version_is_under_no_grant(desk: Desk) -> None:
    desk.give(2, GrantScope.ALWAYS)
    policy = desk.session / "policy.py"
    policy.write_text(policy.read_text().replace("Two files at most", "Two files at the most"))
    accept(desk.session)
    assert desk.call("rm b.py") == "goes on"  # this run keeps the version that it began with
    assert desk.call("rm b.py", "r2") == "deny"
    with closing(Workbench.open_to_guard(desk.session)) as bench:
        (listed,) = bench.grants.listed()
        assert "another one guards" in listed.state


def test_a_grant_opens_what_a_baseline_asks_about_and_nothing_that_it_forbids(tmp_path: Path) -> None:
    base = coding_desk(tmp_path / "company")
    closed = (
        '\n\ndef forbid_plans(call: Bash) -> bool:\n    """R5: Plans are kept."""\n'
        '    return any(p.name == "plan.md" for p in call.command.paths)\n'
    )
    (base / "policy.py").write_text((base / "policy.py").read_text() + closed)
    (base / "session.toml").write_text((base / "session.toml").read_text().replace("coding-desk", "company"))
    accept(base)
    session = coding_desk(tmp_path / "own")
    info = (session / "session.toml").read_text()
    (session / "session.toml").write_text(info + 'extends = "../../company/coding-desk"\n')
    accept(session)
    desk = Desk(session, tmp_path / "hooks")
    with closing(desk.bench):
        wide = desk.offers()[2]
        assert wide.overrides == ("ask_deleting", "company:ask_deleting")
        desk.give(2, GrantScope.RUN)
        assert desk.call("rm b.py") == "goes on"
        assert desk.call("rm plan.md") == "deny"
        with pytest.raises(WorkbenchError, match="company:forbid_plans"):
            desk.offers(2)
        store_grants(session, [_with(load_grants(session)[0], overrides=("ask_deleting",))])
        assert desk.call("rm c.py") == "deny"  # the baseline asks still
        forbidden = ("ask_deleting", "company:ask_deleting", "company:forbid_plans")
        store_grants(session, [_with(load_grants(session)[0], overrides=forbidden)])
        assert desk.call("rm b.py") == "deny"
        assert "company:forbid_plans" in desk.grants.problem


# --- the file ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[[grant]]", "more = 1\n[[grant]]"),
        ('"ask_deleting"', '"forbid_untested"'),
        ('"ask_deleting"', '"ask_nothing"'),
        ('region = "', 'region = "no_fact(call) and '),
        ('scope = "run"', 'scope = "ever"'),
        ('expires = "20', 'expires = "30'),
        ('id = "g1"', 'id = "x"'),
        ('tool = "Bash"', 'tool = "Nothing"'),
        ("[[grant]]", '[[grant]]\nid = "g1"\n[[grant]]'),
        ('reason = "tidy up"', 'reason = "a\\u001bb"'),
        ("[[grant]]", "\x00"),
        ("[[grant]]", "[" * 5000),
        ('region = "', f'region = "{"not " * 3000}'),
        ('region = "', f'region = "{"not " * 600}'),
        ("T", "\\u001b"),
    ],
)
def test_a_file_that_is_wrong_grants_nothing_and_says_so(desk: Desk, old: str, new: str) -> None:
    desk.give(2, GrantScope.RUN)
    assert desk.call("rm b.py") == "goes on"
    path = desk.session / NAME
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert desk.call("rm c.py") == "deny"
    with closing(Workbench.open_to_guard(desk.session)) as bench:
        assert bench.grants.problem.startswith("No grant is in force")
        assert [one.name for one in bench.in_force.missing() if one.kind is OwedKind.GRANT] == [NAME]
    told = desk.hooks.answer(order(Client.CODEX), before("Bash", "told", command="rm d.py")).out
    assert "No grant is in force" in told
    assert "workbench grant" in told


def test_a_grant_that_a_person_wrote_by_hand_is_checked_and_then_in_force(desk: Desk) -> None:
    grant = desk.give(1, GrantScope.ALWAYS)
    path = desk.session / NAME
    path.write_text(path.read_text().replace("/repo/a.py", "/repo/z.py"))
    assert desk.call("rm z.py") == "goes on"
    assert desk.call("rm a.py") == "deny"
    assert load_grants(desk.session)[0].id == grant.id


def test_two_processes_do_not_lose_each_others_changes(desk: Desk) -> None:
    desk.give()
    with changing(desk.session):
        with pytest.raises(WorkbenchError, match="Another process"):
            desk.grants.revoke("g1", "bob")
        with pytest.raises(WorkbenchError, match="Another process"):
            desk.give()
    assert desk.grants.revoke("g1", "bob").revoked_by == "bob"


def test_nothing_is_granted_beside_a_grant_that_takes_all_away(desk: Desk) -> None:
    desk.give(1, GrantScope.ALWAYS)
    path = desk.session / NAME
    path.write_text(path.read_text().replace('"ask_deleting"', '"forbid_untested"'))
    with pytest.raises(WorkbenchError, match="g1 overrides forbid_untested"):
        desk.give()
    assert [grant.id for grant in load_grants(desk.session)] == ["g1"]


def test_grants_are_listed_though_every_call_is_denied(desk: Desk) -> None:
    desk.give()
    (desk.session / "accepted.toml").unlink()
    with closing(Workbench.open_to_guard(desk.session)) as bench:
        (listed,) = bench.grants.listed()
        assert "every call is denied" in listed.state
        (desk.session / NAME).write_text("[")
        assert bench.grants.problem.startswith("No grant is in force")


def test_a_grant_opens_by_the_rules_of_the_version_with_which_the_guard_began(desk: Desk) -> None:
    """A rule that asks too, and that a version has lost which was accepted meanwhile, asks still."""
    policy = desk.session / "policy.py"
    text = policy.read_text()
    more = (
        '\n\ndef ask_b(call: Bash) -> bool:\n    """R5: A person is asked."""\n'
        '    return "b.py" in call.command\n'
    )
    with closing(Workbench.open(desk.session)) as bench:
        bench.session.set_policy(text + more)
        accepted(bench)
        made = datetime.fromisoformat(now())
        asks = Grant(
            "g1", "Bash", "True", ("ask_deleting",), GrantScope.ALWAYS, made.isoformat(),
            (made + timedelta(hours=1)).isoformat(), "ann", "tidy", bench.enforced.needed().sha256,
        )  # fmt: skip
        store_grants(desk.session, [asks])
        run = bench.policy.guard(Strategy.BLOCK_CALL, mode=Mode.ENFORCE).run(
            "r", context={"folders": ["/repo"]}
        )
        bench.session.set_policy(text)
        accepted(bench)
        outcomes = [run.check(ToolCall("Bash", {"command": command})) for command in ("rm b.py", "rm a.py")]
    assert [outcome.runs for outcome in outcomes] == [False, True]


def test_a_link_in_the_place_of_the_file_grants_nothing(desk: Desk, tmp_path: Path) -> None:
    desk.give(2, GrantScope.RUN)
    (desk.session / NAME).rename(tmp_path / "elsewhere")
    (desk.session / NAME).symlink_to(tmp_path / "elsewhere")
    assert desk.call("rm b.py") == "deny"


def test_arguments_are_compared_as_json_exactly() -> None:
    values: list[Json] = [1, 1.0, True, "1", None, [1], {"b": 1}]
    texts = [exact_text({"a": value}) for value in values]
    assert len(set(texts)) == len(texts)
    assert exact_text({"a": 1, "b": 2}) == exact_text({"b": 2, "a": 1})


def test_a_secret_is_not_written_into_a_grant(desk: Desk) -> None:
    grant = desk.give()
    key = "ghp_" + "a1B2c3D4e5" * 4
    with pytest.raises(WorkbenchError, match="key"):
        store_grants(desk.session, [*load_grants(desk.session), _with(grant, id="g2", reason=key)])
    assert len(load_grants(desk.session)) == 1


def _with(grant: Grant, **changes: Any) -> Grant:
    return replace(grant, **changes)


def test_an_unreadable_time_or_a_run_without_a_name_is_no_grant(desk: Desk) -> None:
    grant = desk.give()
    for changes in ({"made": "yesterday"}, {"run": ""}, {"instance": ""}, {"arguments": "{}x"}):
        with pytest.raises(WorkbenchError):
            store_grants(desk.session, [_with(grant, **changes)])
    assert read_grants("") == ()


# --- the terms, and the guard ---------------------------------------------------------

COMMANDS = (
    "rm a.py", "rm -f a.py", "rm b.py", "rm a.py; ls", "rm a.py && git push", "ls", "git push", "rm $X",
    "$Y a", "npm test", "rm -r a.py b.py", "find . -delete", "xargs rm",
)  # fmt: skip
REGIONS = (
    "True", "False", 'call.command.calls == {"rm"}', 'call.command.programs <= {"rm", "ls"}',
    'all(p.absolute == "/repo/a.py" for p in call.command.paths)', 'call.command == "rm a.py"',
    'len(run.earlier(Bash)) < 2', 'is_tidy(call)'.replace("is_tidy(call)", 'not call.command.history'),
)  # fmt: skip


@settings(max_examples=examples(36))
@given(st.lists(st.sampled_from(COMMANDS), min_size=1, max_size=4), st.sampled_from(REGIONS))
def test_the_guard_opens_what_the_terms_of_the_grant_open(
    accepted_desk: Path, tmp_path_factory: pytest.TempPathFactory, commands: list[str], region: str
) -> None:
    folder = tmp_path_factory.mktemp("random")
    session = folder / "desk"
    shutil.copytree(accepted_desk, session)
    made = datetime.fromisoformat(now())
    always = Grant(
        "g1", "Bash", region, ("ask_deleting",), GrantScope.ALWAYS, made.isoformat(),
        (made + timedelta(hours=1)).isoformat(), "ann", "tidy", accepted_pin(session),
    )  # fmt: skip
    store_grants(session, [always])
    hooks = guard(session, folder)
    answers = [
        verdict(hooks.answer(order(Client.CODEX), before("Bash", f"t{number}", command=command)))
        for number, command in enumerate(commands)
    ]
    with closing(Workbench.open_to_guard(session)) as bench:
        version = bench.enforced.needed()
        granted = region_terms(
            version.texts["policy.py"],
            version.spec,
            [GrantedRegion("g1", "Bash", region, frozenset(["ask_deleting"]))],
        ).with_grants()
        read, _ = bench.enforced.replayed([folder / RUNS / "codex-r1.jsonl"])
        decided = replay(
            compile_policy(granted.terms), bench.enforced.extractor_of(granted.arguments), read.runs
        )
        expected = [one.decision.verdict is Verdict.ALLOW for one in decided]
    assert [answer == "goes on" for answer in answers] == expected


def test_two_guards_of_one_run_use_a_grant_for_one_call_once(desk: Desk) -> None:
    desk.give(0, GrantScope.ONCE)
    guards = (desk.hooks, HookGuard(desk.session, desk.folder))
    together, verdicts = threading.Barrier(len(guards)), list[str]()

    def ask(hooks: HookGuard, name: str) -> None:
        event = before("Bash", name, run="r1", command="rm a.py")
        together.wait()
        verdicts.append(verdict(hooks.answer(order(Client.CODEX), event)))

    threads = [threading.Thread(target=ask, args=(one, f"x{at}")) for at, one in enumerate(guards)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(verdicts) == ["deny", "goes on"]
