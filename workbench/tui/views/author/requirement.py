"""A requirement with everything about it: sentence, question, rule, cases, counterexample, proof."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, count

from workbench.app.clause_findings import NO_CLAUSE, has_lapsed
from workbench.app.requested_sentence import RequestedSentence, SentenceState, is_made_up
from workbench.app.results import SHOWN_CALLS, TurnedCalls
from workbench.app.session_state import ClauseState, RequirementState, Rule, SessionState
from workbench.app.value_texts import OWN_NAMES, ArgumentWords
from workbench.clean_text import code_line, counted, one_line
from workbench.model import Case, Problem, ProofStatus, Question
from workbench.tones import Tone
from workbench.tui.code_rows import code_rows
from workbench.tui.text_runs import Line, TextRun, accent, bad, coded, good, line, muted, strong, warn
from workbench.tui.verdict_signs import clause_sign, clause_words, verdict_run
from workbench.tui.widgets.lines import BLANK, PICK, Row, argument_rows, paragraph, pick_row, realised_rows

MOST_CASES = 6
MOST_ASSUMED = 4
SENTENCE = "sentence"
CASES = "cases:"
"""The key of the heading of the cases."""


def requirement_rows(
    state: SessionState, row: RequirementState, asked: Iterable[Row], *, whole: bool, code: bool
) -> Iterator[Row]:
    """Everything about a requirement; ``whole`` shows all cases, ``code`` its rules.

    ``asked`` has the rows of the question about it.
    """
    for problem in state.problems:
        yield problem_row(problem)
    yield from sentence_rows(state, row)
    yield from _said_rows(state.requested_of(row.requirement.id))
    yield from asked
    if code:
        for rule in row.rules:
            yield from rule_rows(state, rule, said_of(state, row))
        if lacking := _lacking(state, row):
            yield from (BLANK, paragraph(lacking))
    yield from judged_rows(state, row, whole=whole)


def judged_rows(state: SessionState, row: RequirementState, *, whole: bool = False) -> Iterator[Row]:
    """The cases and the clauses of a requirement, what fails first."""
    clauses = sorted(row.clauses, key=lambda one: one.status not in _BROKEN)
    contract = [BLANK, paragraph(strong("Contract"))] if clauses else []
    contract += chain.from_iterable(clause_rows(state, clause) for clause in clauses)
    cases = [BLANK, *_cases(state, row, whole=whole)] if row.cases or row.rules or clauses else []
    is_broken = bool(clauses) and clauses[0].status in _BROKEN
    yield from (*contract, *cases) if is_broken else (*cases, *contract)


def _lacking(state: SessionState, row: RequirementState) -> TextRun | None:
    """Why no rule of a requirement is shown; None where one is, or what it is read as says it."""
    if state.terms is None:
        return muted("Its rule is not known until the policy is mended.")
    if row.rules:
        return None
    if row.clauses:
        return muted("No rule of its own; see its clauses.")
    if state.requested or _needs_no_clause(state, row):
        return None
    return warn(_BY_HAND) if row.requirement.quote.strip() else _BY_DEFAULT


def _said_rows(requested: RequestedSentence | None) -> Iterator[Row]:
    """What a sentence of a policy of calls is read as: its state, and the sentences beside it."""
    from workbench.language.language import lines_of

    if requested is None:
        return
    said = partial(paragraph, key="said:")
    if requested.under:
        yield said(muted("below " + " › ".join(f"“{one_line(part)}”" for part in requested.under[-2:])))
    yield BLANK
    if requested.state is SentenceState.OPEN:
        yield said(warn(_EXACT if requested.exact else _OPEN))
    elif requested.state is SentenceState.CONTEXT:
        yield said(muted("states no rule: "), one_line(requested.reason))
    else:
        yield said(muted(", ".join((requested.state.value, *requested.by_hand))))
        for text in requested.texts:
            for part in lines_of(text):
                yield said(part, indent=1, hang=2)


_EXACT = "It is in the language: Enter keeps it as it stands."
_OPEN = "Open. Enter says in the language what it means, or why it states no rule."
_BY_DEFAULT = muted("No sentence says it, and no rule: it is what allow decides where no rule fires.")
_BY_HAND = (
    "No rule and no clause names it yet. In policy.py (view Policy, e) write a rule whose docstring, or a "
    "clause whose comment, is an id such as “R1: ” and then this sentence."
)
"""Instructions to write the rule of a requirement that has none."""


def rule_rows(state: SessionState, rule: Rule, said: Collection[str] = ()) -> Iterator[Row]:
    """Rows of a rule as the file has it, without its sentence if that is ``said`` above."""
    yield BLANK
    key, part = f"rule:{rule.name}", None if state.terms is None else state.terms.file.part(rule)
    if state.terms is None or part is None or not part.line:
        return
    text, first = state.terms.file.text, part.line
    if one_line(rule.message) in said and (docstring := state.terms.file.docstring_line(part)):
        yield from code_rows(text, first, docstring - 1, key)
        first = docstring + 1
    yield from code_rows(text, first, part.end_line, key)


def said_of(state: SessionState, row: RequirementState | None) -> Collection[str]:
    """The sentences that stand above all else about a requirement: the request's, and what it is read as."""
    if row is None:
        return ()
    requested = state.requested_of(row.requirement.id)
    read = () if requested is None else requested.texts
    return {one_line(text) for text in (row.requirement.quote, row.requirement.text, *read)} - {""}


