"""The words of the line mode: each has a number, a name, what follows it, and what it does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from workbench.clean_text import one_line
from workbench.cli.plain_mode import item_text
from workbench.cli.plain_mode.dialogue import Talk
from workbench.cli.report_text import counted
from workbench.model import ClauseProof, Question, Verdict, WorkbenchError
from workbench.old_screen.port import Port
from workbench.old_screen.screen_state import ScreenState
from workbench.old_screen.step_filter import Filter, culprits, quoted

LEAVE = frozenset({"", "later", "back"})


@dataclass(frozen=True, slots=True)
class Command:
    """A word with what may follow it. ``menu`` commands stand in the short list."""

    name: str
    follows: str
    does: str
    run: Callable[[Talk, str], None]
    menu: bool = True


def run_line(talk: Talk, line: str) -> None:
    """Do what a line says; whatever is wrong with it is one sentence, and nothing is lost."""
    word, _, rest = line.strip(" ").partition(" ")
    word = word.casefold()
    if not word:
        return
    if "\ufffd" in line:
        talk.lines.say("That line is not UTF-8 text; nothing was done.")
        return
    command = _named(word)
    if command is None:
        talk.lines.say(f"{one_line(word)!r} is no command; 'help' lists them.")
        return
    try:
        command.run(talk, rest)
    except WorkbenchError as error:
        talk.lines.say(str(error))


def _named(word: str) -> Command | None:
    if word.isascii() and word.isdigit():
        number = int(word[:9])
        return COMMANDS[number - 1] if 0 < number <= len(COMMANDS) else None
    exact = next((item for item in COMMANDS if item.name == word), None)
    begun = [item for item in COMMANDS if item.name.startswith(word)]
    return exact or (begun[0] if len(begun) == 1 else None)


# --- questions


def _questions(talk: Talk, rest: str) -> None:
    del rest
    lines = list(item_text.question_list(talk.board.contents))
    talk.lines.listing(lines or ["The request leaves nothing open."])
    if talk.board.contents.open:
        talk.lines.say("'question N' shows one and takes the answer; 'question' alone the next open one.")


def _question(talk: Talk, rest: str) -> None:
    contents = talk.board.contents
    if rest.strip():
        question = _pick(contents.questions, rest, "question")
    elif contents.open:
        question = contents.open[0]
    else:
        talk.lines.say("No question is open.")
        return
    number = contents.questions.index(question) + 1
    for line in item_text.question_lines(question, number, len(contents.questions)):
        talk.lines.say(line)
    own = ", your own words after '='" if question.free_text else ""
    answer = talk.lines.ask(f"Answer (number{own}, 'effects', 'why', 'none', 'later'): ")
    while answer is not None and (look := _LOOKS.get(answer.strip().casefold())):
        talk.lines.listing(talk.work(lambda _, look=look: look(talk.port, question).splitlines()) or ())
        answer = talk.lines.ask("Answer: ")
    if answer is not None and answer.strip().casefold() == "none":
        talk.change(
            partial(talk.port.reject, question), "Now say the sentence in other words: 'question'.", ""
        )
        return
    if answer is None or answer.strip().casefold() in LEAVE:
        talk.lines.say("It stays as it is.")
        return
    _give(talk, question, answer)


_LOOKS: dict[str, Callable[[Port, Question], str]] = {
    "effects": lambda port, question: port.effects(question),
    "why": lambda port, question: port.paths(question),
}


def _answer(talk: Talk, rest: str) -> None:
    number, _, answer = rest.strip().partition(" ")
    if not answer.strip():
        raise WorkbenchError("Say 'answer N M': the question's number, then the option's.")
    _give(talk, _pick(talk.board.contents.questions, number, "question"), answer)


def _give(talk: Talk, question: Question, answer: str) -> None:
    answer = answer.strip()
    if question.free_text and answer.startswith("="):
        value = answer[1:].strip()
    else:
        value = _pick(question.options, answer, "option").value
    talk.change(partial(talk.port.answer, question, value), "Stored; policy and cases follow.", "")
    talk.lines.say(item_text.status_line(talk.board))


def _retract(talk: Talk, rest: str) -> None:
    question = _pick(talk.board.contents.questions, rest, "question")
    if talk.board.contents.assumption(question.id) is None:
        raise WorkbenchError("That question has no answer to take back.")
    talk.change(partial(talk.port.retract, question.id), "The question is open again.", "")


def _pick[T](items: Sequence[T], text: str, what: str) -> T:
    """The item with a number, counted from 1."""
    return items[_number(text, len(items), what) - 1]


def _number(text: str, count: int, what: str) -> int:
    """A number from 1 to ``count``."""
    number = text.strip()
    if number.isascii() and number.isdigit() and 0 < int(number[:9]) <= count:
        return int(number[:9])
    many = f"from 1 to {count}" if count else "but there is none"
    raise WorkbenchError(f"Give the number of a {what}, {many}.")


# --- policy


def _request(talk: Talk, rest: str) -> None:
    del rest
    lines = talk.board.contents.request.splitlines()
    talk.lines.listing(f"{number} {text}".rstrip() for number, text in enumerate(lines, start=1))


def _policy(talk: Talk, rest: str) -> None:
    first, last = _lines(rest, len(talk.text.splitlines())) if rest.strip() else (1, len(talk.text))
    talk.lines.listing(item_text.policy_lines(talk.board, first, last))


def _lines(text: str, count: int) -> tuple[int, int]:
    """A line or a range of lines such as ``3-5``."""
    first, dash, last = (part.strip() for part in text.partition("-"))
    last = last if dash else first
    if first.isascii() and first.isdigit() and last.isascii() and last.isdigit():
        range_ = int(first), int(last)
        if 0 < range_[0] <= range_[1] <= count:
            return range_
    raise WorkbenchError(f"Give a line or a range such as 3-5; the policy has {counted(count, 'line')}.")


def _replace(talk: Talk, rest: str) -> None:
    place, _, text = rest.partition(" ")
    lines = talk.text.splitlines()
    first, last = _lines(place, len(lines))
    talk.put_text("\n".join([*lines[: first - 1], text, *lines[last:]]) + "\n")


def _insert(talk: Talk, rest: str) -> None:
    place, _, text = rest.partition(" ")
    lines = talk.text.splitlines()
    first, _ = _lines(place, len(lines) + 1)
    talk.put_text("\n".join([*lines[: first - 1], text, *lines[first - 1 :]]) + "\n")


def _delete(talk: Talk, rest: str) -> None:
    lines = talk.text.splitlines()
    first, last = _lines(rest, len(lines))
    talk.put_text("\n".join([*lines[: first - 1], *lines[last:]]) + "\n")


# --- cases and proof


def _cases(talk: Talk, rest: str) -> None:
    wanted = rest.strip().casefold()
    if wanted not in ("", "run", "failing"):
        raise WorkbenchError("Say 'cases', 'cases run' or 'cases failing'.")
    talk.terms()
    tests = talk.board.tests
    if wanted == "run" or not tests.results or tests.stale:
        talk.test()
        tests = talk.board.tests
    lines = [
        item_text.case_line(number, case, tests.results.get(case.id))
        for number, case in enumerate(tests.cases, start=1)
        if wanted != "failing" or not getattr(tests.results.get(case.id), "passed", True)
    ]
    talk.lines.say(f"{counted(len(tests.cases), 'case')}, {tests.failed} failed.")
    talk.lines.listing(lines or (["No case failed."] if tests.cases else ["There are no cases."]))


def _proof(talk: Talk, rest: str) -> None:
    del rest
    terms = talk.terms()

    def tell(clause: ClauseProof) -> None:
        for line in item_text.clause_lines(clause, terms):
            talk.lines.say(line)

    talk.lines.say(f"Proving {counted(len(terms.clauses), 'clause')}; Ctrl-C stops.")
    talk.prove(tell)
    proof = talk.board.verdicts.proof
    why = f" {one_line(proof.why)}" if proof.why else ""
    talk.lines.say(f"The proof is {proof.status}.{why}")


def _evidence(talk: Talk, rest: str) -> None:
    del rest
    terms, verdicts = talk.terms(), talk.board.verdicts

    def nobody(done: int, total: int) -> None:
        del done, total

    def work(cancelled: threading.Event) -> Sequence[str]:
        proofs = (verdicts.preview, verdicts.proof)
        return list(item_text.evidence_lines(talk.port.evidence(terms, proofs, nobody, cancelled)))

    talk.lines.say("Trying wrong versions of the policy; Ctrl-C stops.")
    talk.lines.listing(talk.work(work) or ())


# --- replay


def _replay(talk: Talk, rest: str) -> None:
    replayed = talk.replay()
    counts = replayed.counts
    talk.lines.say(
        f"{counted(len(replayed.decisions), 'step')}: {counts[Verdict.ALLOW]} allowed, "
        f"{counts[Verdict.DENY]} denied, {counts[Verdict.CANNOT_EVALUATE]} cannot be evaluated, "
        f"{replayed.flips} flipped by the last change."
    )
    if replayed.unreadable:
        talk.lines.say(f"{counted(replayed.unreadable, 'record')} of the logs could not be read.")
    never = threading.Event()
    rows = Filter.parse(rest).rows(replayed, never)
    if not rows and replayed.decisions:
        blamed = " or ".join(culprits(rest, replayed, never)) or "all of the filter together"
        talk.lines.say(f"No step passes: {one_line(blamed)} leaves none.")
        return
    talk.lines.listing(
        [
            item_text.step_line(
                row + 1, replayed.steps[row], replayed.decisions[row], flipped=replayed.flipped(row)
            )
            for row in rows
        ]
    )


def _denials(talk: Talk, rest: str) -> None:
    del rest
    lines = [
        f"{number}. {counted(len(cause.steps), 'step')} in {counted(cause.runs, 'run')}, {cause.verdict}: "
        f"{one_line(cause.title)}. Show them: replay {one_line(quoted(f'cause:{cause.key}'))}"
        for number, cause in enumerate(talk.causes(), start=1)
    ]
    talk.lines.listing(lines or ["No step is denied."])


def _step(talk: Talk, rest: str) -> None:
    replayed = talk.replay()
    index = _number(rest, len(replayed.decisions), "step") - 1
    step, decided = replayed.steps[index], replayed.decisions[index]
    lines = [item_text.step_line(index + 1, step, decided, flipped=replayed.flipped(index))]
    lines += item_text.step_lines(step, decided)
    found = talk.work(lambda _: talk.port.explain(talk.terms(), index))
    talk.lines.listing([*lines, *(item_text.explained_lines(found) if found else ())])


# --- the session


def _versions(talk: Talk, rest: str) -> None:
    del rest
    lines = [
        f"{version.number}. {one_line(version.label)}{', the present one' if version.current else ''}"
        for version in talk.board.contents.versions
    ]
    talk.lines.listing(lines or ["Nothing was changed yet."])


def _restore(talk: Talk, rest: str) -> None:
    number = rest.strip()
    if number not in {str(version.number) for version in talk.board.contents.versions}:
        raise WorkbenchError("Give the number of a version; 'versions' lists them.")
    work = partial(talk.port.restore, int(number))
    talk.change(work, f"The policy is that of version {number} again.", "It is the same policy.")


def _undo(talk: Talk, rest: str) -> None:
    del rest
    talk.change(talk.port.undo, "Undone.", "Nothing to undo.")


def _redo(talk: Talk, rest: str) -> None:
    del rest
    talk.change(talk.port.redo, "Done again.", "Nothing to redo.")


def _status(talk: Talk, rest: str) -> None:
    del rest
    talk.lines.say(item_text.status_line(talk.board))


def _more(talk: Talk, rest: str) -> None:
    del rest
    talk.lines.more()


def _help(talk: Talk, rest: str) -> None:
    del rest
    for number, command in enumerate(COMMANDS, start=1):
        follows = f" {command.follows}" if command.follows else ""
        talk.lines.say(f"{number}. {command.name}{follows}: {command.does}")


def _quit(talk: Talk, rest: str) -> None:
    del rest
    talk.ended = True


COMMANDS: tuple[Command, ...] = (
    Command("questions", "", "what the request leaves open, and the answers so far", _questions),
    Command("policy", "[FROM-TO]", "the policy with line numbers and messages", _policy),
    Command("cases", "[run or failing]", "the cases with their results", _cases),
    Command("proof", "", "prove every clause", _proof),
    Command(
        "replay",
        "[FILTER]",
        "the recorded steps; filters: is:deny, is:flipped, rule:NAME, tool:NAME, run:NAME, words",
        _replay,
    ),
    Command("help", "", "all words", _help),
    Command("quit", "", "leave; nothing is lost", _quit),
    Command("question", "[N]", "show a question, or the next open one, and answer it", _question, menu=False),
    Command("answer", "N M", "answer question N with option M", _answer, menu=False),
    Command("retract", "N", "take the answer to question N back", _retract, menu=False),
    Command("request", "", "the request with line numbers", _request, menu=False),
    Command("replace", "FROM-TO TEXT", "put a line in place of lines of the policy", _replace, menu=False),
    Command("insert", "N TEXT", "put a line before line N of the policy", _insert, menu=False),
    Command("delete", "FROM-TO", "take lines out of the policy", _delete, menu=False),
    Command("evidence", "", "how much the proof means", _evidence, menu=False),
    Command("step", "N", "why a recorded step is decided so", _step, menu=False),
    Command("denials", "", "the steps that are not allowed, by cause", _denials, menu=False),
    Command("versions", "", "the changes so far", _versions, menu=False),
    Command("restore", "N", "go back to the policy of version N", _restore, menu=False),
    Command("undo", "", "take the last change back", _undo, menu=False),
    Command("redo", "", "make the undone change again", _redo, menu=False),
    Command("status", "", "how each stage stands", _status, menu=False),
    Command("more", "", "the next portion of the last list", _more, menu=False),
)


def menu_lines(board: ScreenState) -> Iterator[str]:
    """The session and what can be done, numbered."""
    yield item_text.status_line(board)
    for number, command in enumerate(COMMANDS, start=1):
        if command.menu:
            yield f"{number}. {command.name}: {command.does}"
    yield "Type a number or a word, or 'help' for all words."
