"""Rows of GuardAgent's result on a call, next to the policy's decision, with the options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from workbench.clean_text import in_a_row, one_line
from workbench.model import CallDecision, Case, Verdict
from workbench.tones import Tone
from workbench.tui.code_rows import code_rows
from workbench.tui.numbered_options import Picks
from workbench.tui.run_text import call_text
from workbench.tui.text_runs import TextRun, line, muted
from workbench.tui.value_text import BLANK, heading, paragraph
from workbench.tui.verdict_signs import VERDICT_WORD, verdict_run
from workbench.tui.widgets.lines import Row

if TYPE_CHECKING:
    from workbench.app.guardagent_calls import GuardAgentCall, GuardAgentMeans
    from workbench.model import RecordedCall

BY = {"model": "by the model", "person": "by hand"}


def guarding_rows(
    call: RecordedCall,
    decided: CallDecision,
    guarded_call: GuardAgentCall | None,
    means: GuardAgentMeans | None,
    trouble: str,
    settled: Case | None,
    order: str,
    width: int,
) -> Sequence[Row]:
    """Both decisions, the question if they differ, the options; then how GuardAgent came to its decision.

    The ``order`` in which demonstrations are retrieved is the most or the least similar first.
    """
    picks = Picks()
    rows = paragraph(line(muted(f"{call.index} "), one_line(call_text(call))[: 2 * width]), width, hang=4)
    rows += _decisions(decided, guarded_call, width)
    if trouble:
        rows += paragraph(line(TextRun(one_line(trouble), Tone.WARN)), width)
    if guarded_call is not None and guarded_call.guarded.decision.verdict is not decided.decision.verdict:
        rows += [BLANK, *_question(decided, guarded_call, settled, picks, width)]
    rows += [BLANK, *_offers(guarded_call, means, picks, width)]
    if means is not None:
        words = line("set what is retrieved", muted(f"  the {means.k} {order} similar"))
        rows += picks.rows("retrieve", words, width)
    if means is not None and means.no_model and not trouble:
        rows += paragraph(line(TextRun(means.no_model, Tone.WARN)), width)
    would = means.demonstrations if means is not None else ()
    shown_demonstrations = guarded_call.demonstrations if guarded_call is not None else ()
    rows += [BLANK, *_retrieved("Retrieved", shown_demonstrations or would, width)]
    if shown_demonstrations and would and shown_demonstrations != would:
        rows += [BLANK, *_retrieved("Retrieved anew", would, width)]
    if guarded_call is not None:
        rows += _plan_and_code(guarded_call, width)
    if means is not None:
        rows += [BLANK, *_functions(means, width)]
    return rows


def _decisions(decided: CallDecision, guarded_call: GuardAgentCall | None, width: int) -> Iterator[Row]:
    decision = decided.decision
    rules = ", ".join(violation.rule for violation in decision.violations)
    why = rules or in_a_row(decision.reasons)
    words = line("policy      ", verdict_run(decision.verdict), muted(f"  {one_line(why)}" if why else ""))
    yield from paragraph(words, width, hang=12)
    if guarded_call is None:
        yield from paragraph(line("GuardAgent  ", muted("has not decided this call")), width, hang=12)
        return
    guarded = guarded_call.guarded
    why = in_a_row((*guarded.details, *guarded.decision.reasons))
    by = f"  label {guarded.label}" if guarded.label is not None else ""
    when = guarded_call.when[:16].replace("T", " ")
    origin = f"  {', '.join(part for part in (guarded_call.model, when) if part)}"
    words = line(
        "GuardAgent  ", verdict_run(guarded.decision.verdict), muted(by), f"  {one_line(why)}", muted(origin)
    )
    yield from paragraph(words, width, hang=12)


def _question(
    decided: CallDecision, guarded_call: GuardAgentCall, settled: Case | None, picks: Picks, width: int
) -> Iterator[Row]:
    """The question which decision is right; once it is answered, the case that settles it."""
    if settled is not None:
        why = f": {settled.reason}" if settled.reason else "."
        words = f"They disagree; the case {settled.id} says {VERDICT_WORD[settled.expected]}{why}"
        yield from paragraph(line(muted(one_line(words))), width)
        return
    yield from paragraph(
        line(TextRun("? They disagree. Which decision is right of this call?", Tone.WARN)), width, hang=2
    )
    verdict_by_name = {
        "the policy": decided.decision.verdict,
        "GuardAgent": guarded_call.guarded.decision.verdict,
    }
    asked = [Verdict.ASK] if Verdict.ASK in verdict_by_name.values() else []
    for verdict in (Verdict.DENY, *asked, Verdict.ALLOW):
        who = [name for name, own_verdict in verdict_by_name.items() if own_verdict is verdict]
        says = f" as {' and '.join(who)} says" if who else ""
        label = line(verdict_run(verdict), muted(f"{says}: keep the call as a case"))
        yield from picks.rows(f"case:{verdict}", label, width)


def _offers(
    guarded_call: GuardAgentCall | None, means: GuardAgentMeans | None, picks: Picks, width: int
) -> Iterator[Row]:
    if means is not None and not means.no_model:
        words = "let GuardAgent decide it" if guarded_call is None else "let GuardAgent decide it anew"
        yield from picks.rows("ask", line(words, muted("  retrieval, plan, code, sandbox")), width)
        words = (
            "write the plan" if guarded_call is None or not guarded_call.guarded.plan else "correct the plan"
        )
        yield from picks.rows("plan", line(words, muted("  the model writes the code for it")), width)
    words = "write the code" if guarded_call is None or not guarded_call.code else "correct the code"
    yield from picks.rows("code", line(words, muted("  it runs without a model")), width)
    if (
        guarded_call is not None
        and guarded_call.guarded.label is not None
        and len(guarded_call.guarded.plan) == 4
    ):
        yield from picks.rows("keep", "keep plan and code as a demonstration", width)


def _retrieved(name: str, names: Sequence[str], width: int) -> Iterator[Row]:
    yield heading(name)
    for number, name in enumerate(names, start=1):
        words = line(TextRun(f"{number} ", Tone.ACCENT), one_line(name))
        yield from paragraph(words, width, f"demonstration:{name}", indent=2, hang=2)
    if not names:
        yield from paragraph(line(muted("no demonstration")), width, indent=2)


def _plan_and_code(guarded_call: GuardAgentCall, width: int) -> Iterator[Row]:
    """The plan, and each piece of code with its result."""
    guarded = guarded_call.guarded
    if guarded.plan:
        yield BLANK
        yield heading(f"Plan  {BY[guarded_call.plan_by.value]}")
        for number, text in enumerate(guarded.plan, start=1):
            words = line(TextRun(f"{number} ", Tone.ACCENT), one_line(text))
            yield from paragraph(words, width, "plan", indent=2, hang=2)
    rounds = len(guarded.attempts)
    for number, attempt in enumerate(guarded.attempts, start=1):
        yield BLANK
        of = f", round {number} of {rounds}" if rounds > 1 else ""
        yield heading(f"Code  {BY[guarded_call.code_by.value]}{of}")
        yield from code_rows(attempt.code, 1, len(attempt.code.splitlines()), width, f"code:{number}")
        if attempt.error:
            yield from paragraph(line(TextRun(f"failed: {one_line(attempt.error)}", Tone.BAD)), width, hang=2)
        else:
            yield from paragraph(line(TextRun(f"label {guarded.label}", Tone.ACCENT)), width)
    if guarded.answer:
        yield BLANK
        yield from paragraph(line(muted("the user is told "), one_line(guarded.answer)), width, hang=2)


def _functions(means: GuardAgentMeans, width: int) -> Iterator[Row]:
    yield heading("Functions that code may call")
    for signature, summary in means.functions:
        words = line(TextRun(one_line(signature), Tone.CODE), muted(f"  {one_line(summary)}"))
        yield from paragraph(words, width, f"function:{signature}", indent=2, hang=2)