def once(text: str, said: Iterable[str]) -> str:
    """A text about a sentence without the sentence itself, where that is ``said`` above it."""
    for sentence in sorted(said, key=len, reverse=True):
        quoted = f"“{sentence}”"
        for before in (f"{quoted}: ", f"{quoted} "):
            rest = text.removeprefix(before)
            if rest != text and (before.endswith(": ") or rest[:1].isupper()):
                text = rest[:1].upper() + rest[1:]
        text = text.replace(quoted, "this sentence").removesuffix(f": {sentence}")
    return f"T{text[1:]}" if text.startswith("this sentence") else text


def problem_row(problem: Problem) -> Row:
    """The row of a problem that keeps the policy from being in the dialect: line, message, remedy."""
    message = bad(f"✗ {replace(problem, path='').place}{problem.message} ")
    key = f"problem:{problem.line}:{problem.column}"
    return paragraph(message, muted(problem.instead), key=key, hang=2)


def sentence_line(row: RequirementState) -> Line:
    """The sentence of the request for a requirement, with its place."""
    requirement = row.requirement
    if not requirement.quote.strip():  # a requirement that no sentence of the request states
        return line(muted(f"{requirement.id}: "), one_line(requirement.text))
    label = "" if is_made_up(requirement.id) else f"{requirement.id}, "
    place = muted(f"{label}line {requirement.span.line}: ")
    return line(place, strong(f"“{one_line(requirement.quote)}”"))


def sentence_rows(state: SessionState, row: RequirementState) -> Iterator[Row]:
    """The sentence of the request, its understanding if that differs, and the assumptions about it."""
    requirement = row.requirement
    quote, text = one_line(requirement.quote), one_line(requirement.text)
    yield paragraph(sentence_line(row), key=SENTENCE, hang=1)
    requested = state.requested_of(requirement.id)
    is_context = requested is not None and requested.state is SentenceState.CONTEXT
    about = [one for one in state.questions if requirement.id in one.requirements]
    asked = {one.id for one in about}
    repeated = {one.id for one in about if is_context and one.kind == NO_CLAUSE}  # as "states no rule"
    assumptions = [
        one
        for one in state.assumptions
        if one.question not in repeated
        and not (state.terms is not None and has_lapsed(one, state.questions))
        and (one.question in asked or requirement.id in one.requirements)
    ]
    said = [one_line(words).rstrip(".") for words in (quote, *(one.statement for one in assumptions))]
    if quote and text.rstrip(".") not in said:
        yield paragraph(muted("understood as: "), text, hang=1)
    said_once = {one.statement: one for one in assumptions}  # several may say the same, as of bounds
    for one in [*said_once.values()][:MOST_ASSUMED]:
        statement = once(one_line(one.statement), said_of(state, row))
        words = "this sentence means what it is read as" if statement == _AS_READ else statement
        yield paragraph(muted(f"assumed{one.by_default}: "), words, key=f"assumed:{one.question}", hang=1)
    if (more := len(said_once) - MOST_ASSUMED) > 0:
        yield paragraph(muted(f"and {counted(more, 'more answer')}, under “answers assumed”"))


