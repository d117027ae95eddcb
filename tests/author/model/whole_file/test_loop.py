"""VeriGuard's loop over whole files, against a real server with scripted replies."""

from __future__ import annotations

import json
import shutil
from contextlib import AbstractContextManager, closing
from pathlib import Path

import pytest

from tests.author.model.whole_file.desk import (
    AGENT,
    CASES,
    CONTRACT,
    REQUEST,
    REQUIREMENTS,
    case,
    design,
    drafted,
    listed,
    policy,
    python,
    writer,
)
from workbench.app.owed import OwedKind
from workbench.app.workbench import Workbench
from workbench.author.model.errors import ModelError
from workbench.cli import main
from workbench.dialect.lowered_policy import lowered_policy
from workbench.engines.smt.preview import preview
from workbench.model import Draft, Json, MadeBy, ProofStatus, SentenceRole, Verdict


def verdicts(bench: Workbench) -> list[Verdict]:
    """The session's verdicts on its logged calls."""
    return [
        decided.decision.verdict for decided in bench.runs.decide(bench.policy.terms(), bench.runs.load())
    ]


def open_kinds(bench: Workbench) -> list[str]:
    """The kinds of the open questions."""
    return [question.kind for question in bench.questions.understand().open]


def findings_of_round(draft: Draft, number: int) -> str:
    return "\n".join(draft.rounds[number].findings)


def test_a_request_becomes_a_proved_policy_with_its_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = writer(cases=listed(CASES))
    with drafted(model, tmp_path, monkeypatch) as bench:
        assert model.sent_prompts[0][0] == "design"
        assert sorted(part for part, _ in model.sent_prompts) == ["cases", "contract", "design", "policy"]
        assert bench.session.agent.arguments == ()
        assert list(bench.session.agent.context) == ["role"]
        assert "class Pay(Call" in bench.session.text("agent.pyi")
        terms = bench.policy.terms()
        assert {clause.status for clause in preview(terms).clauses} == {ProofStatus.PROVED}
        assert verdicts(bench) == [Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY]
        assert open_kinds(bench) == ["undemanded"]  # the contract demands no call of pay
        assert {case.origin for case in bench.session.cases} >= {"model"}
        assert bench.cases.run(bench.session.written, bench.session.cases).failed == ()


def test_each_call_sees_the_whole_request_and_the_contract_never_the_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = writer(policy=[python(policy("1000")), python(policy())])
    with drafted(model, tmp_path, monkeypatch):
        prompts = [prompt for _, prompt in model.sent_prompts]
        begun = prompts[0][: prompts[0].index("# The types")]
        assert all(prompt.startswith(begun.rstrip()) for prompt in prompts)  # a server can keep the beginning
        assert "Payments above 100 euros are forbidden." in begun
        assert '"amount": 50' in begun  # from the logs
        for part in ("contract", "cases"):
            assert all("forbid_large" not in prompt for prompt in model.prompts(part))
            assert all("R1: pay is denied above 100." in prompt for prompt in model.prompts(part))


def test_a_model_is_not_given_a_book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = writer()
    book = REQUEST + "Nobody pays in winter.\n" * 3_000
    with pytest.raises(ModelError, match="at most 60,000"), drafted(model, tmp_path, monkeypatch, book):
        pass
    assert model.sent_prompts == []


def test_a_policy_that_is_too_permissive_hears_of_the_clause_the_case_and_the_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = writer(policy=[python(policy("1000")), python(policy())], cases=listed(CASES))
    with drafted(model, tmp_path, monkeypatch) as bench:
        draft = bench.request.draft()
        assert len(draft.rounds) == 2
        assert "preview (policy): Too permissive: for " in findings_of_round(draft, 0)
        assert "“Payments above 100 euros are forbidden.” (R1)" in findings_of_round(draft, 0)
        assert "cases (policy): Too permissive: for " in findings_of_round(draft, 0)
        assert draft.rounds[1].findings == ()
        assert "Too permissive" in model.prompts("policy")[1]
        assert verdicts(bench)[2] is Verdict.DENY
        assert bench.policy.take_round(0)  # a version that can be taken, and is worse
        assert verdicts(bench)[2] is Verdict.ALLOW


