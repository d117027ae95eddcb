"""The author that asks a model at any OpenAI-compatible endpoint, or replays the records of an earlier run.

A draft is a function of the model's replies: the same records give the same draft. The analysis is asked for
once. Every requirement has its own calls for rules, contract and cases, so an answer to a question causes
calls only for the requirements that it changes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.author.doubts import short_hash
from workbench.author.model.assemble import assemble
from workbench.author.model.client import ModelClient
from workbench.author.model.draft_findings import Accuser, Finding, JudgedVersion, evaluable, judge, show
from workbench.author.model.expression_check import line
from workbench.author.model.generator_targets import targets, unexpressed, with_defaults
from workbench.author.model.generators import Generators
from workbench.author.model.prompts import ask_for_uses
from workbench.author.model.questions_after_loop import Settled, differing, empty, settled
from workbench.author.model.quotation_places import may_state_rule
from workbench.author.model.recording import StoredCall
from workbench.author.model.refine import Refined, Round, refine
from workbench.author.model.reply_schemas import Uses
from workbench.author.model.requirement_parts import CasesPart, ClausesPart, RulesPart, Target, Unit
from workbench.author.model.sampled_drafts import Sampled, differences, follow
from workbench.author.model.shown_demonstrations import drafted_with, no_demonstrations, shown_demonstrations
from workbench.author.model.usable_reply import Conversation
from workbench.author.model.validator import ReadRequest, analysis_prompt, read_request
from workbench.author.rules.lexicon import effective_arguments
from workbench.engines.compiled.compile import compile_policy
from workbench.model import (
    AgentSpec,
    Argument,
    Case,
    Demonstration,
    Doubt,
    Draft,
    DraftRound,
    Question,
    Requirement,
    Verdict,
    WorkbenchError,
)
from workbench.policy.check import check
from workbench.policy.problems import PolicyError
from workbench.question_wording import question_about

SAMPLE_TEMPERATURE = 0.7
_MOST_KEPT = 16
"""The number of drafts that are kept: a look at the questions takes one for each answer that is possible."""

type _Asked = tuple[str, frozenset[tuple[str, str]], str]
"""A request, the choices, and the part of the prompts about actions that were decided before."""


@dataclass(frozen=True, slots=True)
class Drafting:
    """A draft and how it came about.

    ``rounds`` are the versions of the refinement loop; the draft is the best of them. ``stopped`` is why the
    loop ended, ``cases`` are the model's own test cases, and ``refused`` lists what was rejected in the
    model's replies.
    """

    draft: Draft
    rounds: tuple[Round, ...]
    best: int
    stopped: str
    cases: tuple[Case, ...]
    refused: tuple[str, ...]


class OpenAIAuthor:
    """Drafts by asking a model (VeriGuard, section 3.2). Implements ``Author`` and ``Renews``.

    ``rounds`` bounds the refinement loop, ``samples`` is the number of drafts that are compared, and
    ``tries`` the number of replies to one question. ``demonstrations`` gives those shown to the model for a
    request, nearest first. ``calls`` gives the recorded calls: a draft made with other demonstrations is kept
    until it is renewed.
    """

    def __init__(
        self,
        client: ModelClient,
        *,
        rounds: int = 3,
        samples: int = 1,
        tries: int = 3,
        demonstrations: Callable[[str], Sequence[Demonstration]] = no_demonstrations,
        calls: Callable[[], Sequence[StoredCall]] = tuple,
        silent: frozenset[Accuser] = frozenset(),
    ) -> None:
        """Take the client that asks or replays; the accusers in ``silent`` are skipped."""
        self.client = client
        self._demonstrations = demonstrations
        self._calls = calls
        self._renewing = False
        self._kept: dict[_Asked, list[tuple[AgentSpec, Draft]]] = {}
        self._rounds = rounds
        self._samples = samples
        self._silent = silent
        self._talk = Conversation(client, tries=tries)

    def another(
        self, client: ModelClient, *, silent: frozenset[Accuser], rounds: int | None = None
    ) -> OpenAIAuthor:
        """An author with the same settings but another client, and without the ``silent`` accusers."""
        return OpenAIAuthor(
            client,
            rounds=self._rounds if rounds is None else rounds,
            samples=self._samples,
            tries=self._talk.tries,
            demonstrations=self._demonstrations,
            calls=self._calls,
            silent=silent,
        )

    def renew(self) -> None:
        """Make the next draft with the current demonstrations, if a model can be asked."""
        self._renewing = not self.client.replay_only

    def untold(self, draft: Draft, choices: Mapping[str, str]) -> frozenset[str]:
        """None: each draft is made with all answers."""
        del draft, choices
        return frozenset()

    def draft(self, request: str, spec: AgentSpec, choices: Mapping[str, str]) -> Draft:
        """Draft policy and contract of the request under the choices.

        The last drafts are kept: the client has recorded every reply to the same prompts, so another draft
        would be equal, and one operation of a user needs the same draft several times. Raises ModelError if
        the model cannot be asked or its analysis cannot be used, and WorkbenchError if the agent spec has no
        arguments.
        """
        decided = self._decided(request, spec)
        asked = request, frozenset(choices.items()), decided
        known = self._kept.pop(asked, [])
        draft = next((draft for used, draft in known if used == spec), None)
        if draft is None:
            draft = self._drafting(request, spec, choices, decided).draft
            known = [*known, (spec, draft)][-_MOST_KEPT:]
        self._kept[asked] = known  # the last one again
        for oldest in [*self._kept][:-_MOST_KEPT]:
            self._kept.pop(oldest, None)  # another thread may have removed it
        return draft

    def drafting(self, request: str, spec: AgentSpec, choices: Mapping[str, str]) -> Drafting:
        """The draft with its rounds, the model's cases, and what was rejected in the replies."""
        return self._drafting(request, spec, choices, self._decided(request, spec))

    def _drafting(self, request: str, spec: AgentSpec, choices: Mapping[str, str], decided: str) -> Drafting:
        arguments = effective_arguments(spec)
        self._talk = replace(self._talk, cancelled=threading.Event())
        read = read_request(self._talk, request, spec, arguments, choices, decided)
        lacking, strange = _ask_uses(self._talk, read.requirements, spec, arguments)
        read = replace(read, questions=(*read.questions, *lacking), refused=(*read.refused, *strange))
        generators = Generators(self._talk, spec, arguments, read.otherwise, decided)

        def write(units: Sequence[Unit]) -> str:
            return assemble(read.title, settled(units, spec, choices).units, arguments, read.otherwise)

        read = self._with_defaults(request, read, choices, generators, write)
        defaults = {question.id: question.default for question in read.questions if question.default}
        all_choices = {**defaults, **choices}
        units = _all_parts(
            generators, targets(request, read, all_choices), tested=Accuser.CASE not in self._silent
        )
        sampled = self._sampled(generators, units, write)
        units = follow(units, sampled, choices, write)
        answers = tuple(reply.answer(choices) for reply in sampled)

        def judged(version: Sequence[Unit]) -> JudgedVersion:
            # The model's own rules are judged: that no person has confirmed a word yet is no fault of a rule.
            policy_text = assemble(read.title, version, arguments, read.otherwise)
            return replace(judge(policy_text, version, answers, self._silent), policy=write(version))

        refined = refine(units, generators, judged, most_rounds=self._rounds)
        closed = settled(refined.best_round.units, spec, choices)
        ended = _differences(
            closed.units, refined.best_round.findings, choices, read, write, answers, self._silent
        )
        said = _as_answered(refined.best_round.units, ended, choices)
        raw = assemble(read.title, said, arguments, read.otherwise)
        tested = _contested(ended.units, raw, choices)
        further_questions = (
            *(sampled.question for sampled in sampled),
            *closed.questions,
            *ended.questions,
            *unexpressed(refined.best_round.units, choices),
            *empty(refined.best_round.units),
            *tested.questions,
        )
        policy = write(ended.units) if ended.questions else refined.best_round.policy
        return _finished(
            read, refined, tested.cases, policy, (*read.questions, *further_questions), arguments, choices
        )

    def _decided(self, request: str, spec: AgentSpec) -> str:
        """The part of the prompts that shows actions that were decided before."""
        arguments = effective_arguments(spec)
        if not arguments:
            raise WorkbenchError("The agent spec has no arguments; declare what a policy may speak of.")
        current = shown_demonstrations(self._demonstrations(request))
        renewing, self._renewing = self._renewing, False
        if renewing:
            return current
        return drafted_with(
            self._calls(), lambda decided: analysis_prompt(request, spec, arguments, decided), current
        )

    def _with_defaults(
        self,
        request: str,
        read: ReadRequest,
        choices: Mapping[str, str],
        generators: Generators,
        write: Callable[[Sequence[Unit]], str],
    ) -> ReadRequest:
        """The reading, with the safe reading of each open question as its default, if there is one."""
        all_targets = targets(request, read, choices)
        if not any(target.choice for target in all_targets):
            return read
        rules = generators.talk.at_once(generators.rules, all_targets)
        units = [
            Unit(target, part, ClausesPart(), CasesPart())
            for target, part in zip(all_targets, rules, strict=True)
        ]
        return replace(read, questions=with_defaults(read.questions, units, choices, write))

    def _sampled(
        self, generators: Generators, units: Sequence[Unit], write: Callable[[Sequence[Unit]], str]
    ) -> tuple[Sampled, ...]:
        """The drafts of the other samples that decide some input differently from the first."""
        drafts: list[tuple[Unit, ...]] = []
        for number in range(1, self._samples):
            talk = replace(self._talk, temperature=SAMPLE_TEMPERATURE, seed=number)
            other_generators = replace(generators, talk=talk)
            drafts.append(tuple(replace(unit, rules=other_generators.rules(unit.target)) for unit in units))
        return differences(units, drafts, write)


