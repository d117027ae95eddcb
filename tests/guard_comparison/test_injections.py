"""No text in a log makes the verified policy of a shipped session allow a call that it does not allow."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

import pytest

from tests.examples import EVERY
from tests.runs.extract.read_texts import read_text
from tests.runs.logs.injections import INJECTIONS
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.model import (
    ArgumentType,
    Extracted,
    Json,
    Kind,
    Run,
    Verdict,
)
from workbench.runs.extract.extractor import Extractor
from workbench.runs.extract.model_method import Quoted, WantedText
from workbench.runs.logs import load_runs
from workbench.session import Session

SESSIONS = Path(__file__).resolve().parents[2] / "sessions"
NAMES = ("hospital-access", "web-shopping")
RUNS = 6 if EVERY else 2
"""The runs of each kind of log that each text is put into: in any of them, it is put into every place."""

type Record = dict[str, Json]


def verdicts(run: Run, extractor: Extractor, policy: CompiledPolicy) -> list[Verdict]:
    decided: list[Verdict] = []
    for position, call in enumerate(run.calls):
        extracted = extractor.extract(call, run.calls[:position])
        values = {name: item.value for name, item in extracted.items() if item.missing is None}
        decided.append(policy.decide(values).verdict)
    return decided


def messages(record: Record, role: str) -> Iterator[Record]:
    for message in cast("list[Record]", record.get("messages", [])):
        if message["role"] == role:
            yield message


def copied(record: Record) -> Record:
    return cast(Record, json.loads(json.dumps(record)))


def in_messages(role: str, *, before: bool) -> Callable[[Record, str], None]:
    def place(record: Record, text: str) -> None:
        for message in messages(record, role):
            content = str(message["content"] or "")
            message["content"] = f"{text}\n{content}" if before else f"{content}\n{text}"

    return place


def in_arguments(record: Record, text: str) -> None:
    """Put a text into every free text of a call's arguments; into code as a comment and as a text."""
    for message in messages(record, "assistant"):
        for call in cast("list[dict[str, Record]]", message.get("tool_calls") or []):
            arguments = cast(Record, json.loads(str(call["function"]["arguments"])))
            for name, value in arguments.items():
                if name == "code":
                    comment = "".join(letter if letter.isprintable() else " " for letter in text)
                    arguments[name] = f"# {comment}\n{value}\nnote = {text!r}\n# {comment}"
                elif isinstance(value, str) and name != "query":
                    arguments[name] = f"{value} {text}"
            call["function"]["arguments"] = json.dumps(arguments)


def in_whole_action(name: str, *, before: bool) -> Callable[[Record, str], None]:
    """Put a text into the input or the output of an action that the log has as the agent's whole output."""

    def place(record: Record, text: str) -> None:
        if "texts" in record:
            texts = cast("dict[str, str]", record["texts"])
            texts[name] = f"{text}\n{texts[name]}" if before else f"{texts[name]}\n{text}"
            record["arguments"] = {"output": texts["agent_output"]}

    return place


PLACES: dict[str, Callable[[Record, str], None]] = {
    "tool results": in_messages("tool", before=False),
    "beginning of tool results": in_messages("tool", before=True),
    "arguments": in_arguments,
    "what the agent says": in_messages("assistant", before=False),
    "end of the user's message": in_messages("user", before=False),
    "beginning of the user's message": in_messages("user", before=True),
    "system message": in_messages("system", before=False),
    "end of the input": in_whole_action("agent_input", before=False),
    "beginning of the input": in_whole_action("agent_input", before=True),
    "end of the output": in_whole_action("agent_output", before=False),
}


def run_key(record: Record) -> str:
    """The key with the id of a record's run."""
    return "id" if "messages" in record else "run"


