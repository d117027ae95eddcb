"""The assumptions of an unattended run: the most restrictive reading that fits the known cases.

VeriGuard's validator may run without a person (section 3.1). Then every combination of answers to the open
questions is a reading of the request. The chosen reading is *consistent*: it decides every stored case as the
case expects, and leaves something allowed of each permission that a sentence plainly states. Among the
consistent readings, no other is narrower than the chosen one; the solver proves that. A demand that no
reading meets does not distinguish readings and is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from workbench.clarify.examples import allows
from workbench.clarify.question_selection import find_questions
from workbench.clarify.situation import Situation
from workbench.engines.compiled.compile import CompiledPolicy, compile_policy
from workbench.engines.smt.inclusion import allowed_by_both, narrower
from workbench.model import Case, Question, Verdict, WorkbenchError
from workbench.policy.check import check
from workbench.policy.render import FunctionText, render_policy
from workbench.policy.terms import Parameter, PolicyTerms

# Readings that are compared with one another; with more, groups of questions are decided, each with at
# most GROUP readings while the answers to all other questions are fixed.
READINGS = 96
GROUP = 16
ROUNDS = 8
# Logged inputs that are run before the solver checks whether a reading is narrower.
RUN_FIRST = 300


@dataclass(frozen=True, slots=True)
class TakenDefault:
    """The answer that an unattended run takes; ``why`` is the reason if it is not the question's default."""

    question: Question
    value: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Reading:
    """A combination of answers and its policy; an empty answer leaves its question open."""

    answers: tuple[tuple[str, str], ...]
    policy: CompiledPolicy

    @property
    def terms(self) -> PolicyTerms:
        return self.policy.terms


@dataclass(frozen=True, slots=True)
class _Demand:
    """A demand on readings: a case, or a permission that must not be left empty."""

    name: str
    case: Case | None = None
    permission: PolicyTerms | None = None


def unattended(
    situation: Situation, cases: Sequence[Case] = (), fixed: frozenset[str] = frozenset()
) -> tuple[TakenDefault, ...]:
    """The answers to take without a person, in asking order; a question that needs a person has no answer.

    Generated cases are no demands, because they repeat the draft's decisions. ``fixed`` are questions for
    which a person rejected all readings.
    """
    default_by_question: dict[str, TakenDefault] = {}
    left = set(fixed)
    current = situation
    for _ in range(ROUNDS):
        questions = [question for question in find_questions(current) if question.id not in current.choices]
        questions = [question for question in questions if question.id not in left]
        if not questions:
            break
        for taken_default in _Search(current, cases, questions).taken_defaults():
            default_by_question[taken_default.question.id] = taken_default
        left |= {question.id for question in questions if question.id not in default_by_question}
        current = situation.under(
            {
                **situation.choices,
                **{id_: taken_default.value for id_, taken_default in default_by_question.items()},
            }
        )
    return tuple(default_by_question.values())


def _answers(question: Question) -> tuple[str, ...]:
    """The answers that may be assumed for a question, its default first; the empty answer leaves it open.

    An unread sentence is never assumed to be context, nor to have one of the readings of a part of it.
    """
    if question.free_text and question.blocking:
        return ("",)
    values = tuple(option.value for option in question.options if option.value != question.default)
    return (question.default, *values) if len(question.options) > 1 else (question.default,)