def _binding(target: Target) -> bool:
    """Whether the words of a target may state a rule; otherwise there is nothing to test."""
    words = f"{target.requirement.quote} {' '.join(target.assumptions)}"
    return may_state_rule(words) or target.requirement.text == target.passage


def _all_parts(generators: Generators, targets: Sequence[Target], *, tested: bool) -> tuple[Unit, ...]:
    """The units of the targets, made kind by kind, because a server caches the common prefix of prompts.

    A requirement without passage is one that a person left out. Cases are asked for only if ``tested``.
    """
    at_once = generators.talk.at_once
    rules = at_once(lambda target: generators.rules(target) if target.passage else RulesPart(), targets)
    clauses = at_once(lambda target: generators.clauses(target) if target.passage else ClausesPart(), targets)

    def cases_of(target: Target, rule: RulesPart, clause: ClausesPart) -> CasesPart:
        if tested and target.passage and _binding(target) and _decides(rule, clause):
            return generators.cases(target)
        return CasesPart()

    cases = at_once(lambda parts: cases_of(*parts), list(zip(targets, rules, clauses, strict=True)))
    return tuple(map(Unit, targets, rules, clauses, cases))


def _decides(rules: RulesPart, clauses: ClausesPart) -> bool:
    """Whether a requirement gave rules or clauses, or failed to; otherwise there is nothing to test."""
    return bool(rules.rules or clauses.clauses or rules.wrong or clauses.wrong)


