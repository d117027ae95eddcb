"""A desk that pays invoices by a policy of calls, and what is said to it: the oracle of its histories.

Nothing here reads a request, a rule, an answer or an agent file. Each sentence of the language stands beside
a predicate that a reader would agree to; it is None where nobody knows, because the invoice was not looked up
or the log has no result.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from workbench.guard import Guard, Outcome, ToolCall
from workbench.model import Json, Verdict

PAY, LOOK, NOTE, GIFT = "pay_invoice", "get_invoice", "send_note", "send_gift"
PERMIT_LOOK, FORBID_LOOK = "The agent may always get an invoice.", "The agent must never get an invoice."
PERMIT_NOTE, FORBID_NOTE = "The agent may always send a note.", "The agent must never send a note."


@dataclass(frozen=True, slots=True)
class Step:
    """A call of a run, and what became of it.

    ``succeeded`` is None where the log has no result, ``blocked`` what a look-up says of the invoice.
    """

    tool: str
    amount: int = 0
    supplier: str = "good"
    invoice: str = "I-1"
    succeeded: bool | None = True
    blocked: bool = False

    @property
    def arguments(self) -> dict[str, Json]:
        """The arguments of the call."""
        if self.tool == PAY:
            return {"invoice_id": self.invoice, "total": self.amount, "supplier": self.supplier}
        return {"invoice_id": self.invoice} if self.tool == LOOK else {"text": "paid"}

    @property
    def result(self) -> str:
        """The result of the call, which it has unless its success is not known."""
        if not self.succeeded:
            return "Error: the books are closed"
        known: dict[str, Json] = {"invoice_id": self.invoice, "blocked": self.blocked}
        return json.dumps(known) if self.tool == LOOK else "done"


@dataclass(frozen=True, slots=True)
class RunCall:
    """A logged call, and the calls of its run before it."""

    step: Step
    before: tuple[Step, ...] = ()

    @property
    def tool(self) -> str:
        """The tool that is called."""
        return self.step.tool

    def earlier(self, tool: str, *, same: bool = False) -> bool | None:
        """Whether the run has a call of a tool that succeeded, with ``same`` for the same invoice."""
        found = [
            step.succeeded
            for step in self.before
            if step.tool == tool and (not same or step.invoice == self.step.invoice)
        ]
        return some(found)

    @property
    def blocked(self) -> bool | None:
        """Whether the invoice is blocked, as its last look-up says; None if there was none."""
        said = [step for step in self.before if step.tool == LOOK and step.invoice == self.step.invoice]
        return next((step.blocked for step in reversed(said) if step.succeeded), None)


type Applies = Callable[[RunCall], bool | None]


def negated(condition: bool | None) -> bool | None:
    """The opposite, which nobody knows of what nobody knows."""
    return None if condition is None else not condition


def some(conditions: Iterable[bool | None]) -> bool | None:
    """Whether one of them holds; None where that hangs on what nobody knows."""
    found = set(conditions)
    return True if True in found else None if None in found else False


class Form(StrEnum):
    """What a sentence of the language does with the calls that it applies to."""

    PERMIT = "permit"
    FORBID = "forbid"
    ASK = "ask"


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence of the language, and the calls of a tool that it applies to.

    ``bound`` is the number in it, and ``flipped`` the same sentence with the bound on its other side.
    ``reads`` has what it needs of the agent file: the total as a number, and the record of an invoice.
    ``parts`` are the prohibition and the permission of a prohibition with an exception.
    """

    text: str
    form: Form
    tool: str
    applies: Applies
    bound: int = 0
    flipped: str = ""
    reads: frozenset[str] = frozenset()
    parts: tuple[Saying, ...] = ()


TOTAL, RECORD = "total", "record"


def _always(tool: str) -> Applies:
    return lambda call: call.tool == tool


def _pays(condition: Callable[[int, str], bool]) -> Applies:
    return lambda call: call.tool == PAY and condition(call.step.amount, call.step.supplier)


