"""Readings of texts in policies of calls: their surface, their values, what is refused."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from workbench.dialect.call_types import agent_types
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
from workbench.dialect.stub import stub
from workbench.engines.compiled.compile import compile_policy
from workbench.files.file_error import FileError
from workbench.guard.exported_reading import reading_for
from workbench.model import (
    AgentSpec,
    Decision,
    Extracted,
    Json,
    RecordedCall,
    Run,
    Verdict,
    WorkbenchError,
)
from workbench.policy.problems import PolicyError
from workbench.policy.term_text import render_term
from workbench.runs.extract.extractor import Extractor
from workbench.runs.extract.model_method import Quoted, WantedText
from workbench.runs.extract.text_readings import LONGEST
from workbench.runs.replay.decide import replay
from workbench.session.agent_file import read_agent, write_agent

AGENT = """\
name = "desk"

[tools.send_mail.parameters]
type = "object"
required = ["body", "to", "amount"]

[tools.send_mail.parameters.properties]
body = {type = "string"}
note = {type = "string"}
to = {type = "string"}
amount = {type = "number"}
lines = {type = "array", items = {type = "string"}}

[tools.read_inbox]
parameters = {type = "object", properties = {}, required = []}

[readings.topic]
type = "enum"
values = ["refund", "talk"]
texts = ["SendMail.body", "SendMail.note"]
extract = {method = "phrases", categories = {refund = ["refund", "money back"], talk = ["chat"]}}

[readings.web_addresses]
type = "list"
of = "str"
extract = {method = "regex", pattern = 'https?://\\S+'}

[readings.amounts]
type = "list"
of = "decimal"
extract = {method = "regex", pattern = '\\d+'}

[readings.payees]
type = "set"
extract = {method = "regex", pattern = '^to: (\\S+)$'}