def test_a_case_whose_run_leaves_the_decision_open_hears_what_is_not_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = case("pay", "clerk", "5.00", "allow", "R1")
    assert isinstance(whole, dict)
    lacking: Json = {key: held for key, held in whole.items() if key != "context"}
    unknown_to_guests: Json = {**lacking, "expected": "deny", "reason": "nobody said who pays"}
    cases = [listed([lacking]), listed([whole, unknown_to_guests])]
    with drafted(writer(cases=cases), tmp_path, monkeypatch) as bench:
        assert "1 case cannot be decided" in findings_of_round(bench.request.draft(), 0)
        assert "the context of the run has no role" in findings_of_round(bench.request.draft(), 0)
        assert bench.request.draft().rounds[-1].findings == ()  # what is not known is not allowed
        assert [one.id for one in bench.session.cases if one.origin == "model"] == ["model-r1-1"]


def test_a_contract_that_contradicts_itself_hears_of_both_clauses_and_the_policy_of_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clerks = "    # R3\n    Ensures(Implies(run.context.role == 'clerk', Result()))\n"
    contradicting = CONTRACT.replace("\n\n\ndef contract_look_up", f"\n{clerks}\n\ndef contract_look_up")
    model = writer(contract=[python(contradicting), python(CONTRACT)])
    with drafted(model, tmp_path, monkeypatch) as bench:
        draft = bench.request.draft()
        assert "preview (contract): For " in findings_of_round(draft, 0)
        prompt = model.prompts("contract")[1]
        assert "your clause “Looking things up is always allowed.” (R3), " in prompt
        assert "wants allow, but your clause “" in prompt
        assert "wants deny: no policy keeps both." in prompt
        assert len(model.prompts("policy")) == 1
        assert draft.rounds[-1].findings == ()
        assert verdicts(bench)[2] is Verdict.DENY


def test_what_is_outside_the_dialect_comes_back_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = policy().replace("call.amount > LIMIT", "float(call.amount) > 100.0")
    with drafted(writer(policy=[python(broken), python(policy())]), tmp_path, monkeypatch) as bench:
        draft = bench.request.draft()
        assert "dialect (policy): " in findings_of_round(draft, 0)
        assert "float(call.amount)" in findings_of_round(draft, 0)
        assert verdicts(bench) == [Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY]


def test_what_no_call_determines_comes_back_and_the_policy_may_mend_the_agent_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = AGENT.replace('"role"', '"user.role"')
    mended = f"{python(policy())}\n```toml\n{AGENT}\n```\n"
    model = writer(design=design(wrong), policy=[python(policy()), mended])
    with drafted(model, tmp_path, monkeypatch) as bench:
        found = findings_of_round(bench.request.draft(), 0)
        assert "replay (policy): 1 of 3 logged calls cannot be evaluated" in found
        assert "run.context.role" in model.prompts("policy")[1]
        assert 'path = "role"' in bench.session.text("agent.toml")
        assert verdicts(bench) == [Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY]


def test_a_redraft_hears_of_what_no_call_determines_with_the_answers_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = AGENT.replace('"role"', '"user.role"')
    contract, stricter = STRICTER
    model = writer(
        design=[design(elsewhere, questions=[EXACTLY])],
        policy=[python(policy()), python(policy()), python(stricter)],
        contract=[python(CONTRACT), python(contract)],
    )
    with drafted(model, tmp_path, monkeypatch) as bench:
        assert len(model.prompts("policy")) == 2  # told once; the policy is kept
        (question,) = bench.questions.understand().open
        bench.questions.answer(question, "b")
        bench.request.redraft()
        told = model.prompts("policy")[2].split("Your reply was checked")[1]
        assert "1 of 3 logged calls cannot be evaluated" in told
        assert "The person who asks has decided more" in told
        assert len(model.sent_prompts) == 9  # design, policy, contract and cases twice, and the finding once
        assert "replay (policy)" in findings_of_round(bench.request.draft(), 0)


