"""A person's way through a request: sentences are reworded, cited, replaced, and open again after an edit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.app.invoice_desk import REQUEST, invoice_desk
from tests.examples import examples
from workbench.app.contradictions import Contradicts
from workbench.app.new_session import new_session
from workbench.app.requested_sentence import SentenceState
from workbench.app.rewording import Reworded, read_form
from workbench.app.sentences import NotASentence
from workbench.app.workbench import Workbench
from workbench.author.request_outline import outline
from workbench.model import Verdict, WorkbenchError

LIMIT = "The agent must not pay an invoice if the total is more than 5,000."
LOOK = "The agent may always get an invoice."
PAY = "The agent may always pay an invoice."
APPROVAL = "The agent may pay an invoice only with the approval of a person if the total is more than 3,000."


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    made = invoice_desk(tmp_path)
    yield made
    made.close()


def states(bench: Workbench) -> dict[str, SentenceState]:
    return {one.requirement.text: one.state for one in bench.rewordings.all()}


def read_as(bench: Workbench, words: str) -> set[str]:
    (sentence,) = [one for one in bench.rewordings.all() if one.requirement.text == words]
    return {*sentence.texts}


def verdicts(bench: Workbench) -> list[Verdict]:
    return [one.decision.verdict for one in bench.replay(bench.policy.terms(), bench.runs.load()).shown]


def say(bench: Workbench, words: str, *texts: str) -> None:
    bench.rewordings.keep([Reworded(words, texts)])


def test_what_is_said_as_it_is_read_leaves_a_rule_as_a_person_wrote_it(bench: Workbench) -> None:
    words = "Nothing over 5,000 euros is paid by the agent."
    say(bench, words, LIMIT)
    (rule,) = (one.name for one in bench.policy.terms().rules if one.name.startswith("forbid"))
    bench.editing.store(bench.session.written.replace(rule, "forbid_much"))
    before = bench.session.written
    say(bench, words, LIMIT)
    assert bench.session.written == before and "def forbid_much(" in before


def test_headings_topics_and_lead_ins_count_for_what_stands_below_them() -> None:
    found = {one.text: (one.under[1:], one.heads) for one in outline(REQUEST)}
    assert found["Amounts."] == ((), True)
    assert found["Nothing over 5,000 euros is paid by the agent."] == (("Amounts",), False)
    assert found["The agent must not:"] == (("Always",), True)
    assert found["pay twice"] == (("Always", "The agent must not"), False)


def test_a_sentence_may_end_with_no_and_a_number_does_not_end_one() -> None:
    request = (
        "Reading yes, deleting no. The folder /hr is closed. See form no. 5 and No. 6 for it. Is it? No."
    )
    assert [one.text for one in outline(request)] == [
        "Reading yes, deleting no.",
        "The folder /hr is closed.",
        "See form no. 5 and No. 6 for it.",
        "Is it?",
        "No.",
    ]


def test_what_may_be_a_rule_itself_is_a_sentence_of_its_own() -> None:
    request = (
        "Refunds: never above 100 EUR\nDiscounts: at most 10 percent\n\n"
        "**No gifts.** They are sent by the shop.\n\n"
        "Action: book\nCondition: age >= 18\nMessage: Users under 18 may not book.\n"
    )
    assert [one.text for one in outline(request) if not one.heads] == [
        "Refunds: never above 100 EUR",
        "Discounts: at most 10 percent",
        "No gifts.",
        "They are sent by the shop.",
        "Users under 18 may not book.",
    ]


def test_every_sentence_has_one_state(bench: Workbench) -> None:
    assert set(states(bench).values()) == {SentenceState.OPEN}
    say(bench, "Nothing over", LIMIT)
    say(bench, "looking up", LOOK, PAY)
    bench.rewordings.keep([Reworded("Our desk", context="a remark")])
    assert states(bench) == {
        "Our desk pays about 300 invoices a day.": SentenceState.CONTEXT,
        "Nothing over 5,000 euros is paid by the agent.": SentenceState.REWORDED,
        "The boss signs what is above 3,000.": SentenceState.OPEN,
        "Looking up an invoice is fine.": SentenceState.REWORDED,
        "pay an invoice of which the supplier is blocked": SentenceState.OPEN,
        "pay twice": SentenceState.OPEN,
    }
    assert verdicts(bench) == [Verdict.ALLOW, Verdict.ALLOW, Verdict.ALLOW, Verdict.DENY, Verdict.DENY]


def test_a_sentence_with_a_rule_is_no_context(bench: Workbench) -> None:
    say(bench, "Nothing over", LIMIT)
    with pytest.raises(WorkbenchError, match=r"no context while this stands for it: .*forbid_"):
        bench.rewordings.keep([Reworded("Nothing over", context="a remark")])


def test_a_kept_sentence_is_a_rule_a_clause_and_cases_and_undo_takes_all_back(bench: Workbench) -> None:
    before = (bench.session.written, bench.session.cases)
    say(bench, "looking up", LOOK, PAY)
    say(bench, "Nothing over", LIMIT)
    proof = bench.proof.preview(bench.policy.terms())
    assert len(proof.clauses) == 3
    assert {one.status.value for one in proof.clauses} == {"proved"}
    assert any(case.expected is Verdict.ALLOW for case in bench.session.cases)
    kept = (bench.session.written, bench.session.cases)
    bench.session.undo()
    bench.session.undo()
    assert (bench.session.written, bench.session.cases) == before
    bench.session.redo()
    bench.session.redo()
    assert (bench.session.written, bench.session.cases) == kept


def test_a_later_prohibition_narrows_the_clause_of_a_permission_and_its_end_widens_it(
    bench: Workbench,
) -> None:
    say(bench, "looking up", PAY)
    permission = "Ensures(Result())"
    assert permission in bench.session.written
    say(bench, "Nothing over", LIMIT)
    say(bench, "The boss signs", APPROVAL)
    assert "Implies(" in bench.session.written.partition("def contract_of_permit_pay_invoice")[2]
    assert {one.status.value for one in bench.proof.preview(bench.policy.terms()).clauses} == {"proved"}
    say(bench, "Nothing over", "The agent must never send a note.")
    assert "5000" not in bench.session.written
    assert {one.status.value for one in bench.proof.preview(bench.policy.terms()).clauses} == {"proved"}


def test_a_clause_that_a_person_wrote_stays_and_is_told_where_it_would_not_hold(bench: Workbench) -> None:
    say(bench, "looking up", PAY)
    own = "def contract_of_permit_pay_invoice(call: PayInvoice) -> None:"
    text = bench.session.written.replace(
        "    Ensures(Result())", "    Ensures(Implies(call.total < 9000, Result()))"
    )
    bench.session.set_policy(text)
    with pytest.raises(Contradicts, match="would not hold"):
        say(bench, "Nothing over", LIMIT)
    assert own in bench.session.written
    assert bench.session.written == text


def test_a_prohibition_beside_the_rule_of_a_sentence_is_owed_a_clause(bench: Workbench) -> None:
    say(bench, "Nothing over", LIMIT)

    def owed() -> list[str]:
        every = bench.questions.understand().findings
        return [one.text for one in every if one.kind == "no-clause" and "forbid_mine" in one.text]

    assert owed() == []
    mine = (
        "def forbid_mine(call: PayInvoice) -> bool:\n"
        '    """R1: Nothing over 5,000 euros is paid by the agent."""\n'
        "    return call.total == 13\n"
    )
    bench.session.set_policy(f"{bench.session.written}\n\n{mine}")
    assert len(owed()) == 1
    clause = (
        "def contract_mine(call: PayInvoice) -> None:\n"
        "    # R1: Nothing over 5,000 euros is paid by the agent.\n"
        "    Ensures(Implies(call.total == 13, not Result()))\n"
    )
    bench.session.set_policy(f"{bench.session.written}\n\n{clause}")
    assert owed() == []


def test_a_sentence_said_again_replaces_what_was_said_and_its_label_stays(bench: Workbench) -> None:
    say(bench, "Nothing over", LIMIT)
    say(bench, "Nothing over", LIMIT.replace("5,000", "4,000"))
    rules = [one for one in bench.sentences.aloud() if one.name.startswith("forbid_")]
    assert [one.text for one in rules] == [LIMIT.replace("5,000", "4,000")]
    assert bench.session.written.count("R1: Nothing over 5,000 euros is paid by the agent.") == 2


def test_a_rule_in_python_stays_when_a_sentence_is_said(bench: Workbench) -> None:
    text = bench.session.written + (
        '\n\ndef forbid_odd(call: PayInvoice) -> bool:\n    """R1: pay twice"""\n'
        "    too_much = call.total > 10\n    return too_much and call.supplier.strip() == call.supplier\n"
    )
    bench.session.set_policy(text)
    assert states(bench)["pay twice"] is SentenceState.PYTHON
    say(bench, "pay twice", LIMIT)
    assert "def forbid_odd" in bench.session.written
    (odd,) = read_as(bench, "pay twice") - {LIMIT}
    other = LIMIT.replace("5,000", "4,000")
    bench.rewordings.keep([Reworded("pay twice", (odd, other), whole=True)])
    assert "def forbid_odd" in bench.session.written
    assert read_as(bench, "pay twice") == {odd, other}, "what it says is not said once more"
    bench.rewordings.keep([Reworded("pay twice", (LIMIT,), whole=True)])
    assert "def forbid_odd" not in bench.session.written
    assert states(bench)["pay twice"] is SentenceState.REWORDED


def test_an_edit_of_the_request_opens_the_sentence_and_owes_the_rule_that_cites_the_old_one(
    bench: Workbench,
) -> None:
    say(bench, "Nothing over", LIMIT)
    bench.session.set_request(bench.session.request.replace("5,000 euros", "4,000 euros"))
    assert states(bench)["Nothing over 4,000 euros is paid by the agent."] is SentenceState.OPEN
    gone = [item for item in bench.in_force.missing() if item.statement.startswith("Nothing over 5,000")]
    assert [item.name for item in gone] == ["R1"]
    assert "“5” in place of “4”" in gone[0].reason
    assert "--for 'Our desk pays about'" in bench.standing().next_step
    say(bench, "Nothing over", LIMIT.replace("5,000", "4,000"))
    rules = [one.text for one in bench.sentences.aloud() if one.name.startswith("forbid_")]
    assert rules == [LIMIT.replace("5,000", "4,000")], "the rule came with its sentence"
    assert not [item for item in bench.in_force.missing() if item.name == "R1"]


def test_a_remark_can_be_added_and_names_the_folder_that_a_question_offers(bench: Workbench) -> None:
    bench.rewordings.add("context: The repository is in /repo.")
    assert "The repository is in /repo." in bench.session.request
    assert states(bench)["The repository is in /repo."] is SentenceState.CONTEXT


def test_context_ends_where_a_rule_cites_the_sentence_and_where_its_words_change(bench: Workbench) -> None:
    bench.rewordings.keep([Reworded("Always", context="a list")])
    assert states(bench)["pay twice"] is SentenceState.CONTEXT
    assert not any(question.quote == "pay twice" for question in bench.questions.understand().open)
    say(bench, "pay twice", LIMIT)
    assert states(bench)["pay twice"] is SentenceState.REWORDED
    bench.session.set_request(bench.session.request.replace("Looking up an", "Looking up one"))
    assert states(bench)["Looking up one invoice is fine."] is SentenceState.OPEN


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("pay", "Several sentences of the request begin with “pay”"),
        (
            "Nothing over 5,000 dollars is paid by the agent.",
            "“Nothing over 5,000 euros is paid by the agent.”",
        ),
        ("...", "No sentence of the request begins with"),
        ("[red]Nothing[/red] \x1b[31m", "No sentence of the request begins with"),
    ],
)
def test_words_that_name_no_sentence_or_several_are_said(bench: Workbench, words: str, why: str) -> None:
    with pytest.raises(WorkbenchError) as raised:
        bench.rewordings.preview([Reworded(words, (LIMIT,))])
    assert why in str(raised.value)


def test_nothing_is_stored_if_one_of_many_is_no_sentence(bench: Workbench) -> None:
    before = bench.session.written
    items = [Reworded("Nothing over", (LIMIT,)), Reworded("pay twice", ("The agent must not pay twise.",))]
    with pytest.raises(NotASentence, match="For “pay twice”: It is read up to “The agent must not pay”"):
        bench.rewordings.keep(items)
    assert bench.session.written == before


def test_a_prohibition_unless_a_value_is_one_of_some_is_reworded_and_no_python(bench: Workbench) -> None:
    (first, *_) = [one.requirement.text for one in bench.rewordings.all()]
    say(bench, first, "The agent must not pay an invoice unless the supplier is one of “a” or “b”.")
    assert states(bench)[first] is SentenceState.REWORDED


def test_all_that_is_not_read_is_told_at_once(bench: Workbench) -> None:
    bad = ("The agent must not pay twise.", "The agent must not fly.")
    items = [Reworded("Nothing over", (LIMIT, bad[1])), Reworded("pay twice", (bad[0],))]
    with pytest.raises(WorkbenchError, match="2 sentences cannot be taken") as raised:
        bench.rewordings.preview(items)
    told = [str(one) for one in raised.value.problems]
    assert [one.partition("”:")[0] for one in told] == [
        "For “Nothing over 5,000 euros is paid by the agent.",
        "For “pay twice",
    ]
    assert "read up to “The agent must not”" in told[0] and "“The agent must not pay”" in told[1]
    with pytest.raises(WorkbenchError, match="2 of the sentences") as raised:
        bench.rewordings.preview([Reworded("...", (LIMIT,)), Reworded("nowhere", (LIMIT,))])
    assert len(raised.value.problems) == 2


def test_a_rule_that_the_dialect_refuses_is_told_with_its_sentence(tmp_path: Path) -> None:
    (tmp_path / "request.md").write_text("Only loud ones.\n", encoding="utf-8")
    (tmp_path / "agent.toml").write_text(
        """name = "desk"