def _groups(sizes: Sequence[int]) -> Iterator[range]:
    """Yield groups of question positions with at most ``GROUP`` readings, given the numbers of answers."""
    start = end = 0
    while end < len(sizes):
        readings, end = sizes[start], start + 1
        while end < len(sizes) and readings * sizes[end] <= GROUP:
            readings, end = readings * sizes[end], end + 1
        yield range(start, end)
        start += max(1, (end - start) // 2)


class _Search:
    """The readings of the questions of one round, and the choice between them."""

    def __init__(self, situation: Situation, cases: Sequence[Case], questions: Sequence[Question]) -> None:
        self._situation = situation
        self._questions = questions
        self._demands = (*_of_cases(cases), *_of_permissions(situation))
        self._known: dict[tuple[str, str], bool] = {}
        self._readings: list[_Reading] = []

    def taken_defaults(self) -> Iterator[TakenDefault]:
        """Yield the answers of the chosen reading, without questions that it leaves open."""
        axes = [[(question.id, value) for value in _answers(question)] for question in self._questions]
        size = 1
        for axis in axes:
            size *= len(axis)
        best = self._best(axes) if size <= READINGS else self._in_groups(axes)
        answers = dict(best.answers) if best is not None else {}
        for question in self._questions:
            value = answers.get(question.id, question.default)
            if value:
                why = self._why(best, question) if best and value != question.default else ""
                yield TakenDefault(question, value, why)

    def _best(self, axes: Sequence[Sequence[tuple[str, str]]]) -> _Reading | None:
        """A consistent combination such that no other consistent combination is narrower.

        If the cases contradict the permissions of the request, the cases decide.
        """
        self._readings = [
            reading for combination in product(*axes) if (reading := self._reading(combination)) is not None
        ]
        of_cases = tuple(demand for demand in self._demands if demand.case is not None)
        for demands in (self._demands, of_cases, ()):
            if (best := self._narrowest(demands)) is not None:
                return best
        return None

    def _narrowest(self, demands: tuple[_Demand, ...]) -> _Reading | None:
        best: _Reading | None = None
        for reading in self._readings:
            if (best is None or self._narrower(reading, best)) and self._consistent(reading, demands):
                best = reading
        return best

    def _in_groups(self, axes: Sequence[Sequence[tuple[str, str]]]) -> _Reading | None:
        """Like ``_best``, group by group, with the answers to all other questions fixed.

        Groups overlap by half, so that neighbours are decided together. They are repeated until no answer
        changes.
        """
        answers: list[tuple[str, str]] = [axis[0] for axis in axes]
        best: _Reading | None = None
        for _ in range(ROUNDS):
            before = list(answers)
            for group in _groups([len(axis) for axis in axes]):
                group_axes = [
                    axes[place] if place in group else [answers[place]] for place in range(len(axes))
                ]
                best = self._best(group_axes)
                answers = list(best.answers) if best is not None else answers
            if answers == before:
                break
        return best

    def _reading(self, answers: tuple[tuple[str, str], ...]) -> _Reading | None:
        terms = self._situation.terms_under({id_: value for id_, value in answers if value})
        return _Reading(answers, compile_policy(terms)) if terms is not None else None

    def _narrower(self, reading: _Reading, best: _Reading) -> bool:
        for arguments in self._situation.inputs[:RUN_FIRST]:
            if allows(reading.policy, arguments) and not allows(best.policy, arguments):
                return False
        return narrower(reading.terms, best.terms)

    def _consistent(self, reading: _Reading, demands: tuple[_Demand, ...]) -> bool:
        """Whether a reading meets every demand that some reading meets."""
        return not any(self._matters(demand) for demand in demands if not self._meets(reading, demand))

    def _matters(self, demand: _Demand) -> bool:
        return any(self._meets(reading, demand) for reading in self._readings)

    def _meets(self, reading: _Reading, demand: _Demand) -> bool:
        key = reading.terms.source, demand.name
        if key not in self._known:
            self._known[key] = _meets(reading.policy, demand)
        return self._known[key]

    def _why(self, best: _Reading, question: Question) -> str:
        """The reason why the default of a question was not taken: the demand that it does not meet."""
        answers = tuple((id_, question.default if id_ == question.id else v) for id_, v in best.answers)
        default_reading = self._reading(answers)
        if default_reading is not None:
            for demand in self._demands:
                if self._meets(best, demand) and not self._meets(default_reading, demand):
                    return f"{'Its default' if question.default else 'Without it, the draft'} {demand.name}."
        return "It is narrower than the default." if question.default else ""


def _meets(policy: CompiledPolicy, demand: _Demand) -> bool:
    if demand.case is not None:
        return allows(policy, demand.case.arguments) == (demand.case.expected is Verdict.ALLOW)
    assert demand.permission is not None
    try:
        return allowed_by_both(policy.terms, demand.permission) is not None
    except WorkbenchError:
        return True


def _of_cases(cases: Sequence[Case]) -> Iterator[_Demand]:
    for case in cases:
        if case.origin != "generated" and case.expected is not Verdict.CANNOT_EVALUATE:
            yield _Demand(f"fails the case {case.id}", case=case)


def _of_permissions(situation: Situation) -> Iterator[_Demand]:
    """Yield a demand for each sentence that plainly permits something."""
    draft = situation.draft
    quotes = {requirement.id: " ".join(requirement.quote.split()) for requirement in draft.requirements}
    arguments = tuple(Parameter(argument.name, argument.type) for argument in draft.arguments)
    for requirement, body in draft.permissions.items():
        source = render_policy(
            title="What one sentence permits.",
            arguments=arguments,
            rules=[FunctionText("permit_said", body, "Permitted.", (requirement,))],
            default_allow=False,
        )
        try:
            permission = check(source)
        except WorkbenchError:
            continue
        quote = quotes.get(requirement.partition(",")[0], requirement)
        yield _Demand(f"leaves nothing of what “{quote}” permits", permission=permission)