_AS_READ = "This sentence means"


def _needs_no_clause(state: SessionState, row: RequirementState) -> bool:
    """Whether a requirement needs no clause by an answer."""
    about = (one for one in state.questions if row.requirement.id in one.requirements)
    asked = {one.id for one in about if one.kind == NO_CLAUSE}
    return any(assumption.question in asked for assumption in state.assumptions)


def question_rows(
    question: Question,
    turned: Mapping[str, TurnedCalls],
    answered: str = "",
    said: Collection[str] = (),
    words: ArgumentWords = OWN_NAMES,
) -> Iterator[Row]:
    """Rows of a question: its text, the input on which the answers differ, the options and their effects.

    ``answered`` is the option that the person chose before; what is ``said`` above is not said again.
    ``words`` are what sentences call the arguments.
    """
    numbers = count(1)
    yield paragraph(warn("? "), warn(once(one_line(question.text), said)), hang=2)
    if question.shown and not question.id.startswith(SHOWN_CALLS):  # whose words have the whole call
        shown = {words.noun(name): value for name, value in question.shown.items()}
        yield from argument_rows(shown, indent=4)
    keys = option_keys(question)
    if no := otherwise(question):
        yield pick_row(numbers, keys.pop(0), strong(no))
    for key, option in zip(keys, question.options, strict=False):
        standing = muted("  as the policy is" if option.value == (question.default or "meant") else "")
        if option.value == answered:
            standing = accent("  assumed at present")
        yield pick_row(numbers, key, strong(once(one_line(option.label), said)), standing)
        below = partial(paragraph, key=PICK + key, indent=4)
        if option.effect:
            yield below(muted(one_line(option.effect)))
        turned_calls = turned.get(option.value) if option.value != answered else None
        if turned_calls is not None and (counts := turned_words(turned_calls)):
            yield below(accent(counts))
    if question.free_text:
        yield pick_row(numbers, keys[-1], f"{own_words(question) or 'in a sentence of your own'} …")


def folded(rows: Sequence[Row], width: int, height: int, whole: str) -> Sequence[Row]:
    """Rows whose options are cut to a few lines until all are in sight, except the key ``whole``."""
    last = max((at for at, row in enumerate(rows, 1) if row.key.startswith(PICK)), default=0)
    for most in (2, 1):
        if sum(len(row.lines(width)) for row in rows[:last]) > height:
            is_cut = [row.key.startswith(PICK) and row.key != whole for row in rows]
            rows = [row._replace(most=most) if cut else row for row, cut in zip(rows, is_cut, strict=True)]
    return rows


def own_words(question: Question) -> str:
    """What may be typed in answer to a question; empty if that is a sentence."""
    from workbench.question_wording import own_answer  # loaded once there are questions

    return own_answer(question.kind) if question.free_text else ""


def otherwise(question: Question) -> str:
    """What to choose where a call is not meant that no known answer stops; empty for other questions."""
    if question.kind != "witness" or any(option.value != "meant" for option in question.options):
        return ""
    from workbench.question_wording import phrase

    return phrase("witness", "declared" if question.declaration else "otherwise")