[tools.send_note.parameters]
type = "object"
properties = {loud = {type = "boolean"}}
additionalProperties = false
""",
        encoding="utf-8",
    )
    created = new_session(
        tmp_path / "desk", tmp_path / "request.md", agent=tmp_path / "agent.toml", logs=(), author="written"
    )
    created.draft()
    with closing(created.workbench) as bench:
        before = bench.session.written
        with pytest.raises(WorkbenchError, match=r"For “Only loud ones\.”: .*loud.* may be"):
            say(bench, "Only loud", "The agent must not send a note if the call is not marked loud.")
        assert bench.session.written == before


def test_sentences_in_the_language_are_kept_as_they_stand(tmp_path: Path) -> None:
    bench = invoice_desk(tmp_path, f"{LOOK} {LIMIT}\n\nBe nice.\n")
    every = bench.rewordings.all()
    assert [one.exact for one in every] == [True, True, False]
    bench.rewordings.keep([Reworded(one.requirement.text) for one in every if one.exact])
    assert list(states(bench).values()) == [
        SentenceState.LANGUAGE, SentenceState.LANGUAGE, SentenceState.OPEN,
    ]  # fmt: skip
    bench.close()


def test_a_sentence_too_long_to_be_read_is_open_as_others_are(tmp_path: Path) -> None:
    bench = invoice_desk(tmp_path, f"{LOOK}\n\n{'never pay a bill if ' * 1_000}.\n")
    assert [one.exact for one in bench.rewordings.all()] == [True, False]
    bench.close()


def test_the_same_sentence_below_another_heading_is_another_and_below_the_same_is_one(tmp_path: Path) -> None:
    request = "# Invoices\n\n- Never twice.\n- Never twice.\n\n# Notes\n\n- Never twice.\n"
    bench = invoice_desk(tmp_path, request)
    assert list(states(bench)) == ["Invoices: Never twice.", "Notes: Never twice."]
    say(bench, "Notes: Never twice", "The agent must never send a note.")
    assert list(states(bench).values()) == [SentenceState.OPEN, SentenceState.REWORDED]
    bench.close()


HOSTILE = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"),
    min_size=1, max_size=40,
)  # fmt: skip


@given(HOSTILE)
@settings(max_examples=examples(60))
def test_a_sentence_of_any_characters_is_cited_by_its_words(text: str) -> None:
    from workbench.author.citations import folded
    from workbench.language.kept_sentence import cited_text
    from workbench.policy.checker.syntax_tree import read

    cited = cited_text(text)
    assert folded(cited) == folded(text)
    head = '"""Title."""'
    read(f'{head}\n\n\ndef f(x: int) -> bool:\n    """R1: {cited}"""\n    # R1: {cited}\n    return True\n')


def test_the_form_reads_what_it_says() -> None:
    form = """# a comment