def _paid(condition: Callable[[RunCall], bool | None]) -> Applies:
    return lambda call: call.tool == PAY and condition(call)


def _in_all(beyond: Callable[[int], bool]) -> Applies:
    """Whether the sum of what was paid in the run, this call included, is beyond a bound."""

    def applies(call: RunCall) -> bool | None:
        paid = [step for step in call.before if step.tool == PAY]
        least = call.step.amount + sum(step.amount for step in paid if step.succeeded)
        most = call.step.amount + sum(step.amount for step in paid if step.succeeded is not False)
        return beyond(least) if beyond(least) is beyond(most) else None

    return _paid(applies)


def _two(form: Form, start: str, words: tuple[str, str], bound: int, *conditions: Applies) -> list[Saying]:
    """A sentence with a bound, and the one with the other side of it."""
    texts = [f"{start} {word} {bound}." for word in words]
    return [
        Saying(text, form, PAY, condition, bound, other, frozenset({TOTAL}))
        for text, other, condition in zip(texts, reversed(texts), conditions, strict=True)
    ]


_MAY, _MUST_NOT = "The agent may pay an invoice", "The agent must not pay an invoice"
_APPROVED = f"{_MAY} only with the approval of a person"
_IF = "if the total is"
_SUM = "if the sum of the total of all earlier calls to pay an invoice that succeeded plus the total is"
UP_TO = _two(
    Form.PERMIT,
    f"{_MAY} {_IF}",
    ("at most", "less than"),
    100,
    _pays(lambda n, _: n <= 100),
    _pays(lambda n, _: n < 100),
)
BELOW = _two(
    Form.PERMIT,
    f"{_MAY} {_IF}",
    ("less than", "at most"),
    150,
    _pays(lambda n, _: n < 150),
    _pays(lambda n, _: n <= 150),
)
SIGNED = _two(
    Form.ASK,
    f"{_APPROVED} {_IF}",
    ("more than", "at least"),
    50,
    _pays(lambda n, _: n > 50),
    _pays(lambda n, _: n >= 50),
)
LIMIT = _two(
    Form.FORBID,
    f"{_MUST_NOT} {_IF}",
    ("more than", "at least"),
    150,
    _pays(lambda n, _: n > 150),
    _pays(lambda n, _: n >= 150),
)
IN_ALL = _two(
    Form.FORBID,
    f"{_MUST_NOT} {_SUM}",
    ("more than", "at least"),
    150,
    _in_all(lambda n: n > 150),
    _in_all(lambda n: n >= 150),
)
ONCE = Saying(
    f"{_MUST_NOT} if there was an earlier call to pay an invoice that succeeded.",
    Form.FORBID,
    PAY,
    _paid(lambda call: call.earlier(PAY)),
)
SEEN = Saying(
    f"{_MUST_NOT} unless there was an earlier call to get an invoice that succeeded "
    "(where its invoice id is the invoice id).",
    Form.FORBID,
    PAY,
    _paid(lambda call: negated(call.earlier(LOOK, same=True))),
)
BLOCKED = Saying(
    f"{_MUST_NOT} if the invoice exists and the invoice is marked blocked.",
    Form.FORBID,
    PAY,
    _paid(lambda call: call.blocked),
    reads=frozenset({RECORD}),
)
UNKNOWN = Saying(
    f"{_MUST_NOT} unless the invoice was looked up.",
    Form.FORBID,
    PAY,
    _paid(lambda call: call.blocked is None),
    reads=frozenset({RECORD}),
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
    for one in (
        *UP_TO, *BELOW, *SIGNED, *LIMIT, *IN_ALL, ONCE, SEEN, BLOCKED, UNKNOWN,
        BAD, NEVER, ALWAYS, NOTES, NO_NOTES, LOOKS, NO_LOOKS,
    )
}  # fmt: skip

