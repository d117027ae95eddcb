"""The spine of the Author view: the requirements each with its sign, cases, clauses and denials."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain
from operator import itemgetter

from workbench.app.as_proposed import is_unconfirmed
from workbench.app.clause_findings import LAPSED, has_lapsed
from workbench.app.owed import Owed, not_asked
from workbench.app.requested_sentence import SentenceState, is_made_up
from workbench.app.session_state import RequirementState, SessionState
from workbench.clean_text import one_line
from workbench.likeness import told_apart
from workbench.model import ProofStatus, Question, Requirement
from workbench.tones import Tone
from workbench.tui.messages import Place, PlaceKind
from workbench.tui.owed_rows import owed_rows
from workbench.tui.text_runs import Line, TextRun, bad, good, line, muted, strong, warn, width_of, wrap
from workbench.tui.theorem_rows import theorem_rows
from workbench.tui.verdict_signs import UNKNOWN_YET, clause_sign, theorem_sign, worst
from workbench.tui.views.author.requirement import rule_rows
from workbench.tui.widgets.lines import BLANK, Row, fitted, paragraph, plural

OWED = "owed"
READING = "Reading the request."
UNCLAIMED = "unclaimed"
RUNS = "runs"
ASSUMED = "assumed"
MOST_LINES = 2
"""The most lines of a sentence in the spine; the middle pane has the whole sentence."""
_INDENT = 5
_LONG_WORD = 12
LAST = 10**9
"""A place after every sentence of a request."""


type _SentenceRow = Callable[[str, str, str, Tone], Row]
"""Makes the row of a sentence of its key, its sign, its name and its tone."""


def spine_rows(state: SessionState, checked: Container[str] = ()) -> Iterator[Row]:
    """Two or three lines for each requirement, then the other parts of the request and the policy.

    Something about the ``checked`` ones is being stored.
    """
    if not state.understood:
        yield paragraph(muted(READING))
        return
    if owed := owed_here(state):
        yield paragraph(bad(f"✗ {plural(len(owed), 'thing')} not in force"), key=OWED)
    questions = unplaced(state)
    texts = {row.requirement.id: _on_one_line(row.requirement.text) for row in state.rows}
    texts |= {question.id: _on_one_line(question.quote or question.text) for question in questions}
    texts_by_key = tuple(texts.items())
    told: dict[int, Mapping[str, str]] = {}

    def sentence(key: str, sign: str, name: str, tone: Tone) -> Row:
        def lines(width: int) -> Sequence[Line]:
            if width not in told:  # once for all rows
                told[width] = _told_apart(texts_by_key, width)
            return _sentence(" " if key in checked else sign, name, told[width][key], tone, width)

        return Row(lines, key)

    placed = [
        (row.requirement.span.start, _requirement(row, state, sentence))
        for row in state.rows
        if _is_shown(state, row.requirement)
    ]
    placed += [(start_of(question), _unread(question, sentence)) for question in questions]
    for _, part in sorted(placed, key=itemgetter(0)):
        first = next(part)
        yield first
        yield from [Row(_CHECKED, first.key)] if first.key in checked else part
    if not placed:
        yield paragraph(muted("No requirement yet. e writes the request."))
    yield from _lists(state)


@lru_cache(maxsize=16_384)
def _on_one_line(text: str) -> str:
    return one_line(text)


@lru_cache(maxsize=8)
def _told_apart(texts: tuple[tuple[str, str], ...], width: int) -> Mapping[str, str]:
    """The texts by their keys, so that what is in sight for sure differs: each line may end a word early."""
    return told_apart(dict(texts), max(MOST_LINES * (width - _INDENT) - _LONG_WORD, 1))


@lru_cache(maxsize=16_384)
def _sentence(sign: str, name: str, text: str, tone: Tone, width: int) -> Sequence[Line]:
    """The lines of a sentence of the spine, most of which stay from one state to the next."""
    label = "" if is_made_up(name) else name
    content = line(warn(sign), TextRun(f"{label} ".rjust(4), Tone.ACCENT), TextRun(text, tone))
    return wrap(content, width, _INDENT, MOST_LINES)


def _lists(state: SessionState) -> Iterator[Row]:
    """The lists after the requirements, as far as there is something in them."""
    about_runs, theorems = _about_runs(state), state.theorems
    runs_sign = worst([theorem_sign(one) for one in theorems]) if theorems else UNKNOWN_YET
    for key, things, noun, words in (
        ("context", state.context, "sentence", "of context"),
        (ASSUMED, state.assumptions, "answer", "assumed"),
        (UNCLAIMED, state.unclaimed, "rule", "without a sentence"),
        (RUNS, about_runs, "sentence", "about runs"),
    ):
        if things:
            sign = runs_sign if things is about_runs else ""
            yield paragraph(sign, muted(f"  {plural(len(things), noun)} {words}"), key=key)
    if state.terms is not None:
        default = "allow" if state.terms.file.default_allow else "deny"
        yield paragraph(muted(f"  otherwise: {default}"), key="otherwise")


def _is_shown(state: SessionState, one: Requirement) -> bool:
    """Whether a requirement stands in the spine; a sentence that only heads others does not."""
    return not state.requested or not one.quote or state.requested_of(one.id) is not None


def spine_keys(state: SessionState) -> list[str]:
    """The keys of the spine, from its top to its end; none before the request is read."""
    if not state.understood:
        return []
    places = {name: start for name, start, _ in _places(state)}
    return [
        *([OWED] if owed_here(state) else ()),
        *sorted(places, key=places.__getitem__),
        *(row.key for row in _lists(state)),
    ]


def same_place(before: SessionState, key: str, after: SessionState) -> str:
    """The key of the sentence that a key of an earlier state named; empty if it named none.

    It is the sentence with the same words, else the sentence nearest to the old position.
    """
    new = [*_places(after)]
    for name, start, quote in _places(before):
        if name == key and new:
            words = one_line(quote)
            alike = (other for other, _, text in new if quote == text or words == one_line(text))
            return next(alike, "") or min(new, key=lambda place: abs(place[1] - start))[0]
    return ""


_NAMES: Mapping[PlaceKind, Callable[[RequirementState], Iterable[str]]] = {
    PlaceKind.REQUIREMENT: lambda row: (row.requirement.id,),
    PlaceKind.QUESTION: lambda row: (question.id for question in row.questions),
    PlaceKind.RULE: lambda row: (rule.name for rule in row.rules),
    PlaceKind.CLAUSE: lambda row: (clause.clause.id for clause in row.clauses),
    PlaceKind.CASE: lambda row: (case.id for case in row.cases),
}
"""The names of the things of a kind that belong to a requirement."""


def owner_of(state: SessionState, place: Place) -> tuple[str, str]:
    """The key of a place in the middle pane, and the requirement or question that the place belongs to."""
    kind, name = place.kind, place.name
    if kind is PlaceKind.OWED:
        return f"{OWED}:{name}", OWED
    if kind is PlaceKind.ANSWER:
        return f"assumed:{name}", ASSUMED
    names = _NAMES.get(kind or PlaceKind.CALL, lambda _row: ())
    key = f"{kind}:{name}" if kind not in (PlaceKind.REQUIREMENT, PlaceKind.QUESTION) else ""
    owner = next((row.requirement.id for row in state.rows if name in names(row)), "")
    if owner:
        return key, owner
    if kind is PlaceKind.RULE and any(rule.name == name for rule in state.unclaimed):
        return key, UNCLAIMED
    opened = kind is PlaceKind.QUESTION and any(question.id == name for question in state.open)
    return "", name if opened else ""


def _places(state: SessionState) -> Iterator[tuple[str, int, str]]:
    """The key, the start and the text of each sentence of the spine."""
    for one in state.requirements:
        if _is_shown(state, one):
            yield one.id, one.span.start, one.quote
    for question in unplaced(state):
        yield question.id, start_of(question), question.quote


def unplaced(state: SessionState) -> list[Question]:
    """The open questions that belong to no requirement, one for each sentence."""
    requirement_ids = {requirement.id for requirement in state.requirements}
    question_by_text: dict[str, Question] = {}
    for question in state.open:
        if requirement_ids.isdisjoint(question.requirements):
            question_by_text.setdefault(_on_one_line(question.quote or question.text), question)
    return list(question_by_text.values())


def _unread(question: Question, sentence: _SentenceRow) -> Iterator[Row]:
    """A sentence that is no requirement yet because a question about it is open."""
    yield sentence(question.id, "?", "", Tone.TITLE)
    yield paragraph(warn(f"     {unread_words(question).lower()}"), key=question.id)


def unread_words(question: Question) -> str:
    """What a question without a requirement is about: a sentence, or calls and tools."""
    return "Not read yet" if question.quote.strip() else "A question"


def start_of(question: Question) -> int:
    """The start of the sentence that a question is about; the end of the request if it is about none."""
    return question.span.start if question.quote.strip() else LAST


def _requirement(row: RequirementState, state: SessionState, sentence: _SentenceRow) -> Iterator[Row]:
    """Rows of a requirement: the first lines of its sentence, then its cases, clauses and calls.

    Of a sentence of a policy of calls that has none, the last row says what it is.
    """
    name = row.requirement.id
    requested = state.requested_of(name)
    read = None if requested is None else requested.state
    tone = Tone.MUTED if read is SentenceState.CONTEXT else Tone.TITLE
    yield sentence(name, "?" if row.questions else " ", name, tone)
    if read is SentenceState.CONTEXT:
        yield Row(_CONTEXT, name)
    elif requested is not None and read is SentenceState.OPEN:
        yield Row(_EXACT if requested.exact else _OPEN, name)
    else:
        yield fitted(partial(_facts, row, state.denied), name)


_CHECKED = line("     ", UNKNOWN_YET, muted(" being checked"))
CHECKED = (BLANK, Row(_CHECKED[1:]))
"""What stands in the place of a question whose answer is being stored."""
_CONTEXT, _OPEN = line(muted("     context")), line(warn("     open"))
_EXACT = line(warn("     open, in the language"))


def _facts(row: RequirementState, denied: Container[str], width: int) -> Line:
    """Cases, clauses and decided calls of a requirement in a line; the calls only if there is room."""
    cases: Line = ()
    if row.failed:
        tone = Tone.WARN if row.questions else Tone.BAD
        cases = (TextRun(f"✗{len(row.failed)}/{len(row.cases)} ", tone),)
    elif row.cases:
        cases = good("✓"), muted(f"{len(row.cases)} ")
    sign = worst([clause_sign(clause) for clause in row.clauses]) if row.clauses else UNKNOWN_YET
    facts = line("     ", cases, sign, muted(f" {_status_word(row)}"))
    count = len(row.decided)
    decided = f"{count:,} denied" if row.requirement.id in denied else plural(count, "call")
    whole = line(facts, f"  {decided}" if count else "")
    return whole if width_of(whole) <= width else facts


def _status_word(row: RequirementState) -> str:
    if row.status is None:
        return "not judged" if row.clauses else "no clause"
    refuted = [clause for clause in row.clauses if clause.status is ProofStatus.REFUTED]
    if row.status is ProofStatus.PROVED:
        if any(clause.provisional for clause in row.clauses):
            return "provisional"
        return "holds" if any(clause.only_previewed for clause in row.clauses) else "proved"
    return "provisional" if refuted and all(clause.provisional for clause in refuted) else row.status.value


# --- the lists of the spine besides the requirements: context, answers, rules without sentence, runs, default


def owed_here(state: SessionState) -> Sequence[Owed]:
    """What is not in force although no question asks about it."""
    return not_asked(state.not_in_force, state.open)


def _owed_list(state: SessionState) -> Iterable[Row]:
    """What is not in force, each with what mends it."""
    words = muted("A person said this, and the policy does not do it. Enter mends it.")
    return (paragraph(words), BLANK, *owed_rows(owed_here(state)))


def _context_rows(state: SessionState) -> Iterator[Row]:
    """The sentences that require nothing, each with the reason for that reading."""
    words = "Taken for context: no rule comes of them. Enter says that a sentence states a rule."
    yield paragraph(muted(words))
    for number, sentence in enumerate(state.context):
        key, place = f"context:{number}", muted(f"line {sentence.span.line}: ")
        yield BLANK
        yield paragraph(place, f"“{one_line(sentence.text)}”", key=key, hang=2)
        yield paragraph(muted(one_line(sentence.why) or "context"), key=key, indent=2)


def assumption_rows(state: SessionState) -> Iterator[Row]:
    """Every answer as an assumption: its statement, its sentence, and when it was given."""
    yield paragraph(muted("Enter chooses another answer, d takes it back."))
    question_by_id = {question.id: question for question in state.questions}
    for assumption in state.assumptions:
        key, question = f"assumed:{assumption.question}", question_by_id.get(assumption.question)
        yield BLANK
        yield paragraph(strong(one_line(assumption.statement)), key=key)
        if question is not None and question.quote:
            yield paragraph(muted(f"“{one_line(question.quote)}”"), key=key, indent=2)
        why = f"; {one_line(assumption.why)}" if assumption.why else ""
        keys = ": y says yes, = yes to all, e edits agent.toml" if is_unconfirmed(assumption) else ""
        when = f"{assumption.when.replace('T', ' ')[:16]}{assumption.by_default}{keys}{why}"
        yield paragraph(muted(when), key=key, indent=2)
        if state.terms is not None and has_lapsed(assumption, state.questions):
            yield paragraph(warn(LAPSED), key=key, indent=2)


def _unclaimed_rows(state: SessionState) -> Iterable[Row]:
    """The rules that no sentence of the request asks for."""
    rules = chain.from_iterable(rule_rows(state, rule) for rule in state.unclaimed)
    return (paragraph(muted("Rules that no sentence of the request asks for.")), *rules)


def _about_runs(state: SessionState) -> Mapping[str, str]:
    """The sentences of the theorems about whole runs, by their names."""
    return {} if state.terms is None else state.terms.file.theorems


def runs_rows(state: SessionState) -> Iterator[Row]:
    """The sentences about whole runs, each with the preview's verdict once there is one."""
    found = {one.name: one for one in state.theorems}
    yield paragraph(muted("What holds of every run that the guard lets through."))
    for name, sentence in _about_runs(state).items():
        yield BLANK
        if name in found:
            yield from theorem_rows(found[name])
        else:
            yield paragraph(UNKNOWN_YET, strong(f" {one_line(sentence)}"), key=f"theorem:{name}", hang=2)
            yield paragraph(muted("not judged yet"), key=f"theorem:{name}", indent=2)


def _otherwise(state: SessionState) -> Iterable[Row]:
    """The decision if no rule applies."""
    words = "A call is denied unless a rule permits it and none forbids it."
    if state.terms is not None and state.terms.file.default_allow:
        words = "A call that no rule forbids is allowed."
        if not all(rule.forbids for rule in state.terms.rules):
            words += " Of a tool that a rule permits, only what a rule permits is."
    return [paragraph(words)]


LISTS: Mapping[str, tuple[str, Callable[[SessionState], Iterable[Row]]]] = {
    OWED: ("Not in force", _owed_list),
    "context": ("Context", _context_rows),
    ASSUMED: ("Answers", assumption_rows),
    UNCLAIMED: ("Rules without a sentence", _unclaimed_rows),
    RUNS: ("Sentences about runs", runs_rows),
    "otherwise": ("Otherwise", _otherwise),
}
"""The name and the rows of each list of the spine, by its key."""