[readings.sender]
type = "str"
extract = {method = "field", key = "Sender"}
"""
HEAD = '''\
"""Mail."""

from nagini_contracts.contracts import Ensures, Implies, Result

from agent import ReadInbox, Run, SendMail

DEFAULT = "allow"
KNOWN = {"user", "read_inbox"}


'''


@pytest.fixture(scope="module")
def spec() -> AgentSpec:
    return read_agent(AGENT)


def policy(condition: str, spec: AgentSpec) -> LoweredPolicy:
    rule = f'def forbid_it(call: SendMail, run: Run) -> bool:\n    """R1: No."""\n    return {condition}\n'
    return lowered_policy(HEAD + rule, spec)


def mail(said: str = "", before: Sequence[str | None] = (), **arguments: Json) -> Run:
    """A run that reads the inbox with these results and then sends a mail."""
    texts = {"all_user": said}
    earlier = [
        RecordedCall("r", number, "read_inbox", {}, texts, result=result)
        for number, result in enumerate(before)
    ]
    values: dict[str, Json] = {"body": "", "to": "Bob", "amount": 1, **arguments}
    own = {f"arguments.{name}": value for name, value in values.items() if isinstance(value, str)}
    decided = RecordedCall("r", len(before), "send_mail", values, {**texts, **own})
    return Run("r", (*earlier, decided), "test")


def decided(condition: str, run: Run, spec: AgentSpec) -> Decision:
    lowered = policy(condition, spec)
    *_, last = replay(compile_policy(lowered.terms), Extractor(lowered.arguments, spec), [run])
    return last.decision


def extracted(condition: str, run: Run, spec: AgentSpec) -> Mapping[str, Extracted]:
    return Extractor(policy(condition, spec).arguments, spec).extract(run.calls[-1], run.calls[:-1])


# --- values -------------------------------------------------------------------------


DECIDED = (
    ('call.body.topic == "refund"', mail(body="I want my money back"), Verdict.DENY),
    ('call.body.topic == "refund"', mail(body="let us chat"), Verdict.ALLOW),
    ('call.body.topic == "refund"', mail(body="what may this be?"), Verdict.CANNOT_EVALUATE),
    ('call.note is not None and call.note.topic == "refund"', mail(), Verdict.ALLOW),
    ('call.note is not None and call.note.topic == "refund"', mail(note="refund"), Verdict.DENY),
    ("any(one.startswith('https://evil') for one in call.body.web_addresses)", mail(body="x"), Verdict.ALLOW),
    (
        "any(one.startswith('https://evil') for one in call.body.web_addresses)",
        mail(body="https://evil.example"),
        Verdict.DENY,
    ),
    (
        "any(not any(place in KNOWN for place in one.source) for one in call.body.web_addresses)",
        mail("See https://a.example.", body="https://a.example and https://b.example"),
        Verdict.DENY,
    ),
    (
        "any(not any(place in KNOWN for place in one.source) for one in call.body.web_addresses)",
        mail("See https://a.example.", ["https://b.example"], body="https://a.example https://b.example"),
        Verdict.ALLOW,
    ),
    (
        "any(call.to in c.result.payees for c in run.earlier(ReadInbox))",
        mail(before=["to: Bob"]),
        Verdict.DENY,
    ),
    (
        "any(call.to in c.result.payees for c in run.earlier(ReadInbox))",
        mail(before=["to: Eve"]),
        Verdict.ALLOW,
    ),
    (
        "any(call.to in c.result.payees for c in run.earlier(ReadInbox))",
        mail(before=["to: Eve", None]),
        Verdict.CANNOT_EVALUATE,
    ),
    (
        "any(call.to in c.result.payees for c in run.earlier(ReadInbox))",
        mail(before=[None, "to: Bob"]),
        Verdict.DENY,
    ),
    ("any('a' in line.sender for line in call.lines)", mail(lines=["Sender: ada"]), Verdict.DENY),
    (
        "any('a' in line.sender for line in call.lines)",
        mail(lines=["Sender: bo", "ada"]),
        Verdict.CANNOT_EVALUATE,
    ),
    (
        "call.amount not in run.said.sentences_with(call.to).amounts",
        mail("Send Bob 7. Send Eve 9.", amount=9),
        Verdict.DENY,
    ),
    (
        "call.amount not in run.said.sentences_with(call.to).amounts",
        mail("Send Bob 7. Send Eve 9.", amount=7),
        Verdict.ALLOW,
    ),
    ("len(call.body.sender.amounts) > 0", mail(body="9\nSender: room 7"), Verdict.DENY),
    ("len(call.body.sender.amounts) > 0", mail(body="9\nSender: nobody"), Verdict.ALLOW),
)


@pytest.mark.parametrize(("condition", "run", "verdict"), DECIDED)
def test_a_reading_decides(condition: str, run: Run, verdict: Verdict, spec: AgentSpec) -> None:
    assert decided(condition, run, spec).verdict is verdict


def test_without_the_words_of_the_user_nothing_is_known_of_them(spec: AgentSpec) -> None:
    run = mail()
    silent = Run("r", (RecordedCall("r", 0, "send_mail", run.calls[0].arguments, {}),), "test")
    verdict = decided("7 in run.said.amounts", silent, spec)
    assert verdict.verdict is Verdict.CANNOT_EVALUATE
    assert "all that the user said" in " ".join(verdict.reasons)


def test_a_value_points_to_the_characters_that_it_came_from(spec: AgentSpec) -> None:
    said = "Hello. Send Bob 7 or 8. Send Eve 9."
    found = extracted("call.amount in run.said.sentences_with(call.to).amounts", mail(said), spec)
    value = found["send_mail_said_sentences_with_amounts"]
    assert value.value == (Decimal(7), Decimal(8))
    assert [
        said[span.start : span.end]
        for place in value.provenance
        if place.text == "all_user"
        for span in place.spans
    ] == ["7", "8"]
    body = "I want my money back"
    topic = extracted('call.body.topic == "refund"', mail(body=body), spec)["send_mail_body_topic"]
    (place,) = topic.provenance
    assert (place.method, place.text) == ("phrases", "arguments.body")
    assert [body[span.start : span.end] for span in place.spans] == ["money back"]


@given(
    st.lists(st.sampled_from(("Bob", "Eve", "7", "9", ".", "\n", "send", "x9")), max_size=12),
    st.integers(0, 9),
)
@settings(max_examples=examples(60))
def test_the_sentences_with_a_value_are_read_as_each_by_itself(words: list[str], amount: int) -> None:
    agent = read_agent(AGENT)
    said = " ".join(words)
    found = extracted(
        "call.amount in run.said.sentences_with(call.to).amounts", mail(said, amount=amount), agent
    )
    value = found["send_mail_said_sentences_with_amounts"].value
    expected = [
        digit
        for line in said.replace(".", ".\n").split("\n")
        if "Bob" in line.split()
        for word in line.replace("x", " ").split()
        for digit in (word.strip("."),)
        if digit.isdigit()
    ]
    assert isinstance(value, tuple)
    assert {str(one) for one in value} == set(expected)


# --- models -------------------------------------------------------------------------


class Answers:
    """A model that answers from a list, and counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[WantedText] = []

    def announce(self, texts: Sequence[WantedText]) -> None:
        """Nothing to tell."""

    def ask(self, texts: Sequence[WantedText]) -> None:
        """Note what is asked ahead."""
        self.asked += texts

    def read(self, text: WantedText) -> Mapping[str, tuple[Quoted, ...]]:
        """The word after the name of a reading."""
        words = text.text.split()
        found = dict(itertools.pairwise(words))
        return {
            value.name: (Quoted(found[value.name], f"{value.name} {found[value.name]}"),)
            if value.name in found
            else ()
            for value in text.values
        }