def _differences(
    units: tuple[Unit, ...],
    findings: Sequence[Finding],
    choices: Mapping[str, str],
    read: ReadRequest,
    write: Callable[[Sequence[Unit]], str],
    answers: Sequence[Case],
    silent: frozenset[Accuser],
) -> Settled:
    """The units with both readings wherever a clause is still refuted.

    Closing one difference may show another; each pass settles at least one requirement.
    """
    questions: dict[str, Question] = {}
    for _ in range(len(units) + 1):
        settlement = differing(units, findings, choices, read.otherwise)
        if not settlement.questions or all(question.id in questions for question in settlement.questions):
            break
        questions.update({question.id: question for question in settlement.questions})
        units = settlement.units
        findings = judge(write(units), units, answers, silent).findings
    return Settled(units, tuple(questions.values()))


def _finished(
    read: ReadRequest,
    refined: Refined,
    cases: tuple[Case, ...],
    policy: str,
    questions: tuple[Question, ...],
    arguments: Sequence[Argument],
    choices: Mapping[str, str],
) -> Drafting:
    """The draft of the best round, with ``policy``, which is strict while a question about it is open."""
    best_round = refined.best_round
    texts = {unit.target.requirement.id: unit.target.requirement.text for unit in best_round.units}
    requirements = tuple(
        replace(
            requirement,
            text=texts.get(requirement.id, requirement.text),
            assumptions=tuple(
                q.id for q in questions if requirement.id in q.requirements and q.id in choices
            ),
        )
        for requirement in read.requirements
    )
    rounds = tuple(
        DraftRound(
            draft_round.policy,
            f"{draft_round.score.proved} clauses proved, {draft_round.score.passed} cases passed",
            draft_round.critique,
            draft_round is best_round,
        )
        for draft_round in refined.rounds
    )
    draft = Draft(
        read.sentences,
        requirements,
        tuple(arguments),
        policy,
        questions,
        cases=_kept_cases(cases, policy),
        rounds=rounds,
        stopped=str(refined.stopped),
    )
    wrong = (
        f"{unit.target.requirement.id}: {reason}"
        for unit in best_round.units
        for part in (unit.rules, unit.clauses, unit.cases)
        for reason in part.wrong
    )
    return Drafting(draft, refined.rounds, refined.best, str(refined.stopped), cases, (*read.refused, *wrong))


