"""A desk that pays invoices by a policy of calls, and what is said to it: the oracle of its histories.

Nothing here reads a request, a rule or an answer. Each sentence of the language stands beside a predicate
that a reader would agree to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from tests.app.stateful.moment import DeskCall
from workbench.guard import Guard, Outcome, ToolCall
from workbench.model import Verdict

PAY, LOOK, NOTE = "pay_invoice", "get_invoice", "send_note"
PERMIT_LOOK, FORBID_LOOK = "The agent may always get an invoice.", "The agent must never get an invoice."
PERMIT_NOTE, FORBID_NOTE = "The agent may always send a note.", "The agent must never send a note."

type Applies = Callable[[DeskCall], bool]


class Form(StrEnum):
    """What a sentence of the language does with the calls that it applies to."""

    PERMIT = "permit"
    FORBID = "forbid"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence of the language, and the calls of a tool that it applies to.

    ``bound`` is the number in it, and ``flipped`` the same sentence with the bound on its other side.
    """

    text: str
    form: Form
    tool: str
    applies: Applies
    bound: int = 0
    flipped: str = ""


def _always(tool: str) -> Applies:
    return lambda call: call.tool == tool


def _pays(condition: Callable[[int, str], bool]) -> Applies:
    return lambda call: call.tool == PAY and condition(call.amount or 0, call.role)


def _two(form: Form, start: str, words: tuple[str, str], bound: int, *conditions: Applies) -> list[Saying]:
    """A sentence with a bound, and the one with the other side of it."""
    texts = [f"{start} if the total is {word} {bound}." for word in words]
    return [
        Saying(text, form, PAY, condition, bound, other)
        for text, other, condition in zip(texts, reversed(texts), conditions, strict=True)
    ]


_MAY, _MUST_NOT = "The agent may pay an invoice", "The agent must not pay an invoice"
_APPROVED = f"{_MAY} only with the approval of a person"
UP_TO = _two(
    Form.PERMIT,
    _MAY,
    ("at most", "less than"),
    100,
    _pays(lambda n, _: n <= 100),
    _pays(lambda n, _: n < 100),
)
BELOW = _two(
    Form.PERMIT,
    _MAY,
    ("less than", "at most"),
    150,
    _pays(lambda n, _: n < 150),
    _pays(lambda n, _: n <= 150),
)
SIGNED = _two(
    Form.ASK,
    _APPROVED,
    ("more than", "at least"),
    50,
    _pays(lambda n, _: n > 50),
    _pays(lambda n, _: n >= 50),
)
LIMIT = _two(
    Form.FORBID,
    _MUST_NOT,
    ("more than", "at least"),
    150,
    _pays(lambda n, _: n > 150),
    _pays(lambda n, _: n >= 150),
)
BAD = Saying(f"{_MUST_NOT} if the supplier is “bad”.", Form.FORBID, PAY, _pays(lambda _, who: who == "bad"))
NEVER = Saying("The agent must never pay an invoice.", Form.FORBID, PAY, _always(PAY))
ALWAYS = Saying("The agent may always pay an invoice.", Form.PERMIT, PAY, _always(PAY))
NOTES = Saying(PERMIT_NOTE, Form.PERMIT, NOTE, _always(NOTE))
NO_NOTES = Saying(FORBID_NOTE, Form.FORBID, NOTE, _always(NOTE))
LOOKS = Saying(PERMIT_LOOK, Form.PERMIT, LOOK, _always(LOOK))
NO_LOOKS = Saying(FORBID_LOOK, Form.FORBID, LOOK, _always(LOOK))
SAYINGS: Mapping[str, Saying] = {
    one.text: one
    for one in (*UP_TO, *BELOW, *SIGNED, *LIMIT, BAD, NEVER, ALWAYS, NOTES, NO_NOTES, LOOKS, NO_LOOKS)
}

SENTENCES: Mapping[str, tuple[tuple[Saying, ...], ...]] = {
    "Up to 100 is paid.": ((UP_TO[0],), (UP_TO[1],), (UP_TO[0], LOOKS)),
    "Nothing larger, 150 say.": ((LIMIT[0],), (LIMIT[1],), (BELOW[0],)),
    "Suppliers of ill repute get nothing.": ((BAD,), (NEVER,)),
    "The boss signs what is above 50.": ((SIGNED[0],), (SIGNED[1],)),
    "Notes and questions are always welcome.": ((NOTES,), (NOTES, LOOKS), (ALWAYS,)),
}
"""The sentences of the request, each with what a person may say that it means."""
EDITED: Mapping[str, str] = {"Up to 100 is paid.": "Up to 100 euros is paid."}
"""A sentence of the request, and what another hand makes of it, which means the same."""


