"""The commands about findings on a policy: cases, proof, evidence, and the recorded runs."""

from __future__ import annotations

import shlex
import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from workbench.app.runs import Filters
from workbench.clean_text import counted, one_line
from workbench.cli.evidence import evidence_lines, strength_lines
from workbench.cli.explanation_text import explanation_lines
from workbench.cli.plain_mode.item_text import case_line
from workbench.cli.plain_mode.plain_command import Command, number_of, picked
from workbench.cli.question_text import changed_lines
from workbench.cli.report_text import call_line, clause_lines, figures_lines, unasked_sentences
from workbench.model import ClauseProof, Judgement, Verdict, WorkbenchError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.app.results import Replay
    from workbench.cli.plain_mode.conversation import Conversation

_NAMED = ("rule", "tool", "run")


def _cases(talk: Conversation, words: str) -> None:
    choice = words.strip().casefold()
    if choice not in ("", "run", "failing"):
        raise WorkbenchError("Say 'cases', 'cases run' or 'cases failing'.")
    terms, state = talk.terms(), talk.state
    if choice == "run" or not state.results:
        run = talk.find(lambda cancelled: talk.bench.cases.run(terms.source, cancelled=cancelled))
        if run is None:
            return
        state = replace(state, results={result.case: result for result in run.results})
        talk.know(state)
    lines = [
        case_line(number, case, state.results.get(case.id), state.words)
        for number, case in enumerate(state.cases, start=1)
        if choice != "failing" or not getattr(state.results.get(case.id), "passed", True)
    ]
    talk.lines.say(f"{counted(len(state.cases), 'case')}, {len(state.failed)} failed.")
    talk.lines.listing(lines or (["No case failed."] if state.cases else ["There are no cases."]))


def _proof(talk: Conversation, words: str) -> None:
    del words
    terms = talk.terms()

    def tell(clause: ClauseProof) -> None:
        talk.tell(clause_lines(clause, words=talk.state.words))

    talk.lines.say(f"Proving {counted(len(terms.clauses), 'clause')}; Ctrl-C stops.")
    proof = talk.find(lambda cancelled: talk.bench.proof.prove(terms, on_clause=tell, cancelled=cancelled))
    if proof is None:
        return
    talk.know(replace(talk.state, proof=proof))
    talk.lines.say(f"The proof is {proof.status}.{f' {one_line(proof.why)}' if proof.why else ''}")


def _evidence(talk: Conversation, words: str) -> None:
    del words
    terms, state = talk.terms(), talk.state

    def work(cancelled: threading.Event) -> list[str]:
        strength = talk.bench.strength.measure(terms, cancelled=cancelled)
        evidence = talk.bench.proof.evidence(terms, strength=strength, decisions=state.decisions)
        return [*strength_lines(strength, talk.state.words), *evidence_lines(evidence)]

    talk.lines.say("Trying wrong versions of the policy; Ctrl-C stops.")
    talk.lines.listing(talk.find(work) or ())


# --- the recorded runs


def _replay(talk: Conversation, words: str) -> None:
    replay = _replayed(talk, words)
    if replay is None:
        return
    talk.tell(figures_lines(replay.figures, sum(problem.count for problem in talk.logs.problems)))
    for sentence in unasked_sentences(replay.unasked, fail_closed=False):
        talk.lines.say(sentence)
    if replay.emptied:
        talk.lines.say(replay.emptied)
    talk.lines.listing(_numbered(talk, replay))


def _replayed(talk: Conversation, words: str) -> Replay | None:
    terms, logs = talk.terms(), talk.logs
    if not logs.calls:
        talk.lines.say("The session has no recorded call; put a log into its folder logs.")
        return None
    filters = _filters(words)
    return talk.find(lambda _: talk.bench.replay(terms, logs, filters))