def _kept_cases(cases: Sequence[Case], policy: str) -> tuple[Case, ...]:
    """The cases that the session keeps: those on whose inputs the policy can be run."""
    try:
        terms = check(policy)
    except PolicyError:
        return ()
    return tuple(replace(case, arguments=evaluable(terms, case.arguments)) for case in cases)


def _as_answered(units: Sequence[Unit], ended: Settled, choices: Mapping[str, str]) -> list[Unit]:
    """The model's own units; where a person chose between rules and contract, the chosen reading."""
    answered = {
        name for question in ended.questions if question.id in choices for name in question.requirements
    }
    chosen = {unit.target.requirement.id: unit for unit in ended.units}
    return [
        chosen[unit.target.requirement.id] if unit.target.requirement.id in answered else unit
        for unit in units
    ]


# --- the arguments' schema (VeriGuard, section 3.2): the arguments that rules need, and the missing facts

_LEAVE = "leave"
_NOTHING = frozenset({"", "none", "nothing", "n/a", "null", "no", "-"})


def _ask_uses(
    talk: Conversation, requirements: Sequence[Requirement], spec: AgentSpec, arguments: Sequence[Argument]
) -> tuple[tuple[Question, ...], tuple[str, ...]]:
    """A question for each fact that a rule needs and the agent spec lacks; and the faults of a refused reply.

    The model names arguments but cannot add one, because only the spec can define its extraction.
    """
    if not requirements:
        return (), ()
    ids = {requirement.id for requirement in requirements}
    reply, wrong = talk.ask(
        "arguments",
        ask_for_uses([(requirement.id, requirement.text) for requirement in requirements], spec, arguments),
        Uses,
        lambda reply: list(_strange(reply, ids, arguments)),
    )
    if reply is None:
        return (), tuple(wrong)
    by_id = {requirement.id: requirement for requirement in requirements}
    questions: dict[str, Question] = {}
    for use in reply.rules:
        fact = line(use.lacking).strip(".").strip()
        supplied = fact.lower() in _NOTHING or _supplied(fact, arguments)
        if use.rule in by_id and not supplied:
            question = _lacking(by_id[use.rule], fact)
            questions.setdefault(question.id, question)
    return tuple(questions.values()), tuple(wrong)