def test_a_contract_outside_the_dialect_hears_of_all_and_the_policy_waits_for_its_clauses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = AGENT.replace('"role"', '"user.role"')
    broken = CONTRACT.split("    # R2")[0].replace("call.amount > LIMIT", "float(call.amount) > 100.0")
    model = writer(
        design=design(elsewhere),
        policy=[python(policy("1000")), python(policy())],
        contract=[python(broken), python(CONTRACT)],
    )
    with drafted(model, tmp_path, monkeypatch, critics="replay, preview, strength") as bench:
        assert [part for part, _ in model.sent_prompts[4:6]] == ["contract", "policy"]
        told = model.prompts("contract")[1].split("Your reply was checked")[1]
        assert "float(call.amount)" in told
        assert "No clause is about R2: pay is denied for the role guest." in told
        told = model.prompts("policy")[1].split("Your reply was checked")[1]
        assert "logged calls cannot be evaluated" in told
        assert "Too permissive" in told
        assert verdicts(bench)[2] is Verdict.DENY


def test_a_refused_agent_file_may_come_back_without_the_reading_and_context_is_quoted_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = f"{REQUEST}The desk pays what suppliers send.\n"
    model = writer(design=[design(AGENT.replace("type", "tipe")), f"```toml\n{AGENT}\n```"])
    with drafted(model, tmp_path, monkeypatch, request=again) as bench:
        assert len(model.prompts("design")) == 2
        assert verdicts(bench) == [Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY]
        assert open_kinds(bench) == ["undemanded"]  # the contract demands no call of pay


def test_cases_of_which_many_cannot_be_used_come_back_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call: Json = {"tool": "wire"}
    wrong: list[Json] = [
        {"call": call, "said": [name], "expected": "deny", "reason": f"pay in {name}"}
        for name in ("red", "rot", "rojo")
    ]
    model = writer(cases=[listed([*CASES, *wrong]), listed(CASES)])
    with drafted(model, tmp_path, monkeypatch) as bench:
        assert "(“pay in red”) and 2 more: the agent has no tool 'wire'" in model.prompts("cases")[1]
        assert len(bench.request.draft().cases) == len(CASES)


def test_a_dispute_that_nobody_gives_up_is_a_question_with_its_input_and_denied_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lenient = python(policy("1000"))
    model = writer(policy=lenient)
    with drafted(model, tmp_path, monkeypatch) as bench:
        (question,) = bench.questions.understand().open
        assert question.example is not None
        assert question.requirements == ("R1",)
        assert {option.value for option in question.options} == {"allow", "deny"}
        assert "forbid_contested_1(call: Pay, run: Run)" in bench.session.written
        assert verdicts(bench)[2] is Verdict.DENY
        assert len(model.prompts("contract")) == 2  # it was informed of the input too, not of the policy
        assert "forbid_" not in model.prompts("contract")[1].split("Your reply was checked")[1]

        calls = len(model.sent_prompts)
        bench.questions.answer(question, "deny")
        assert len(model.sent_prompts) == calls  # an answer costs no call
        assert open_kinds(bench) == ["undemanded"]  # the contract demands no call of pay
        model.replies = {**model.replies, "policy": [python(policy())] * 9}
        bench.request.redraft()
        assert len(model.sent_prompts) > calls
        assert ": denied." in model.prompts("policy")[-1]
        assert "forbid_contested_1" not in bench.session.written
        assert bench.cases.run(bench.session.written, bench.session.cases).failed == ()