SENTENCES: Mapping[str, tuple[tuple[Saying, ...], ...]] = {
    "Up to 100 is paid.": ((UP_TO[0],), (UP_TO[1],), (UP_TO[0], LOOKS)),
    "Nothing larger, 150 say.": ((LIMIT[0],), (LIMIT[1],), (BELOW[0],)),
    "Suppliers of ill repute get nothing.": ((BAD,), (NEVER,)),
    "The boss signs what is above 50.": ((SIGNED[0],), (SIGNED[1],)),
    "Notes and questions are always welcome.": ((NOTES,), (NOTES, LOOKS), (ALWAYS,)),
    "Nobody pays twice.": ((ONCE,), (IN_ALL[0],), (IN_ALL[1],)),
    "Look before you pay.": ((SEEN,), (BLOCKED,), (SEEN, BLOCKED)),
}
"""The sentences of the request, each with what a person may say that it means."""
EDITED: Mapping[str, str] = {"Up to 100 is paid.": "Up to 100 euros is paid."}
"""A sentence of the request, and what another hand makes of it, which means the same."""


@dataclass(frozen=True, slots=True)
class AgentFile:
    """What the agent file says that a rule may need, and what none needs.

    The record of an invoice, whether each payment has a total, a further tool, and a note. ``bad`` is one of
    ``SPOILED`` where the file cannot be read.
    """

    record: bool = True
    total_needed: bool = True
    gifts: bool = False
    note: str = ""
    bad: str = ""

    @property
    def readable(self) -> frozenset[str]:
        """What a rule can read."""
        found = {TOTAL: self.total_needed, RECORD: self.record}
        return frozenset(name for name, is_there in found.items() if is_there)

    @property
    def text(self) -> str:
        """The text of the file."""
        tools = {LOOK: ("invoice_id",), PAY: ("invoice_id", "total", "supplier"), NOTE: ("text",)}
        if self.gifts:
            tools[GIFT] = ("text",)
        parts = ['name = "desk"', f'description = "{self.note}"', 'errors = ["^Error"]']
        for tool, names in tools.items():
            properties = ", ".join(
                f'{name} = {{type = "{"number" if name == "total" else "string"}"}}' for name in names
            )
            needed = [name for name in names if name != "total" or self.total_needed]
            parts += [
                f"\n[tools.{tool}.parameters]", 'type = "object"', f"properties = {{{properties}}}",
                f"required = {json.dumps(needed)}", "additionalProperties = false",
            ]  # fmt: skip
        if self.record:
            parts += [
                "\n[records.invoice]", 'key = "invoice_id"', 'fields.blocked = {type = "bool"}',
                f'look_up = {{tool = "{LOOK}", arguments = {{invoice_id = "key"}}}}',
            ]  # fmt: skip
        text = "\n".join(parts) + "\n"
        return SPOILED[self.bad](text) if self.bad else text


SPOILED: Mapping[str, Callable[[str], str]] = {
    "no TOML": lambda text: text + "\n[[[",
    "no type": lambda text: text.replace('type = "object"', 'type = "objct"', 1) + "\n[readings.x]\n",
    "no fields": lambda text: text + '\n[records.note]\nkey = "id"\nlook_up = {tool = "read_note"}\n',
    "no such key": lambda text: text + '\n[tool.read_note]\ndescription = "Reads a note."\n',
    "too deep": lambda text: text + f"\n[{'.'.join(['a'] * 400)}]\n",
}
"""Ways in which an agent file goes bad."""