def option_keys(question: Question) -> list[str]:
    """The keys of the options of a question, in the order of their numbers: never is the first a bare yes."""
    answers = [f"answer:{question.id}:{number}" for number in range(len(question.options))]
    first = [f"no:{question.id}"] if otherwise(question) else []
    return [*first, *answers, *([f"own:{question.id}"] if question.free_text else [])]


def numbers_saying(word: str, question: Question | None) -> Sequence[int]:
    """The numbers of the options of a question that begin with a word: of those that say yes, or no."""
    if question is None:
        return []
    labels = [*filter(None, [otherwise(question)]), *(option.label for option in question.options)]
    return [number for number, label in enumerate(labels, 1) if label.startswith((f"{word},", f"{word}:"))]


def turned_words(turned: TurnedCalls) -> str:
    """The number of logged calls that an answer turns, by their new verdict; empty if it turns none."""
    counts = (turned.allowed, turned.asked, turned.denied, turned.undecidable)
    parts = zip(counts, ("allow", "ask", "deny", "cannot"), strict=True)
    words = ", ".join(f"{count:,} → {verdict}" for count, verdict in parts if count)
    return words and f"turns {words}"


def _cases(state: SessionState, row: RequirementState, *, whole: bool) -> Iterator[Row]:
    failed = {result.case for result in row.failed}
    ordered = sorted(row.cases, key=lambda case: case.id not in failed)
    shown_cases = ordered if whole else ordered[: max(MOST_CASES, len(failed))]
    follows = any(case.id in failed and case.origin == "generated" for case in row.cases)
    anew = muted("  of earlier rules? :cases makes them anew") if follows else ""
    yield paragraph(strong(f"Cases {len(row.cases)}"), anew, key=CASES)
    for case in shown_cases:
        yield paragraph(_case(state, case, row), key=f"case:{case.id}", indent=1, hang=9)
    if more := len(ordered) - len(shown_cases):
        yield paragraph(muted(f"   and {more} more that pass"), key="more:cases")


def _case(state: SessionState, case: Case, row: RequirementState) -> Line:
    result = state.results.get(case.id)
    sign = muted("· ")
    if result is not None:
        wrong = Tone.WARN if result in state.waiting else Tone.BAD
        sign = good("✓ ") if result.passed else TextRun("✗ ", wrong)
    verdicts = line(verdict_run(case.expected))
    if result is not None and not result.passed and result.actual is not None:
        verdicts = line("should be ", *verdicts, ", is ", verdict_run(result.actual))
    reason = once(one_line(case.reason).removeprefix(f"{row.requirement.id}: "), said_of(state, row))
    return (sign, *verdicts, TextRun("  "), muted(reason))


_BROKEN = (ProofStatus.REFUTED, ProofStatus.POSSIBLE)


def clause_rows(state: SessionState, clause: ClauseState) -> Iterator[Row]:
    """Rows of a clause with its verdict, and of the input that breaks it."""
    key, found = f"clause:{clause.clause.id}", clause.counterexample
    head = clause_sign(clause), f" {clause.name}  ", muted(clause_words(clause))
    yield paragraph(*head, key=key, indent=1, hang=6)
    below = partial(paragraph, key=key, indent=6)
    if clause.status is ProofStatus.UNKNOWN:
        yield below(muted("r tries the proof again; : accept takes it by its name as it is"))
    if found is None or clause.status not in _BROKEN:
        return
    yield below(coded(code_line(clause.source)))
    is_possible = clause.status is ProofStatus.POSSIBLE
    breaks = "this would break it, if a run gave it" if is_possible else "this breaks it"
    decided = () if found.decision is None else line("; the decision is ", verdict_run(found.decision))
    yield below(TextRun(breaks, clause_sign(clause).tone), decided)
    yield from argument_rows(state.words.shown(found.shown), key, indent=8)
    yield from realised_rows(found, key, indent=8)
    rules = ", ".join(state.deciding(clause) or ()) or "no rule"
    words = " · f makes it an exception" if found.realised is not None else ""
    yield below(muted(f"decided by {rules}{words}"))