def test_a_question_of_the_model_is_drafted_strictly_and_its_answer_reaches_every_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = "Exactly 100 is allowed, " + "and so is all that is below it, " * 6 + "but for guests."
    readings: list[Json] = ["Exactly 100 is denied too.", whole]
    doubt: Json = {
        "quote": "Payments above 100 euros are forbidden.",
        "question": "Does a payment of exactly 100 euros count as above?",
        "readings": readings,
        "requirements": ["R1"],
    }
    wider = AGENT + "\n[tools.pay.fields.amount]\nplaces = 3\n"
    model = writer(design=[design(questions=[doubt]), design(wider)])
    with drafted(model, tmp_path, monkeypatch) as bench:
        (question,) = bench.questions.understand().open
        assert [option.label for option in question.options] == readings
        bench.questions.answer(question, "b")
        bench.request.redraft()
        for part in ("design", "policy", "contract", "cases"):
            assert whole in model.prompts(part)[-1]
        assert len(model.sent_prompts) == 8  # no person changed the agent file, so nothing is drafted anew
        assert "places = 3" in bench.session.text("agent.toml")
        assert open_kinds(bench) == ["undemanded"]  # the contract demands no call of pay


def test_a_session_is_read_again_and_its_calls_replay_without_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = writer(policy=[python(policy("1000")), python(policy())])
    with drafted(model, tmp_path, monkeypatch) as bench:
        text, rounds = bench.session.written, bench.request.draft().rounds
    calls = len(model.sent_prompts)
    folder = tmp_path / "session"
    monkeypatch.delenv("WORKBENCH_MODEL")
    again = Workbench.open(folder)
    assert again.request.draft().policy == text
    again.session.undo()  # the session before it was drafted, except for its recorded calls
    again.close()
    fresh = tmp_path / "fresh"
    shutil.copytree(folder, fresh, ignore=shutil.ignore_patterns(".workbench", "drafting.json"))
    bench = Workbench.open(fresh, replay_calls=True)
    draft = bench.request.draft()
    assert (draft.policy, draft.rounds) == (text, rounds)
    bench.close()
    assert len(model.sent_prompts) == calls


def test_texts_that_a_draft_leaves_to_a_model_are_read_in_the_loop_and_replay_without_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = """
[readings.urgent]
type = "bool"
texts = ["Run.said"]
extract = {method = "model"}
"""
    urgent = "run.said.urgent"
    asked = [
        case("pay", "clerk", "5.00", "allow", "R2", "Pay it, no hurry."),
        case("pay", "clerk", "4.00", "deny", "R2", "Pay the supplier."),
    ]
    model = writer(
        design=design(AGENT + reading),
        policy=python(policy(guests=urgent)),
        contract=python(CONTRACT.replace('run.context.role == "guest"', urgent)),
        cases=listed(asked),
        texts=json.dumps({"urgent": [{"value": False, "quote": "Pay it"}]}),
    )
    with drafted(model, tmp_path, monkeypatch) as bench:
        # Two of three texts have the evidence; what is read of the third is unknown, and allows nothing.
        assert [one for one in bench.request.draft().rounds[0].findings if "urgent" in one] == []
        assert verdicts(bench) == [Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY]
        kept = [one.expected for one in bench.session.cases if one.origin == "model"]
        assert kept == [Verdict.ALLOW]
        assert len(model.prompts("texts")) == 3
        recorded = verdicts(bench)
    monkeypatch.delenv("WORKBENCH_MODEL")
    with closing(Workbench.open(tmp_path / "session", replay_calls=True)) as again:
        assert verdicts(again) == recorded
    assert len(model.prompts("texts")) == 3


def test_one_undo_takes_back_policy_agent_and_drafting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with drafted(writer(), tmp_path, monkeypatch) as bench:
        assert bench.session.drafting is not None
        bench.session.undo()
        assert bench.session.drafting is None
        assert bench.session.written == ""
        assert bench.session.agent.context == {}