@dataclass(frozen=True, slots=True)
class Said:
    """All that stands: the request, what its sentences mean, and what was answered.

    ``rules`` has the sayings for each sentence that has some, also for one that the request has lost, and
    ``context`` the sentences that state no rule. ``answers`` has the text that was chosen for each question
    about a bound or a conflict, with the sentence that it is about; ``took`` has the sentences of the
    language that an answer took away, each with that of the request, and ``replaced`` has what an answer took
    the place of, by the text of what stands since. ``beside`` is what answers say of tools without a rule.
    ``witnesses`` has for each answer about the rules the sentences of the language that were
    chosen, as far as they stood then. ``damaged`` are questions whose stored answer another program made one
    that nobody can choose. ``agent`` is what the agent file says. ``robbed`` says that another program took
    the accepted version away, ``touched`` that a person changed the policy by hand, ``confirmed`` that a
    person said since that a rule without the number of its sentence is meant, ``known`` that this is no
    moment inside an act.
    """

    request: tuple[str, ...]
    rules: Mapping[str, tuple[Saying, ...]] = field(default_factory=dict[str, tuple[Saying, ...]])
    context: frozenset[str] = frozenset()
    answers: Mapping[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    took: Mapping[str, frozenset[tuple[str, str]]] = field(
        default_factory=dict[str, frozenset[tuple[str, str]]]
    )
    replaced: Mapping[str, Mapping[str, Saying]] = field(default_factory=dict[str, Mapping[str, Saying]])
    dropped: Mapping[str, tuple[tuple[str, str, Saying], ...]] = field(
        default_factory=dict[str, tuple[tuple[str, str, Saying], ...]]
    )
    beside: tuple[Saying, ...] = ()
    witnesses: Mapping[str, frozenset[str]] = field(default_factory=dict[str, frozenset[str]])
    damaged: frozenset[str] = frozenset()
    agent: AgentFile = AgentFile()
    robbed: bool = False
    touched: bool = False
    confirmed: bool = False
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
    def refused(self) -> bool:
        """Whether something was said that the agent file does not let a rule read."""
        return any(one.reads - self.agent.readable for one in self.every)

    @property
    def against_answers(self) -> frozenset[str]:
        """The questions whose answer is no longer what is said.

        The same bound stands with its other side, or what it took away was said again.
        """
        texts = {sentence: {one.text for one in said} for sentence, said in self.rules.items()}
        flipped = {
            question
            for question, (sentence, chosen) in self.answers.items()
            if chosen in SAYINGS and SAYINGS[chosen].flipped in texts.get(sentence, ())
        }
        back = {
            question
            for question, gone in self.took.items()
            if any(text in texts.get(sentence, ()) for sentence, text in gone)
        }
        return frozenset(flipped | back)

    def decides(self, call: RunCall) -> Verdict:
        """What was said about a call: what is forbidden wins, then the question, then the permission.

        Where that hangs on what nobody knows, the call cannot be evaluated.
        """
        forms = {form: some(one.applies(call) for one in self.every if one.form is form) for form in Form}
        is_denied = some((forms[Form.FORBID], negated(forms[Form.PERMIT])))
        if is_denied is not False:
            return Verdict.DENY if is_denied else Verdict.CANNOT_EVALUATE
        is_asked = forms[Form.ASK]
        return {True: Verdict.ASK, False: Verdict.ALLOW, None: Verdict.CANNOT_EVALUATE}[is_asked]

    def demands(self, sentence: str, calls: tuple[RunCall, ...]) -> bool:
        """Whether something said for a sentence decides one of these calls, as its clause then demands."""
        verdicts = {Form.PERMIT: Verdict.ALLOW, Form.FORBID: Verdict.DENY, Form.ASK: Verdict.ASK}
        return any(
            one.applies(call) and self.decides(call) is verdicts[one.form]
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
        answers = {**self.answers, question: (sentence, chosen)}
        return replace(self, answers=answers, damaged=self.damaged - {question})

    def retracted(self, *questions: str) -> Said:
        """Without some answers."""
        answers = {name: item for name, item in self.answers.items() if name not in questions}
        witnesses = {name: item for name, item in self.witnesses.items() if name not in questions}
        took = {name: item for name, item in self.took.items() if name not in questions}
        damaged = self.damaged - {*questions}
        return replace(self, answers=answers, witnesses=witnesses, took=took, damaged=damaged)

    def witnessed(self, now: Mapping[str, str]) -> Said:
        """With other texts of the sentences that were chosen, as a later act of the person has them."""
        witnesses = {
            question: frozenset(now.get(text, text) for text in chosen) - {""}
            for question, chosen in self.witnesses.items()
        }
        return replace(self, witnesses=witnesses)


_CLOSED = Step(LOOK, succeeded=False)
RUNS: tuple[tuple[Step, ...], ...] = (
    *((Step(PAY, amount, who),) for amount in (50, 51, 100, 101, 150, 151) for who in ("good", "bad")),
    (Step(LOOK), Step(PAY, 100), Step(PAY, 50)),
    (Step(LOOK, blocked=True), Step(PAY, 50)),
    (Step(LOOK), Step(LOOK, blocked=True), _CLOSED, Step(PAY, 100)),
    (_CLOSED, Step(PAY, 50), Step(PAY, 101)),
    (Step(LOOK, invoice="I-2"), Step(PAY, 100, succeeded=False), Step(PAY, 51)),
    (Step(LOOK), Step(PAY, 50, succeeded=None), Step(PAY, 50), Step(PAY, 100)),
    (Step(NOTE),),
)
"""The logged runs: payments around every bound, after look-ups of all kinds, and after other payments."""


@dataclass(frozen=True, slots=True)
class WrittenDesk:
    """The desk as guards and logs see it."""

    def calls(self) -> tuple[RunCall, ...]:
        """The calls of all runs, in the order of the log."""
        return tuple(RunCall(step, run[:place]) for run in RUNS for place, step in enumerate(run))

    def guarded(self, guard: Guard, call: RunCall) -> Outcome:
        """The decision of a guard on a call, after the calls of its run as the log has them."""
        with guard.run("run") as run:
            run.resume(line for place, step in enumerate(call.before) for line in _lived(place, step))
            return run.check(ToolCall(call.tool, json.loads(json.dumps(call.step.arguments))))

    def log_lines(self) -> Iterator[str]:
        """The log: each run is a chat."""
        for number, run in enumerate(RUNS):
            messages = [message for place, step in enumerate(run) for message in _chat(place, step)]
            yield json.dumps({"id": f"run-{number}", "messages": messages})


def _chat(place: int, step: Step) -> Iterator[Json]:
    """A step as messages of a chat."""
    function: Json = {"name": step.tool, "arguments": json.dumps(step.arguments)}
    calls: Json = [{"id": f"c{place}", "type": "function", "function": function}]
    yield {"role": "assistant", "content": None, "tool_calls": calls}
    if step.succeeded is not None:
        yield {"role": "tool", "tool_call_id": f"c{place}", "content": step.result}


def _lived(place: int, step: Step) -> Iterator[Mapping[str, Json]]:
    """A step as lines of a decision log."""
    line: dict[str, Json] = {"format": "workbench-decision/1", "run": "run", "instance": "", "call": place}
    made: dict[str, Json] = {"arguments": json.dumps(step.arguments), "time": "2026-03-17T10:44:00+00:00"}
    yield {**line, **made, "tool": step.tool, "call_id": f"c{place}", "decision": "allow", "runs": True}
    if step.succeeded is not None:
        yield {**line, "result": step.result, "failed": not step.succeeded}


def request_text(sentences: tuple[str, ...]) -> str:
    """The request with these sentences, one a paragraph."""
    return "# What the desk may pay\n\n" + "\n\n".join(sentences) + "\n"


def write_desk(folder: Path, sentences: tuple[str, ...]) -> None:
    """Write the request, and the log that the desk has."""
    (folder / "request.md").write_text(request_text(sentences), encoding="utf-8")
    (folder / "log.jsonl").write_text("\n".join(WrittenDesk().log_lines()) + "\n", encoding="utf-8")