def _filters(text: str) -> Filters:
    """The filters of a search such as “is:deny rule:NAME words”."""
    try:
        parts = shlex.split(text)
    except ValueError:
        parts = text.split()
    verdict, named, words = None, dict[str, str](), list[str]()
    for part in parts:
        key, sign, value = part.partition(":")
        if sign and key in _NAMED and value:
            named[key] = value
        elif sign and key == "is":
            verdict = next(
                (candidate for candidate in Verdict if value and candidate.value.startswith(value)), None
            )
            if verdict is None:
                raise WorkbenchError(f"is: is followed by {', '.join(Verdict)}.")
        else:
            words.append(part)
    return Filters(verdict, text=" ".join(words), **named)


def _numbered(talk: Conversation, replay: Replay) -> Iterable[str]:
    """A line for each call that is shown, with its number in the logs."""
    numbers = {(call.run, call.index): place for place, call in enumerate(talk.logs.calls, start=1)}
    for decided in replay.shown:
        words = call_line(decided, replay.look_up_first(decided))
        yield f"{numbers[decided.run, decided.index]}. {talk.state.words.said(words)}"


def _call(talk: Conversation, words: str) -> None:
    terms, logs = talk.terms(), talk.logs
    call = logs.calls[number_of(words, len(logs.calls), "a call") - 1]
    call_explanations = talk.find(lambda _: talk.bench.runs.explain(terms, logs, call.run, call.index))
    aloud = {rule_aloud.name: rule_aloud.sentence for rule_aloud in talk.bench.rules.aloud(terms.file.text)}
    talk.lines.listing(
        [
            line
            for call_explanation in call_explanations or ()
            for line in explanation_lines(call_explanation, aloud, terms.file.words)
        ]
    )


def _denials(talk: Conversation, words: str) -> None:
    terms, state = talk.terms(), talk.state
    decided = talk.bench.runs.decide(terms, talk.logs)
    groups, judged = talk.bench.judging.caused(terms, decided)
    if words.strip():
        group = picked(groups, words, "a cause")
        talk.lines.listing(
            f"{position + 1}. {state.words.said(call_line(decided[position], ''))}"
            for position in group.calls
        )
        return
    lines = [
        f"{number}. {counted(len(group.calls), 'call')} in {counted(len(group.runs), 'run')}, "
        f"{'not judged' if group.key not in judged else f'judged {judged[group.key]}'}: "
        f"{one_line(state.words.said(group.title))}"
        for number, group in enumerate(groups, start=1)
    ]
    talk.lines.listing(lines or [f"None of {counted(len(state.decisions), 'call')} is denied."])
    if lines:
        talk.lines.say(
            "'denials N' lists the calls of one; 'judge N right' or 'judge N false-alarm' judges it."
        )


def _judge(talk: Conversation, words: str) -> None:
    number, _, word = words.strip().partition(" ")
    terms = talk.terms()
    groups = talk.bench.judging.denials(terms, talk.bench.runs.decide(terms, talk.logs))
    group = picked(groups, number, "a cause")
    judgement = next(
        (candidate for candidate in Judgement if candidate.value == word.strip().casefold()), None
    )
    if judgement is None:
        raise WorkbenchError(f"Say 'judge {number}' and one of: {', '.join(Judgement)}.")
    judged, changes = talk.change(partial(talk.bench.judging.judge, (group,), judgement))
    talk.lines.say(f"Judged {judgement}: {counted(len(judged.cases), 'case')} stored.")
    for case_id in judged.contradicted:
        talk.lines.say(f"The case {case_id} expects another decision on the same arguments.")
    talk.tell(changed_lines(changes))


COMMANDS = (
    Command("cases", "[run or failing]", "the cases with their results", _cases, menu=True),
    Command("proof", "", "prove every clause", _proof, menu=True),
    Command("evidence", "", "how much the proof means", _evidence),
    Command(
        "replay",
        "[FILTER]",
        "the recorded calls; filters: is:deny, rule:NAME, tool:NAME, run:NAME, words",
        _replay,
        menu=True,
    ),
    Command("call", "N", "why a recorded call is decided so, and what would turn it", _call),
    Command(
        "denials", "[N]", "the calls that are not allowed, by cause; with a number, those of one", _denials
    ),
    Command("judge", "N right or false-alarm", "judge all calls of a cause; they become cases", _judge),
)