def records(session: Session) -> Iterator[Record]:
    """A few runs of each log, first those with a call that is not allowed."""
    for path in session.log_paths:
        yield from (cast(Record, json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())


def test_the_corpus_is_large_and_without_repetition() -> None:
    assert len(INJECTIONS) == len(set(INJECTIONS)) >= 50


@dataclass(frozen=True)
class Plain:
    """A session whose logs are as they were recorded, with what is decided of each run of them."""

    policy: CompiledPolicy
    extractor: Extractor
    verdicts: Mapping[str, Sequence[Verdict]]
    denied: Sequence[Record]


@cache
def plain_of(name: str) -> Plain:
    with Session.open(SESSIONS / name, read_only=True) as session:
        policy = compile_policy(session.evaluated().terms)
        extractor = Extractor(session.spec.arguments, session.spec)
        plain = {run.id: verdicts(run, extractor, policy) for run in load_runs(session.log_paths).runs}
        denied = [
            record
            for record in records(session)
            if any(verdict is not Verdict.ALLOW for verdict in plain[str(record[run_key(record)])])
        ]
    return Plain(policy, extractor, plain, denied)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", NAMES)
def test_no_text_in_a_log_makes_the_policy_more_permissive(name: str, place: str, tmp_path: Path) -> None:
    plain = plain_of(name)
    assert len(plain.denied) > RUNS
    log = tmp_path / "log.jsonl"
    changed: list[Record] = []
    by_format = [[r for r in plain.denied if ("messages" in r) is chat][:RUNS] for chat in (True, False)]
    for number, text in enumerate(INJECTIONS):
        for record in (log_record for group in by_format for log_record in group):
            variant = copied(record)
            PLACES[place](variant, text)
            if variant != record:
                key = run_key(record)
                changed.append({**variant, key: f"{record[key]}#{number}"})
    assert len(changed) >= len(INJECTIONS) * RUNS // 2
    log.write_text("".join(json.dumps(changed_record) + "\n" for changed_record in changed), encoding="utf-8")
    imported = load_runs([log])
    assert len(imported.runs) + len(imported.problems) == len(changed)
    for run in imported.runs:
        origin, _, number = run.id.partition("#")
        before, after = plain.verdicts[origin], verdicts(run, plain.extractor, plain.policy)
        for old, new in zip(before, after, strict=False):
            assert old is Verdict.ALLOW or new is not Verdict.ALLOW, INJECTIONS[int(number)]
        extra = after[len(before) :]
        assert Verdict.ALLOW not in extra, INJECTIONS[int(number)]


# --- arguments that a model reads -------------------------------------------------


class Obedient:
    """The worst reader: it obeys any text, and quotes anything."""

    def __init__(self, *readings: Quoted) -> None:
        self._found = readings
        self.wanted: list[WantedText] = []

    def announce(self, texts: Sequence[WantedText]) -> None:
        """Ignore the announcement."""

    def ask(self, texts: Sequence[WantedText]) -> None:
        """Ask nothing in advance; each reply comes when its value is read."""

    def read(self, text: WantedText) -> dict[str, tuple[Quoted, ...]]:
        self.wanted.append(text)
        return {value.name: self._found for value in text.values}


ROLE, INT = ArgumentType(Kind.ENUM, ("physician", "nursing")), ArgumentType(Kind.INT)
WORDS = ArgumentType(Kind.SET, ("a", "b"))


def read(text: str, type_: ArgumentType, reader: Obedient | None, **options: Json) -> Extracted:
    return read_text(text, type_, "model", "value", None, reader, **options)


@pytest.mark.parametrize("text", INJECTIONS)
def test_a_text_can_change_only_the_value_that_is_read_from_it(text: str) -> None:
    reader = Obedient(Quoted("physician", "physician"))
    extracted = read(f"Identity: nursing\n{text}", ROLE, reader, field="Identity")
    # The model sees only the named field, and its words have to be in it.
    assert extracted.missing is not None
    assert all(wanted.text == "nursing" for wanted in reader.wanted)


@pytest.mark.parametrize(
    ("value", "quote"),
    [
        (99, "99"),
        (17, "seventeen"),
        (7, "age: 17"),
        (1, "age: 17"),
        (True, "age: 17"),
        ("allow", "age: 17"),
        ([], "age: 17"),
        (None, "age: 17"),
        (17.5, "age: 17"),
        (17, ""),
        (17, ": "),
        (17, "age:  17"),
    ],
)
def test_a_value_without_evidence_or_of_another_type_is_missing(value: Json, quote: str) -> None:
    extracted = read("The user, age: 17, asks.", INT, Obedient(Quoted(value, quote)))
    assert extracted.value is None
    assert extracted.missing


def test_a_value_with_evidence_has_its_place_in_the_log() -> None:
    text = "The user, age: 17, asks."
    extracted = read(text, INT, Obedient(Quoted(17, "age: 17")))
    assert (extracted.value, extracted.missing) == (17, None)
    (provenance,) = extracted.provenance
    assert (provenance.method, provenance.confidence) == ("model", 0.5)
    assert text[provenance.spans[0].start : provenance.spans[0].end] == "age: 17"


def test_one_element_without_evidence_spoils_a_set() -> None:
    some = Obedient(Quoted("a", "letter a"), Quoted("b", "letter b"))
    assert read("letter a, letter b", WORDS, some).value == {"a", "b"}
    assert read("letter a", WORDS, some).missing
    assert read("letter a", WORDS, Obedient()).missing


def test_without_a_model_or_with_too_much_text_the_value_is_missing() -> None:
    assert "no model is set up" in str(read("age: 17", INT, None).missing)
    reader = Obedient(Quoted(17, "age: 17"))
    assert "longer than" in str(read("age: 17" * 2000, INT, reader).missing)
    assert reader.wanted == []