@dataclass(frozen=True, slots=True)
class Said:
    """All that stands: the request, what its sentences mean, and what was answered.

    ``rules`` has the sayings for each sentence that has some, also for one that the request has lost, and
    ``context`` the sentences that state no rule. ``answers`` has the text that was chosen for each question
    about a bound or a conflict, with the sentence that it is about. ``beside`` is what answers say of tools
    without a rule. ``touched`` says that a person changed the policy by hand,
    ``known`` that this is no moment inside an act.
    """

    request: tuple[str, ...]
    rules: Mapping[str, tuple[Saying, ...]] = field(default_factory=dict[str, tuple[Saying, ...]])
    context: frozenset[str] = frozenset()
    answers: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    beside: tuple[Saying, ...] = ()
    touched: bool = False
    known: bool = True

    @property
    def gone(self) -> frozenset[str]:
        """The sentences that have rules, and that the request has lost."""
        return frozenset(self.rules) - frozenset(self.request)

    @property
    def open(self) -> frozenset[str]:
        """The sentences of the request of which nothing says what they mean."""
        return frozenset(self.request) - frozenset(self.rules) - self.context

    @property
    def every(self) -> tuple[Saying, ...]:
        """All sayings that stand."""
        return (*(one for said in self.rules.values() for one in said), *self.beside)

    @property
    def against_answers(self) -> frozenset[str]:
        """The questions whose answer is no longer what is said: the same bound stands with its other side."""
        texts = {sentence: {one.text for one in said} for sentence, said in self.rules.items()}
        flipped = {
            question: SAYINGS[chosen].flipped in texts.get(sentence, ())
            for question, (sentence, chosen) in self.answers.items()
            if chosen in SAYINGS
        }
        return frozenset(question for question, is_against in flipped.items() if is_against)

    def decides(self, call: DeskCall) -> Verdict:
        """What was said about a call: what is forbidden wins, then the question, then the permission."""
        forms = {one.form for one in self.every if one.applies(call)}
        if Form.FORBID in forms or Form.PERMIT not in forms:
            return Verdict.DENY
        return Verdict.ASK if Form.ASK in forms else Verdict.ALLOW

    def demands(self, sentence: str, calls: tuple[DeskCall, ...]) -> bool:
        """Whether something said for a sentence decides one of these calls, as its clause then demands."""
        verdicts = {Form.PERMIT: (Verdict.ALLOW,), Form.FORBID: (Verdict.DENY,), Form.ASK: (Verdict.ASK,)}
        return any(
            one.applies(call) and self.decides(call) in verdicts[one.form]
            for one in self.rules.get(sentence, ())
            for call in calls
        )

    def saying(self, sentence: str, sayings: tuple[Saying, ...]) -> Said:
        """With other sayings for a sentence."""
        before = next((old for old, new in EDITED.items() if new == sentence and old in self.gone), "")
        kept = {text: said for text, said in self.rules.items() if text not in (sentence, before)}
        return replace(self, rules={**kept, sentence: sayings} if sayings else kept)

    def answered(self, question: str, sentence: str, chosen: str) -> Said:
        """With the text that was chosen for a question about a sentence."""
        return replace(self, answers={**self.answers, question: (sentence, chosen)})

    def retracted(self, question: str) -> Said:
        """Without an answer, whose consequences stay."""
        return replace(self, answers={name: item for name, item in self.answers.items() if name != question})


@dataclass(frozen=True, slots=True)
class WrittenDesk:
    """The desk as guards and logs see it. The role of a call is the supplier."""

    amounts: tuple[int, ...] = (50, 51, 100, 101, 150, 151)

    def calls(self) -> tuple[DeskCall, ...]:
        """Payments around every bound to a good and a bad supplier, and the calls of the other tools."""
        pays = [DeskCall(PAY, amount, who, True) for amount in self.amounts for who in ("good", "bad")]
        return (*pays, DeskCall(LOOK, None, "", True), DeskCall(NOTE, None, "", True))

    def arguments(self, call: DeskCall) -> dict[str, object]:
        """The arguments of a call."""
        if call.tool == PAY:
            return {"invoice_id": "I-1", "total": call.amount, "supplier": call.role}
        return {"invoice_id": "I-1"} if call.tool == LOOK else {"text": "paid"}

    def guarded(self, guard: Guard, call: DeskCall) -> Outcome:
        """The decision of a guard on a call, in a run of its own."""
        with guard.run() as run:
            return run.check(ToolCall(call.tool, json.loads(json.dumps(self.arguments(call)))))

    def log_lines(self) -> Iterator[str]:
        """The log: a run for each call."""
        for number, call in enumerate(self.calls()):
            function = {"name": call.tool, "arguments": json.dumps(self.arguments(call))}
            calls = [{"id": f"c{number}", "type": "function", "function": function}]
            done = {"role": "assistant", "content": None, "tool_calls": calls}
            yield json.dumps({"id": f"run-{number}", "messages": [done]})


def request_text(sentences: tuple[str, ...]) -> str:
    """The request with these sentences, one a paragraph."""
    return "# What the desk may pay\n\n" + "\n\n".join(sentences) + "\n"


def write_desk(folder: Path, sentences: tuple[str, ...]) -> None:
    """Write the request, and the log that the desk has."""
    (folder / "request.md").write_text(request_text(sentences), encoding="utf-8")
    (folder / "log.jsonl").write_text("\n".join(WrittenDesk().log_lines()) + "\n", encoding="utf-8")