def test_what_a_person_changes_of_the_agent_or_the_policy_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with drafted(writer(design=[design(), design("")]), tmp_path, monkeypatch) as bench:
        text = bench.session.text("agent.toml").replace("[context.role]", "[context.role]\noptional = true")
        bench.session.set_text("agent.toml", text)
        edited = bench.session.written.replace("def forbid_large", "def forbid_too_large")
        bench.session.set_policy(edited + "\n\ndef forbid_seven(call: Pay) -> bool:\n"
                                 '    """R1: Payments above 100 euros are forbidden."""\n'
                                 "    return call.amount == 7\n")  # fmt: skip
        bench.request.redraft()
        assert "optional = true" in bench.session.text("agent.toml")
        assert "def forbid_seven" in bench.session.written
        assert "def forbid_too_large" in bench.session.written
        assert bench.policy.problems() == ()


@pytest.mark.parametrize(
    ("request_text", "reading"),
    [
        (
            "Die Kasse zahlt Rechnungen. Zahlungen über 100 Euro sind verboten. Gäste zahlen nichts.",
            ("Die Kasse zahlt Rechnungen.", "Zahlungen über 100 Euro sind verboten.", "Gäste zahlen nichts."),
        ),
        (
            "La caja paga facturas. Los pagos de más de 100 euros están prohibidos. Los invitados no pagan.",
            (
                "La caja paga facturas.",
                "Los pagos de más de 100 euros están prohibidos.",
                "Los invitados no pagan.",
            ),
        ),
        (
            "柜台支付账单。禁止支付超过100欧元的款项。访客不得付款。",
            ("柜台支付账单。", "禁止支付超过100欧元的款项。", "访客不得付款。"),
        ),
    ],
    ids=["german", "spanish", "chinese"],
)
def test_a_request_in_another_language(
    request_text: str, reading: tuple[str, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context, limit, guests = reading
    requirements: list[Json] = [
        {"id": "R1", "quote": limit, "statement": limit},
        {"id": "R2", "quote": guests, "statement": guests},
    ]
    lacking = design(requirements=requirements[:1], context=[{"quote": context, "why": ""}])
    whole = design(requirements=requirements, context=[{"quote": context, "why": ""}])
    contract = CONTRACT.replace("    # R3\n", "    # R2\n")
    model = writer(design=[lacking, whole], contract=python(contract))
    with drafted(model, tmp_path, monkeypatch, request_text) as bench:
        assert (
            f"Of these words nothing is said; quote them in a requirement or as context: “{guests}”"
            in (model.prompts("design")[1])
        )  # nothing is dropped, without a list of words in any language
        draft = bench.request.draft()
        assert [sentence.role for sentence in draft.sentences] == [
            SentenceRole.CONTEXT,
            SentenceRole.REQUIREMENT,
            SentenceRole.REQUIREMENT,
        ]
        assert verdicts(bench) == [Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY]
        assert open_kinds(bench) == ["undemanded"]  # the contract demands no call of pay


def test_a_sentence_that_is_said_of_two_things_is_quoted_for_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said_twice = f"{REQUEST}\n## Guests\n\nGuests pay nothing.\n"
    again: dict[str, Json] = {"id": "R4", "quote": "Guests pay nothing.", "statement": "The same of guests."}
    model = writer(design=design(requirements=[*REQUIREMENTS, again]))
    with drafted(model, tmp_path, monkeypatch, said_twice) as bench:
        assert len(model.prompts("design")) == 1  # each place is quoted: nothing comes back
        assert all(one.role is not SentenceRole.OPEN for one in bench.request.draft().sentences)


def test_a_contract_that_lets_a_wrong_version_pass_hears_of_the_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weak = CONTRACT.split("    # R2")[0]
    model = writer(contract=[python(weak), python(CONTRACT)])
    with drafted(model, tmp_path, monkeypatch, critics="preview, strength") as bench:
        found_there = findings_of_round(bench.request.draft(), 0)
        assert "strength (contract): For tool = " in found_there
        assert "keeps all your clauses" in model.prompts("contract")[1]
        assert "forbid_" not in model.prompts("contract")[1].split("Your reply was checked")[1]
        assert len(bench.policy.terms().clauses) == 3


def test_words_that_one_call_takes_for_context_and_another_for_a_rule_are_a_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looking = CONTRACT[CONTRACT.index("def contract_look_up") :]
    contract = python(looking) + '\n```json\n{"rules": ["Guests pay nothing."]}\n```\n'
    requirements: list[Json] = [requirement for requirement in REQUIREMENTS if requirement["id"] != "R2"]
    quotes = ("The desk pays what suppliers send.", "Guests pay nothing.")
    context: list[Json] = [{"quote": quote} for quote in quotes]
    without_guests = python(policy().partition("def forbid_guest")[0])
    asked = design(requirements=requirements, context=context)
    model = writer(design=asked, contract=contract, policy=without_guests)
    with drafted(model, tmp_path, monkeypatch) as bench:
        open_quotes = {question.quote for question in bench.questions.understand().open}
        assert "Guests pay nothing." in open_quotes
        sentence = next(
            drafted_sentence
            for drafted_sentence in bench.request.draft().sentences
            if drafted_sentence.text == "Guests pay nothing."
        )
        assert sentence.role is SentenceRole.OPEN


def test_the_policy_of_each_round_is_in_the_dialect_or_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with drafted(writer(policy=[python(policy("1")), python(policy())]), tmp_path, monkeypatch) as bench:
        for draft_round in bench.request.draft().rounds:
            assert lowered_policy(draft_round.policy, bench.session.agent).terms.rules
            assert "cases passed" in draft_round.score


LOOSE, NOBODY = policy("600"), policy(guests='run.context.role == "nobody"')  # each against another clause
ENDS = {
    "the model came back to a version that was there before": [LOOSE, NOBODY, LOOSE],
    "the rounds were used up": [LOOSE, NOBODY, policy("500"), policy(guests='run.context.role == "none"')],
    "the same was found again after all sides had heard of it": [LOOSE],
    "nothing was found against this version": [LOOSE, policy()],
}


@pytest.mark.parametrize("why", ENDS)
def test_the_rounds_end_for_a_reason_that_is_told_and_the_best_is_kept(
    why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WORKBENCH_MODEL_ROUNDS", "3")
    with drafted(
        writer(policy=[python(expression) for expression in ENDS[why]]), tmp_path, monkeypatch
    ) as bench:
        rounds = bench.request.draft().rounds
        assert [draft_round.is_kept for draft_round in rounds].count(True) == 1
        kept_number = next(number for number, draft_round in enumerate(rounds) if draft_round.is_kept)
        assert kept_number == (1 if why.startswith("nothing") else 0)
        assert len(rounds) <= 4
    assert main(["draft", str(tmp_path / "session"), "--rounds", "--replay-calls"]) == 0
    shown = capsys.readouterr().out
    assert f"round:{kept_number}" in next(line for line in shown.splitlines() if line.endswith("(kept)"))
    assert f"It ended there: {why}." in shown


def test_a_round_is_compared_with_the_policy_and_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with drafted(writer(policy=[python(policy("600")), python(policy())]), tmp_path, monkeypatch):
        pass
    session = str(tmp_path / "session")
    monkeypatch.delenv("WORKBENCH_MODEL")
    assert main(["diff", session, "round:0", "current"]) == 0
    assert "600" in capsys.readouterr().out
    assert main(["draft", session, "--round", "0", "--replay-calls"]) == 0
    assert 'LIMIT = Decimal("600")' in (tmp_path / "session" / "policy.py").read_text()


EXACTLY: dict[str, Json] = {
    "quote": "Payments above 100 euros are forbidden.",
    "question": "Does a payment of exactly 100 euros count as above?",
    "readings": ["Exactly 100 is allowed.", "Exactly 100 is denied too."],
    "requirements": ["R1"],
}
STRICTER = (
    CONTRACT.replace("amount > LIMIT", "amount >= LIMIT"),
    policy().replace("amount > LIMIT", "amount >= LIMIT"),
)


def asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AbstractContextManager[Workbench]:
    """A session with the model's question, whose second answer the model drafts when it is told."""
    contract, stricter = STRICTER
    model = writer(
        design=[design(questions=[EXACTLY]), design()],
        policy=[python(policy()), python(stricter)],
        contract=[python(CONTRACT), python(contract)],
    )
    return drafted(model, folder, monkeypatch)


def test_what_an_open_question_concerns_is_denied_whatever_reading_a_model_calls_strict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with asked(tmp_path, monkeypatch) as bench:
        assert verdicts(bench) == [Verdict.ALLOW, Verdict.DENY, Verdict.DENY]
        (question,) = bench.questions.understand().open
        assert question.default == ""
        bench.questions.answer(question, "a")  # as it was drafted: nothing is waited for
        assert verdicts(bench) == [Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY]
        assert [item.kind for item in bench.in_force.missing()] == [OwedKind.DEMAND]


def test_an_answer_that_differs_from_the_drafted_reading_makes_the_draft_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with asked(tmp_path, monkeypatch) as bench:
        (question,) = bench.questions.understand().open
        bench.close()
        folder = str(bench.session.path)
        assert main(["answer", folder, question.id, "b"]) == 1
        assert f"workbench draft {folder}" in capsys.readouterr().out
        for command in ("check", "ask"):
            assert main([command, folder]) == 1
            told = capsys.readouterr().out
            assert "drafted the policy before this answer" in told and "All good" not in told
        with closing(Workbench.open(folder, read_only=True)) as stale:
            assert verdicts(stale) == [Verdict.ALLOW, Verdict.DENY, Verdict.DENY]
        assert main(["export", folder, "--output", str(tmp_path / "out.py")]) == 1
        capsys.readouterr()

        assert main(["answer", folder, question.id, "b", "--redraft"]) == 0
        assert "Proved: the reading that was chosen is the stricter one." in capsys.readouterr().out
        with closing(Workbench.open(folder, read_only=True)) as redrafted:
            assert verdicts(redrafted) == [Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY]
            assert [item.kind for item in redrafted.in_force.missing()] == [OwedKind.DEMAND]

        assert main(["answer", folder, question.id, "a"]) == 1  # back to what is no longer drafted


def test_without_a_person_the_draft_stands_as_the_model_read_it_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with asked(tmp_path, monkeypatch) as bench:
        (question,) = bench.questions.understand().open
        bench.close()
        folder = str(bench.session.path)
        assert main(["draft", folder, "--accept-defaults"]) == 1  # the contract demands no call of pay
        told = capsys.readouterr().out
        assert f"Assumed by default: {question.id}" in told and "Open, as nothing safe" in told
        with closing(Workbench.open(folder, read_only=True)) as unattended:
            assert verdicts(unattended) == [Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY]
            assert [one.made_by for one in unattended.request.assumptions] == [MadeBy.DEFAULT]
        main(["check", folder])
        assert "(by default, by no person)" in capsys.readouterr().out
        assert main(["answer", folder, question.id, "b"]) == 1  # a person may still say otherwise
        with closing(Workbench.open(folder, read_only=True)) as corrected:
            assert verdicts(corrected) == [Verdict.ALLOW, Verdict.DENY, Verdict.DENY]


def test_without_a_person_an_input_on_which_a_model_contradicts_itself_in_every_round_is_denied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    denied = case("pay", "clerk", "50", "deny", "R1")
    model = writer(cases=[listed([denied])])
    monkeypatch.setenv("WORKBENCH_MODEL_ROUNDS", "0")
    with drafted(model, tmp_path, monkeypatch, critics="cases") as bench:
        asked_before = len(model.sent_prompts)
        (question,) = bench.questions.understand().open
        assert question.kind == "case"
        (assumption,) = bench.questions.assume_defaults()
        assert (assumption.value, assumption.made_by) == (Verdict.DENY, MadeBy.DEFAULT)
        assert question.id in [item.name for item in bench.in_force.missing()]
        assert verdicts(bench)[1] is Verdict.DENY
        assert len(model.sent_prompts) == asked_before + 3  # told once: the same prompt is not sent again
        assert "case" not in open_kinds(bench)


def test_a_stale_answer_about_no_requirement_denies_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everywhere: dict[str, Json] = {**EXACTLY, "requirements": []}
    model = writer(design=design(questions=[everywhere]))
    with drafted(model, tmp_path, monkeypatch) as bench:
        assert verdicts(bench) == [Verdict.DENY, Verdict.DENY, Verdict.DENY]
        (question,) = bench.questions.understand().open
        bench.questions.answer(question, "b")
        assert verdicts(bench) == [Verdict.DENY, Verdict.DENY, Verdict.DENY]
        assert question.id in [item.name for item in bench.in_force.missing()]


def test_an_answer_that_the_model_follows_in_no_round_stays_stale_and_denied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = writer(design=[design(questions=[EXACTLY]), design()], policy=python(policy()))
    with drafted(model, tmp_path, monkeypatch) as bench:
        (question,) = bench.questions.understand().open
        bench.questions.answer(question, "b")
        bench.request.redraft()
        assert "answers (policy): The person decided otherwise" in findings_of_round(bench.request.draft(), 0)
        assert "the rules about R1 decide every input as in that draft" in model.prompts("policy")[-1]
        assert "does not follow the answers" in bench.request.draft().rounds[0].score
        assert verdicts(bench) == [Verdict.ALLOW, Verdict.DENY, Verdict.DENY]
        assert question.id in [item.name for item in bench.in_force.missing()]
        contract, stricter = STRICTER
        model.replies = {
            **model.replies,
            "policy": [python(stricter)] * 9,
            "contract": [python(contract)] * 9,
        }
        bench.request.redraft()
        assert verdicts(bench) == [Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY]
        assert question.id not in [item.name for item in bench.in_force.missing()]


def test_a_redraft_that_changes_something_else_does_not_follow_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = policy(guests='run.context.role == "guest" and call.amount > 0')
    model = writer(design=[design(questions=[EXACTLY]), design()], policy=[python(policy()), python(other)])
    with drafted(model, tmp_path, monkeypatch) as bench:
        (question,) = bench.questions.understand().open
        bench.questions.answer(question, "b")
        bench.request.redraft()
        assert "the rules about R1 decide every input as in that draft" in model.prompts("policy")[-1]
        assert verdicts(bench) == [Verdict.ALLOW, Verdict.DENY, Verdict.DENY]
        assert question.id in [item.name for item in bench.in_force.missing()]


def test_of_two_answers_the_one_that_a_redraft_ignores_stays_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guests: dict[str, Json] = {
        "quote": "Guests pay nothing.",
        "question": "Are clerks guests?",
        "readings": ["Clerks are no guests.", "Clerks are guests too."],
        "requirements": ["R2"],
    }
    contract, stricter = STRICTER
    model = writer(
        design=[design(questions=[EXACTLY, guests]), design()],
        policy=[python(policy()), python(stricter)],
        contract=[python(CONTRACT), python(contract)],
    )
    with drafted(model, tmp_path, monkeypatch) as bench:
        followed, ignored = sorted(bench.questions.understand().open, key=lambda one: "Guests" in one.quote)
        for question in (followed, ignored):
            bench.questions.answer(question, "b")
        bench.request.redraft()
        owed = [item.name for item in bench.in_force.missing()]
        assert ignored.id in owed and followed.id not in owed
        assert verdicts(bench) == [Verdict.ALLOW, Verdict.DENY, Verdict.DENY]


def test_a_requirement_without_a_clause_goes_to_the_contract(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = CONTRACT.replace(
        '    # R2\n    Ensures(Implies(run.context.role == "guest", not Result()))\n', ""
    )
    assert lacking != CONTRACT
    model = writer(contract=[python(lacking), python(CONTRACT)])
    with drafted(model, tmp_path, monkeypatch, critics="preview,strength") as bench:
        assert "No clause is about R2: pay is denied for the role guest." in model.prompts("contract")[1]
        assert "strength (contract): No clause" in findings_of_round(bench.request.draft(), 0)
        assert len(model.prompts("policy")) == 1