BY_MODEL = (
    AGENT
    + """
[readings.mood]
type = "enum"
values = ["glad", "angry"]
description = "how the writer feels"
extract = {method = "model"}
"""
)


def test_a_model_reads_a_text_alone_and_only_if_it_can_be_asked() -> None:
    agent, reader = read_agent(BY_MODEL), Answers()
    lowered = policy('call.body.mood == "angry"', agent)
    run = mail(body="mood angry")
    extractor = Extractor(lowered.arguments, agent, reader)
    assert extractor.asks_model
    found = extractor.extract(run.calls[-1])["send_mail_body_mood"]
    assert found.value == "angry"
    assert [([value.name for value in one.values], one.text) for one in reader.asked] == [
        (["mood"], "mood angry")
    ]
    assert found.provenance[0].text == "arguments.body"
    assert found.provenance[0].spans[0].end == len("mood angry")
    without = Extractor(lowered.arguments, agent).extract(run.calls[-1])["send_mail_body_mood"]
    assert without.missing is not None and "no model is set up" in without.missing


def test_what_a_model_reads_in_the_same_part_of_the_same_texts_is_asked_by_one_call() -> None:
    more = """
[readings.tone]
type = "enum"
values = ["loud", "low"]
extract = {method = "model"}
[readings.topic_line]
type = "str"
extract = {method = "model", field = "Topic"}
[readings.wish]
type = "str"
texts = ["Run.said"]
extract = {method = "model"}
"""
    agent, reader = read_agent(BY_MODEL + more), Answers()
    run = mail(body="mood angry tone low")
    both = Extractor(
        policy('call.body.mood == "angry" and call.body.tone == "low"', agent).arguments, agent, reader
    )
    found = both.extract(run.calls[-1])
    assert [found[f"send_mail_body_{name}"].value for name in ("mood", "tone")] == ["angry", "low"]
    # A rule that reads one of them asks for both: what is asked about a text does not depend on the call.
    alone = Extractor(policy('call.body.tone == "low"', agent).arguments, agent, reader)
    alone.extract(run.calls[-1])
    assert {tuple(value.name for value in one.values) for one in reader.asked} == {("mood", "tone")}
    # What it does not find of one stays unknown beside what it finds of the other.
    partly = both.extract(mail(body="mood angry").calls[-1])
    assert partly["send_mail_body_mood"].value == "angry"
    assert "found nothing" in str(partly["send_mail_body_tone"].missing)


# --- proofs -------------------------------------------------------------------------


def test_equal_texts_have_equal_readings(spec: AgentSpec) -> None:
    lowered = policy(
        "call.note is not None and call.note == call.body"
        ' and call.note.topic == "refund" and call.body.topic == "talk"',
        spec,
    )
    (axiom,) = lowered.terms.axioms
    assert render_term(axiom.term) == (
        "not (send_mail_note is not None and send_mail_note == send_mail_body)"
        " or send_mail_note_topic == send_mail_body_topic"
    )


# --- the file and its stub ----------------------------------------------------------


def test_the_readings_of_a_file_stay(spec: AgentSpec) -> None:
    assert read_agent(write_agent(spec)) == spec
    changed = AGENT.replace('key = "Sender"', 'key = "Author"')
    assert read_agent(write_agent(read_agent(changed), AGENT)) == read_agent(changed)