> Nothing over 5,000 euros
> is paid by the agent.
The agent must not pay an invoice if all of these hold:
    (a) the total is more than 5,000
    (b) the supplier is "a".
The agent may always get an invoice.

> left open

> Our desk
context: a remark: about us
"""
    assert read_form(form) == (
        Reworded(
            "Nothing over 5,000 euros is paid by the agent.",
            (
                "The agent must not pay an invoice if all of these hold: (a) the total is more than 5,000 "
                '(b) the supplier is "a".',
                "The agent may always get an invoice.",
            ),
        ),
        Reworded("Our desk", context="a remark: about us"),
    )


@pytest.mark.parametrize("form", ["LIMIT\n", "> a\ncontext:\n", "> a\ncontext: x\nThe agent may.\n"])
def test_a_form_that_says_nothing_clear_is_refused_with_its_line(form: str) -> None:
    with pytest.raises(WorkbenchError, match="Line 1"):
        read_form(form)


# --- what a kept sentence changes beside its rule

RECORD = """
[records.invoice]
key = "invoice_id"
[records.invoice.fields]
supplier = {type = "str"}
approved_at = {type = "datetime"}
[records.invoice.results]
get_invoice = "$"
"""
OF_SUPPLIER = "The agent must not pay an invoice if the invoice exists and the invoice's supplier is “acme”."
APPROVED = (
    "The agent may pay an invoice if the invoice exists and the time since the invoice's approved at is at "
    "most 30 days."
)


@pytest.fixture
def reading_records(tmp_path: Path) -> Iterator[Workbench]:
    with closing(invoice_desk(tmp_path)) as made:
        folder = made.session.path
    agent = folder / "agent.toml"
    agent.write_text(agent.read_text(encoding="utf-8") + RECORD, encoding="utf-8")
    with closing(Workbench.open(folder)) as bench:
        yield bench


def test_generated_cases_follow_the_fields_that_the_rules_read(reading_records: Workbench) -> None:
    bench = reading_records
    say(bench, "Nothing over", OF_SUPPLIER)
    case = next(case for case in bench.session.cases if case.expected is Verdict.DENY)
    own = replace(case, id="mine", origin="human", expected=Verdict.CANNOT_EVALUATE)
    bench.session.set_cases((*bench.session.cases, own))
    say(bench, "The boss", APPROVED)
    say(bench, "Nothing over", APPROVED)
    results = bench.cases.run().results
    assert {one.case for one in results if not one.passed} <= {"mine"}
    assert {"mine"} < {one.case for one in results}
    assert "mine" in {case.id for case in bench.session.cases}


def test_a_sentence_says_which_ones_it_takes_the_place_of(bench: Workbench) -> None:
    say(bench, "looking up", LOOK)
    again = bench.rewordings.preview([Reworded("looking up", (LOOK, PAY))])
    assert again.replaced == ()
    instead = bench.rewordings.preview([Reworded("looking up", (PAY,))])
    assert instead.replaced == (LOOK,)


def test_no_change_says_that_no_call_lies_there_while_calls_turn(bench: Workbench) -> None:
    change = bench.rewordings.preview([Reworded("looking up", (LOOK,))], bench.runs.load()).change
    assert change.buckets["newly-allowed"] == 1
    assert all(region.recorded is not None or not region.placed for region in change.regions(Verdict.ALLOW))


@pytest.mark.parametrize(
    ("said", "before"),
    [
        ("the invoice's supplier is “acme”", "the invoice exists"),
        ("the note begins with “x”", "the note is given"),
    ],
)
def test_what_has_to_be_said_before_is_said_in_the_words_of_the_sentence(
    reading_records: Workbench, said: str, before: str
) -> None:
    total = 'total = {type = "number"}'
    text = reading_records.session.text("agent.toml")
    text = text.replace(total, f'{total}, note = {{type = "string"}}')
    reading_records.session.set_text("agent.toml", text, "Add a note")
    for tell in (
        lambda: reading_records.sentences.preview(f"The agent must not pay an invoice if {said}."),
        lambda: say(reading_records, "The boss", f"The agent must not pay an invoice if {said}."),
    ):
        with pytest.raises(WorkbenchError) as refused:
            tell()
        assert f"say “{before} and …”" in str(refused.value)
        assert "policy.py" not in str(refused.value)
        assert "None" not in str(refused.value)


def test_a_sentence_that_names_a_condition_states_no_rule_and_later_ones_use_it(bench: Workbench) -> None:
    first, second = [one.requirement.text for one in bench.rewordings.all()][:2]
    named = "In calls to pay an invoice, that the invoice is large means that the total is more than 3,000."
    say(bench, first, named)
    assert states(bench)[first] is SentenceState.CONTEXT
    say(bench, second, "The agent must not pay an invoice if the invoice is large.")
    assert states(bench)[second] is SentenceState.REWORDED
    assert "That the invoice is large means that the total is more than 3,000." in {
        one.text for one in bench.sentences.aloud()
    }
    written = bench.session.written
    say(bench, first, named)  # a form is said again
    assert bench.session.written == written
    say(bench, first, named.replace("3,000", "4,000"))
    assert 'call.total > Decimal("4000")' in bench.session.written
    two = (named, named.replace("3,000", "5,000"))
    with pytest.raises(WorkbenchError, match="is given two meanings at once"):
        bench.rewordings.preview([Reworded(first, two)])
    other = "In calls to get an invoice, that the invoice is large means that the time of day is after 22:00."
    with pytest.raises(WorkbenchError, match="has a meaning already, about other calls"):
        bench.rewordings.preview([Reworded(second, (other,))])