def _strange(reply: Uses, ids: set[str], arguments: Sequence[Argument]) -> Iterator[str]:
    names = {argument.name for argument in arguments}
    for use in reply.rules:
        if use.rule not in ids:
            yield f"There is no rule {use.rule!r}; the rules are {', '.join(sorted(ids))}."
        for name in use.arguments:
            if name not in names:
                yield f'There is no argument {name!r}; what the rules lack belongs into "lacking".'


def _supplied(fact: str, arguments: Sequence[Argument]) -> bool:
    """Whether an argument has this fact as its name or as its whole description."""
    lowered = fact.lower()
    return any(lowered in (argument.name.lower(), argument.description.lower()) for argument in arguments)


def _lacking(requirement: Requirement, lacking: str) -> Question:
    return question_about(
        Doubt(
            id=f"argument:{short_hash(requirement.quote + lacking)}",
            kind="model-argument",
            quote=requirement.quote,
            span=requirement.span,
            values=(_LEAVE,),
            requirements=(requirement.id,),
            free_text=True,
            facts={"lacking": lacking},
        )
    )


# --- test cases of a model that still contradict its rules after the loop, as questions about their inputs
#
# Separate calls write the rules, contract and cases of a requirement. If a case alone contradicts the
# other two, only a person can say which is right. Until then the case is kept and fails.

_SAID = {Verdict.ALLOW: "allowed", Verdict.DENY: "denied"}


@dataclass(frozen=True, slots=True)
class _Contested:
    """The cases as they are kept, and the questions about those that fail."""

    cases: tuple[Case, ...]
    questions: tuple[Question, ...]


def _contested(units: Sequence[Unit], policy: str, choices: Mapping[str, str]) -> _Contested:
    """Run the cases of the units against ``policy``: all cases, and a question about each that fails.

    An answer becomes the expected decision of the case. The case then passes, or shows that the policy must
    change.
    """
    cases = [
        (unit.target.requirement, case)
        for unit in units
        if not unit.target.choice
        for case in unit.cases.cases
    ]
    try:
        terms = check(policy)
    except PolicyError:
        return _Contested(tuple(case for _, case in cases), ())
    compiled = compile_policy(terms)
    settled_cases: list[Case] = []
    questions: list[Question] = []
    for requirement, case in cases:
        decided = compiled.decide(evaluable(terms, case.arguments)).verdict
        if decided is case.expected:
            settled_cases.append(case)
            continue
        question = _question(requirement, case, decided)
        questions.append(question)
        answer = choices.get(question.id, "")
        if answer in tuple(Verdict):
            reason = f"{requirement.id}: decided by a person, against a case of the model"
            case = replace(case, expected=Verdict(answer), reason=reason)
        settled_cases.append(case)
    return _Contested(tuple(settled_cases), tuple({question.id: question for question in questions}.values()))


def _question(requirement: Requirement, case: Case, decided: Verdict) -> Question:
    shown_arguments = show(case.arguments)
    doubt = Doubt(
        id=f"case:{short_hash(requirement.quote + shown_arguments)}",
        kind="model-case",
        quote=requirement.quote,
        span=requirement.span,
        values=(decided, case.expected),
        requirements=(requirement.id,),
        facts={
            "shown": shown_arguments,
            "reason": case.reason.removeprefix(f"{requirement.id}: "),
            "expected": _SAID[case.expected],
            "decided": _SAID[decided],
        },
    )
    return question_about(doubt, case.arguments)