def test_an_exported_file_has_the_readings_that_are_used(spec: AgentSpec) -> None:
    lowered = policy('call.body.topic == "refund"', spec)
    names = [argument.name for argument in lowered.arguments]
    reading = reading_for(names, lowered.arguments, spec, ())
    assert [one.name for one in reading.spec.readings] == ["topic"]


def test_the_stub_has_the_readings_of_texts(spec: AgentSpec) -> None:
    text = stub(agent_types(spec))
    assert '    topic: Literal["refund", "talk"]\n    """Only of SendMail.body, SendMail.note."""' in text
    assert "    amounts: tuple[Decimal, ...]" in text
    assert "    said: Text" in text
    assert "    lines: tuple[Text, ...]" in text


# --- what is refused ----------------------------------------------------------------


REFUSED = (
    ('[readings.topic2]\ntype = "str"\nextract = {method = "regexx", pattern = "a"}', 'method "regexx"'),
    ('[readings.sender]\ntype = "str"\nextract = {method = "regex", pattern = "a"}', "readings"),
    (
        '[readings.title]\ntype = "str"\nextract = {method = "regex", pattern = "a"}',
        '"title" needs a free name',
    ),
    (
        '[readings.source]\ntype = "str"\nextract = {method = "regex", pattern = "a"}',
        '"source" needs a free name',
    ),
    (
        '[readings.programs]\ntype = "set"\nextract = {method = "regex", pattern = "a"}',
        'part of the kind "command"',
    ),
    (
        '[readings.x]\ntype = "str"\noptional = true\nextract = {method = "regex", pattern = "a"}',
        '"x" cannot be optional',
    ),
)


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_a_wrong_reading_is_refused_in_one_sentence(text: str, message: str) -> None:
    with pytest.raises(FileError, match=message):
        read_agent(f"{AGENT}\n{text}\n")


MISTAKES = (
    ('[readings.to]\ntype = "str"\nextract = {method = "regex", pattern = "a"}', "field `SendMail.to`"),
    (
        '[readings.x]\ntype = "str"\ntexts = ["SendMail.bodi"]\nextract = {method = "regex", pattern = "a"}',
        'unknown text "SendMail.bodi". Did you mean "SendMail.body"?',
    ),
)


@pytest.mark.parametrize(("text", "message"), MISTAKES)
def test_a_reading_that_fits_no_class_is_refused(text: str, message: str) -> None:
    with pytest.raises(WorkbenchError) as refused:
        agent_types(read_agent(f"{AGENT}\n{text}\n"))
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ('method = "regex", pattern = "a", text = "user"', "there is no option 'text'"),
        ('method = "regex", pattern = "("', "does not compile"),
        ('method = "phrases", categories = {a = ["b"]}, cats = 1', "no option 'cats'"),
    ],
)
def test_a_wrong_option_is_refused_in_one_sentence(options: str, message: str) -> None:
    agent = read_agent(f'{AGENT}\n[readings.x]\ntype = "str"\nextract = {{{options}}}\n')
    with pytest.raises(WorkbenchError) as refused:
        Extractor(policy("call.amount > 1", agent).arguments, agent)
    assert str(refused.value).startswith("In reading x, extraction ") and message in str(refused.value)


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ('call.to.topic == "refund"', "`topic` is no reading of this text"),
        ('call.note.topic == "refund"', "`call.note` may be None here"),
        ("call.body.amounts > 1", "A list cannot be compared"),
        ("call.body.sentences_with() == ''", "takes one value"),
        ("call.amount.topic == 'refund'", "A Decimal has no fields"),
    ],
)
def test_a_wrong_use_is_reported(condition: str, message: str, spec: AgentSpec) -> None:
    with pytest.raises(PolicyError) as refused:
        policy(condition, spec)
    assert message in str(refused.value)


def test_a_huge_text_and_a_slow_pattern_are_not_determinable() -> None:
    slow = '[readings.slow]\ntype = "set"\nextract = {method = "regex", pattern = "(a|a)+$"}'
    agent = read_agent(f"{AGENT}\n{slow}\n")
    huge = decided("len(call.body.amounts) > 0", mail(body="1" * (LONGEST + 1)), agent)
    assert huge.verdict is Verdict.CANNOT_EVALUATE and "1,000,000" in " ".join(huge.reasons)
    body = mail(body="a" * 100_000 + "b")
    assert decided('"x" in call.body.slow', body, agent).verdict is Verdict.CANNOT_EVALUATE
