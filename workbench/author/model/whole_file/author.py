"""The author in the style ``file``: a draft is the stored result of the loop over whole files.

A drafting is made once for a request and a person's part of the agent file. Later drafts are read from the
stored drafting. Answers given since then reach the model only with ``renew``, all at once. So an answer by
itself causes no call.

Answers that a stored draft does not contain, and a policy that denies what they concern until a redraft.

A model drafts one reading of a question. Which reading is stricter is what the solver would have to prove of
two drafts, and never what the model says. So until the model drafted with a person's answer, all that the
requirements of the question may decide is denied.

The stored drafting of a loop that has ended.

A person's answers to the questions of a former drafting.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from workbench.author.model.client import ModelClient
from workbench.author.model.context_questions import CONTEXT, unread_sentence, unstated_requirement
from workbench.author.model.errors import ModelError
from workbench.author.model.extraction import ModelReader
from workbench.author.model.shown_demonstrations import no_demonstrations
from workbench.author.model.whole_file import prompts
from workbench.author.model.whole_file.blocks import NotUsable, block
from workbench.author.model.whole_file.contested_inputs import (
    ContestedInput,
    answered_case,
    case_id,
    closed,
    decisions,
    disputes,
)
from workbench.author.model.whole_file.critics import (
    CRITICS,
    CheckedVersion,
    Critic,
    DifferingAnswer,
    FormerDraft,
    WrittenPart,
    case_key,
)
from workbench.author.model.whole_file.design import (
    AgentNotation,
    Design,
    given_parts,
    open_sentences,
    read_agent_parts,
    read_design,
    without_parts,
)
from workbench.author.model.whole_file.loop import FileRound, Loop, LoopResult, Version
from workbench.author.model.whole_file.model_cases import CasesUnder, RunCase, read_cases
from workbench.author.model.whole_file.reply_parts import DENY_ALL, NO_CONTRACT, read_parts, written
from workbench.author.model.whole_file.run_shapes import looked_at, shapes
from workbench.author.model.whole_file.stored_drafting import (
    AMBIGUITY,
    UNREADABLE,
    KeepsDrafting,
    KeptDrafting,
    KeptPlace,
    KeptQuestion,
    KeptReplies,
    KeptRequirement,
    KeptRound,
    drafted_value,
    kept_question,
    key_of,
    question_of,
    sentences_of,
    untold,
    with_example,
)
from workbench.author.protocol import CASE
from workbench.dialect.call_types import agent_types
from workbench.dialect.file_imports import with_imports
from workbench.dialect.lowered_policy import LoweredPolicy, lowered_policy
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
    Run,
    Span,
    Verdict,
    WorkbenchError,
    span_of,
)
from workbench.policy.problems import PolicyError
from workbench.policy.render import format_policy
from workbench.policy.terms import PolicyTerms
from workbench.question_wording import question_about

_MOST_DRAFTS = 64
MOST_OF_REQUEST = 60_000
"""The most characters of a request that a model is given: each of its calls has the whole."""


@dataclass(frozen=True, slots=True)
class FileStyle:
    """The parts of a session that the style ``file`` needs: notation, runs, and the store of a drafting.

    ``demonstrations`` gives those that are shown to a model for a request, nearest first.
    """

    notation: AgentNotation
    runs: Callable[[AgentSpec], Sequence[Run]]
    store: KeepsDrafting
    demonstrations: Callable[[str], Sequence[Demonstration]] = no_demonstrations


@dataclass(frozen=True, slots=True)
class _CachedDraft:
    """A draft with the inputs from which it was made."""

    request: str
    spec: AgentSpec
    drafting: KeptDrafting | None
    draft: Draft

    def is_of(self, request: str, spec: AgentSpec, drafting: KeptDrafting | None) -> bool:
        """Whether these inputs give the same draft."""
        return (
            drafting is self.drafting and request == self.request and (spec is self.spec or spec == self.spec)
        )


class FileAuthor:
    """Drafts by VeriGuard's loop over whole files. Implements ``Author`` and ``Renews``."""

    def __init__(
        self,
        client: ModelClient,
        style: FileStyle,
        *,
        rounds: int = 3,
        tries: int = 3,
        critics: frozenset[Critic] = CRITICS,
    ) -> None:
        """Take the bounds of the refinement (``rounds``) and of agent file replies (``tries``).

        ``critics`` are those that are switched on.
        """
        self.client = client
        self._reader = ModelReader(client)
        self._style = style
        self._rounds = rounds
        self._tries = tries
        self._critics = critics
        self._renewing = False
        self._cache: dict[tuple[tuple[str, str], ...], _CachedDraft] = {}

    def renew(self) -> None:
        """Make the next draft continue the stored drafting, with the answers given since then."""
        self._renewing = True

    def untold(self, draft: Draft, choices: Mapping[str, str]) -> frozenset[str]:
        """The questions whose answers differ from what the stored drafting was made with."""
        drafting = self._style.store.read()
        if drafting is None or draft.agent is None:
            return frozenset()
        return differing(drafting, self._under(drafting.policy, draft.agent), choices)

    def assumed(self) -> Mapping[str, str]:
        """The reading that the stored drafting has of each question about words, and a denial of each input.

        A sentence that the model did not read has no value: nobody but a person may leave it out.
        """
        drafting = self._style.store.read()
        if drafting is None:
            return {}
        values = {
            question.id: Verdict.DENY.value if question.kind == CASE else drafted_value(question, drafting)
            for question in drafting.questions
        }
        return {name: value for name, value in values.items() if value}

    def draft(self, request: str, spec: AgentSpec, choices: Mapping[str, str]) -> Draft:
        """The stored draft under the choices, or a new one if there is none for this request and agent.

        Raises ModelError if the model cannot be asked, or never gives a usable reading of the request.
        """
        drafting = self._style.store.read()
        if (
            not self._renewing
            and (cached := self._cache.get(_choice_key(choices)))
            and cached.is_of(request, spec, drafting)
        ):
            return cached.draft
        given_spec = self._given_spec(spec, drafting)
        key = key_of(request, self._style.notation.write(given_spec))
        renewing, self._renewing = self._renewing, False
        current = drafting if drafting is not None and drafting.key == key else None
        if current is None or (renewing and self._news(current, choices)):
            current = self._drafted(request, given_spec, choices, key, current)
            self._style.store.write(current)
        draft = self._as_draft(current, request, given_spec, choices)
        self._cache[_choice_key(choices)] = _CachedDraft(request, spec, self._style.store.read(), draft)
        while len(self._cache) > _MOST_DRAFTS:
            self._cache.pop(next(iter(self._cache)))
        return draft

    def another(
        self,
        client: ModelClient,
        store: KeepsDrafting,
        *,
        silent: frozenset[Critic],
        rounds: int | None = None,
    ) -> FileAuthor:
        """An author of the same agent that stores its drafting elsewhere, without the ``silent`` critics."""
        return FileAuthor(
            client,
            replace(self._style, store=store),
            rounds=self._rounds if rounds is None else rounds,
            tries=self._tries,
            critics=self._critics - silent,
        )

    # --- a person's part ----------------------------------------------------------

    def given_spec(self, spec: AgentSpec) -> AgentSpec:
        """The agent spec without the parts that the model wrote."""
        return self._given_spec(spec, self._style.store.read())

    def _given_spec(self, spec: AgentSpec, drafting: KeptDrafting | None) -> AgentSpec:
        """The agent spec without the model's parts, and without the arguments of the policy."""
        texts = () if drafting is None else (drafting.agent, drafting.former_agent)
        given = replace(spec, arguments=())
        for text in texts:
            given = without_parts(given, text, self._style.notation) if text.strip() else given
        return given

    def _news(self, drafting: KeptDrafting, choices: Mapping[str, str]) -> bool:
        """Whether there is an answer that the model does not know yet, or no policy yet."""
        return bool(untold(drafting, choices)) or not drafting.policy

    # --- drafting -----------------------------------------------------------------

    def _drafted(
        self,
        request: str,
        given_spec: AgentSpec,
        choices: Mapping[str, str],
        key: str,
        former: KeptDrafting | None,
    ) -> KeptDrafting:
        if len(request) > MOST_OF_REQUEST:
            raise ModelError(
                f"The request has {len(request):,} characters; a model is given at most {MOST_OF_REQUEST:,}. "
                "Keep the sentences that state rules, or say them yourself."
            )
        runs = looked_at(self._style.runs(given_spec))
        version = None if former is None else self._version(former, request, given_spec)
        answers = PersonAnswers.to(former, request, choices)
        brief = prompts.Brief(
            request,
            given_spec,
            given_parts(given_spec, self._style.notation),
            shapes(runs),
            answers.decisions,
            tuple(self._style.demonstrations(request)),
        )
        stale = frozenset[str]() if former is None else self._stale(former, given_spec, choices)
        loop = Loop(
            self.client,
            brief,
            self._style.notation,
            runs,
            tries=self._tries,
            critics=self._critics,
            answered=answers.cases,
            before=None if former is None else self._former(former, given_spec, answers, stale),
        )
        outcome = loop.run(self._rounds, version, reread=answers.have_news)
        answers = replace(answers, unheard=answers.unheard_by(outcome.best_round.judged))
        drafting = _drafting_of(outcome, request, answers, key=key, model=self.client.settings.model)
        return drafting if former is None else drafting.model_copy(update={"former_agent": former.agent})

    def _stale(
        self, former: KeptDrafting, given_spec: AgentSpec, choices: Mapping[str, str]
    ) -> frozenset[str]:
        """The questions about words with an answer that differs from what a draft assumed."""
        under = self._under(former.policy, self._spec(former, given_spec))
        words = {question.id for question in former.questions if question.kind != CASE}
        return differing(former, under, choices) & words

    def _former(
        self, former: KeptDrafting, given_spec: AgentSpec, answers: PersonAnswers, stale: Collection[str]
    ) -> FormerDraft | None:
        """The draft from which answers differ; None if none does, or if it is not in the dialect."""
        best = former.rounds[former.best] if former.rounds else None
        policy = former.policy if best is None else best.policy  # what nothing contested closes
        lowered = _lowered(policy, self._spec(former, given_spec)) if stale else None
        if lowered is None:
            return None
        differ = tuple(
            DifferingAnswer(one.id, frozenset(one.requirements), *decisions([one], answers.choices))
            for one in answers.questions
            if one.id in stale
        )
        told = best is not None and any(one.startswith(f"{Critic.ANSWERS} ") for one in best.found)
        return FormerDraft(lowered.terms, differ, told)

    def _version(self, drafting: KeptDrafting, request: str, spec: AgentSpec) -> Version | None:
        """The version with which a drafting ended, rebuilt from its replies; None if that is not possible."""
        try:
            design, _ = read_design(drafting.replies.design, request, spec, self._style.notation)
            policy = read_parts(block(drafting.replies.policy, "python"), design.cited)
            contract = read_parts(block(drafting.replies.contract, "python"), design.cited)
            cases, _ = read_cases(drafting.replies.cases, design)
        except NotUsable:
            return None
        replies = {
            WrittenPart.DESIGN: drafting.replies.design,
            WrittenPart.POLICY: drafting.replies.policy,
            WrittenPart.CONTRACT: drafting.replies.contract,
            WrittenPart.CASES: drafting.replies.cases,
        }
        own_policy = replace(policy, contracts=(), title=design.title)
        return Version(design, replies, own_policy, contract, cases)

    # --- the draft ----------------------------------------------------------------

    def _as_draft(
        self, drafting: KeptDrafting, request: str, given_spec: AgentSpec, choices: Mapping[str, str]
    ) -> Draft:
        spec = self._spec(drafting, given_spec)
        under = self._under(drafting.policy, spec)
        questions = tuple(
            with_example(question_of(question, request), question, under) for question in drafting.questions
        )
        requirements = tuple(
            Requirement(
                requirement.id,
                requirement.text,
                request[requirement.start : requirement.end],
                span_of(request, requirement.start, requirement.end),
            )
            for requirement in drafting.requirements
        )
        policy = _closed_until_redrafted(drafting, differing(drafting, under, choices), choices, spec)
        arguments, cases = self._over(
            policy, spec, [*drafting.cases, *PersonAnswers.to(drafting, request, choices).cases]
        )
        return Draft(
            sentences_of(drafting, request, choices),
            requirements,
            arguments,
            policy,
            questions,
            cases=cases,
            rounds=tuple(
                DraftRound(draft_round.policy, draft_round.score, draft_round.found, number == drafting.best)
                for number, draft_round in enumerate(drafting.rounds)
            ),
            stopped=drafting.stopped,
            agent=spec,
        )

    def _spec(self, drafting: KeptDrafting, spec: AgentSpec) -> AgentSpec:
        """The agent spec with the model's parts; raises WorkbenchError if the two do not fit together."""
        try:
            parts = drafting.agent
            return read_agent_parts(parts, spec, self._style.notation) if parts.strip() else spec
        except NotUsable as error:
            raise WorkbenchError(
                f"What the model wrote of the agent no longer fits agent.toml ({error}). Undo that, or draft "
                "again."
            ) from None

    def _under(self, policy: str, spec: AgentSpec) -> CasesUnder | None:
        """What decides cases by a policy; None if it is not in the dialect."""
        lowered = _lowered(policy, spec)
        return None if lowered is None else CasesUnder(lowered, spec, self._reader)

    def _over(
        self, policy: str, spec: AgentSpec, cases: Sequence[RunCase]
    ) -> tuple[tuple[Argument, ...], tuple[Case, ...]]:
        """The arguments of a policy, and the cases over them; none if it is not in the dialect."""
        lowered = _lowered(policy, spec)
        if lowered is None:
            return (), ()
        return lowered.arguments, CasesUnder(lowered, spec, self._reader).over_arguments(cases)


def _choice_key(choices: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(choices.items()))


def _lowered(policy: str, spec: AgentSpec) -> LoweredPolicy | None:
    """What a policy of calls comes to; None if it is not in the dialect."""
    try:
        return lowered_policy(policy, spec)
    except WorkbenchError:
        return None


RULE = "forbid_until_redrafted"
_WAITS = "It is denied until the policy is drafted with what a person answers."


def differing(drafting: KeptDrafting, under: CasesUnder | None, choices: Mapping[str, str]) -> frozenset[str]:
    """The questions with an answer other than the one that was drafted.

    ``under`` decides by the drafted policy; None if that is not in the dialect. A decided input differs if
    the drafted policy decides it otherwise. That a sentence is context differs from no draft.
    """
    return frozenset(
        question.id
        for question in untold(drafting, choices)
        if not (question.kind == UNREADABLE and choices[question.id] == CONTEXT)
        and not (question.kind == CASE and _decides(under, question, choices[question.id]))
    )


def _decides(under: CasesUnder | None, question: KeptQuestion, value: str) -> bool:
    """Whether the policy decides the input of a question as a person did."""
    if under is None or question.run is None:
        return False
    verdict = under.decided(RunCase(question.id, question.run)).decision.verdict
    return verdict == value or (value == Verdict.DENY and verdict is Verdict.CANNOT_EVALUATE)


def _closed_until_redrafted(
    drafting: KeptDrafting, stale: Collection[str], choices: Mapping[str, str], spec: AgentSpec
) -> str:
    """The drafted policy, with a rule against what the questions without their drafted answer concern.

    These are the ``stale`` ones, whose answer differs, and the open ones about the meaning of words.
    """
    waiting = [
        question
        for question in drafting.questions
        if question.id in stale or (question.kind == AMBIGUITY and not choices.get(question.id, ""))
    ]
    if not waiting:
        return drafting.policy
    try:
        return _closed(drafting, waiting, spec)
    except (NotUsable, WorkbenchError):
        return written(DENY_ALL, NO_CONTRACT, agent_types(spec))


def _closed(drafting: KeptDrafting, waiting: Sequence[KeptQuestion], spec: AgentSpec) -> str:
    """The policy with the rule; raises NotUsable or WorkbenchError if it cannot have it."""
    lowered = lowered_policy(drafting.policy, spec)
    ids = tuple(dict.fromkeys(id_ for question in waiting for id_ in question.requirements))
    classes = _classes(lowered, ids) if all(question.requirements for question in waiting) else ()
    label = f"{', '.join(ids)}: " if ids else ""
    rule = (
        f"def {RULE}(call: {' | '.join(classes) or 'Call'}) -> bool:\n"
        f'    """{label}{_WAITS}"""\n    return True\n'
    )
    text = format_policy(with_imports(f"{drafting.policy.rstrip()}\n\n\n{rule}", agent_types(spec)))
    lowered_policy(text, spec)
    return text


def _classes(lowered: LoweredPolicy, ids: Sequence[str]) -> tuple[str, ...]:
    """The classes of the calls that rules and clauses of these requirements are about; none for all calls.

    A requirement that no rule and no clause names may be about any call.
    """
    calls = lowered.calls
    named = {id_ for part in (*calls.rules, *calls.clauses) for id_ in part.requirements}
    if not set(ids) <= named:
        return ()
    tools: set[str] = set()
    for part in (*calls.rules, *calls.clauses):
        if set(part.requirements) & set(ids):
            about = {one.tool for one in part.terms}
            if "" in about:
                return ()
            tools |= about
    return tuple(name for name, call in calls.types.calls.items() if call.tool in tools)


def _drafting_of(
    outcome: LoopResult, request: str, answers: PersonAnswers, *, key: str, model: str
) -> KeptDrafting:
    """The drafting to store of a loop: its best version, and all rounds on the way.

    The questions are those of the best version, and the earlier ones that a person has answered.
    """
    best = outcome.best_round
    design, replies = best.version.design, best.version.replies
    asked = {one.question.id: one for one in (*answers.answered, *_doubts(outcome, request, answers))}
    return KeptDrafting(
        key=key,
        model=model,
        title=design.title,
        agent=design.agent,
        requirements=tuple(_kept_requirement(requirement) for requirement in design.requirements),
        context=tuple(KeptPlace(start=span.start, end=span.end) for span in design.context),
        questions=tuple(kept_question(one.question, one.run) for one in asked.values()),
        choices=answers.told,
        policy=_strict(best, design),
        cases=tuple(best.version.cases),
        rounds=tuple(_kept_round(file_round) for file_round in outcome.rounds),
        best=outcome.best,
        stopped=str(outcome.stopped),
        calls=outcome.calls,
        replies=KeptReplies(
            design=replies.get(WrittenPart.DESIGN, ""),
            policy=replies.get(WrittenPart.POLICY, ""),
            contract=replies.get(WrittenPart.CONTRACT, ""),
            cases=replies.get(WrittenPart.CASES, ""),
        ),
    )


def _doubts(outcome: LoopResult, request: str, answers: PersonAnswers) -> list[ContestedInput]:
    """The open questions of the best version, those about an input with its run.

    A version that does not decide an input as it was answered raises no new question about it.
    """
    best = outcome.best_round
    design = best.version.design
    doubts = [
        *design.doubts,
        *open_sentences(design, best.version.disputed, request),
        *_unstated(best.judged, design, request),
    ]
    if best.judged.terms is None:
        doubts.append(_no_policy(request, outcome))
    plain = (ContestedInput(question, None) for question in doubts)
    decided = {case_key(case.id) for case in answers.cases}
    findings = (finding for finding in best.judged.findings if finding.key not in decided)
    return [*plain, *disputes(findings, design)]


def _kept_requirement(requirement: Requirement) -> KeptRequirement:
    span = requirement.span
    return KeptRequirement(id=requirement.id, text=requirement.text, start=span.start, end=span.end)


def _kept_round(file_round: FileRound) -> KeptRound:
    return KeptRound(
        agent=file_round.version.design.agent,
        policy=file_round.judged.text,
        score=str(file_round.judged.score),
        found=file_round.remarks,
    )


def _strict(best: FileRound, design: Design) -> str:
    """The policy of the best round, with rules against everything that its contract denies and it allows.

    A version outside the dialect, or one that states no requirement, becomes a policy that denies everything.
    """
    version, judged = best.version, best.judged
    if judged.terms is None or version.policy is None or not _stated(judged.terms):
        return written(DENY_ALL, NO_CONTRACT, design.types)
    contract = version.contract if judged.terms.clauses and version.contract else NO_CONTRACT
    strict = closed(version.policy, judged, design)
    if strict == version.policy:
        return judged.text
    text = written(strict, contract, design.types)
    try:
        lowered_policy(text, design.spec)
    except PolicyError:
        return written(DENY_ALL, contract, design.types)
    return text


def _no_policy(request: str, outcome: LoopResult) -> Question:
    why = " ".join(finding.text for finding in outcome.best_round.judged.findings[:2])[:400]
    return question_about(
        Doubt(
            id="policy:none",
            kind="model-file-missing",
            quote=" ".join(request.split())[:200],
            span=Span(0, len(request)),
            values=(),
            blocking=True,
            free_text=True,
            facts={"why": why},
        )
    )


# --- the omissions of a drafting: requirements that neither policy nor contract states


def _unstated(judged: CheckedVersion, design: Design, request: str) -> Iterator[Question]:
    """A blocking question for each requirement that no rule and no clause names.

    If the model found no requirement at all, there is a question for each sentence that it took as context.
    """
    if not design.requirements:
        for span in design.context:
            yield unread_sentence(request[span.start : span.end], span, "no_rule_at_all")
    elif judged.terms is not None:
        stated_ids = _stated(judged.terms)
        left = (requirement for requirement in design.requirements if requirement.id not in stated_ids)
        yield from (unstated_requirement(requirement, "not_written", blocking=True) for requirement in left)


def _stated(terms: PolicyTerms) -> frozenset[str]:
    """The requirements that a rule or a clause names."""
    return frozenset(id_ for part in (*terms.rules, *terms.clauses) for id_ in part.requirements)


@dataclass(frozen=True, slots=True)
class PersonAnswers:
    """The questions of the former drafting (none without a drafting), and the choices of a person.

    ``former_choices`` are those that the model already knew then. ``unheard`` are questions whose answers the
    model was told and does not follow.
    """

    asked: Sequence[ContestedInput]
    choices: Mapping[str, str]
    former_choices: Mapping[str, str]
    unheard: frozenset[str] = frozenset()

    @classmethod
    def to(cls, former: KeptDrafting | None, request: str, choices: Mapping[str, str]) -> PersonAnswers:
        """The answers to a former drafting's questions."""
        if former is None:
            return cls((), choices, {})
        contested = [
            ContestedInput(question_of(question, request), question.run) for question in former.questions
        ]
        return cls(contested, choices, former.choices)

    @property
    def questions(self) -> list[Question]:
        """The questions of the former drafting."""
        return [one.question for one in self.asked]

    @property
    def told(self) -> dict[str, str]:
        """The choices with which the draft is made: the answers to the questions that it follows."""
        ids = {question.id for question in self.questions}
        now = {id_: value for id_, value in self.choices.items() if id_ in ids - self.unheard}
        return {id_: value for id_, value in self.former_choices.items() if id_ in self.unheard} | now

    @property
    def answered(self) -> list[ContestedInput]:
        """The questions that have an answer."""
        return [one for one in self.asked if one.question.id in self.choices]

    @property
    def decisions(self) -> tuple[str, ...]:
        """The decisions of the person, as sentences."""
        return decisions(self.questions, self.choices)

    @property
    def cases(self) -> list[RunCase]:
        """The inputs that the person has decided."""
        cases = (answered_case(one, self.choices.get(one.question.id, "")) for one in self.asked)
        return [case for case in cases if case is not None]

    def unheard_by(self, judged: CheckedVersion) -> frozenset[str]:
        """The questions whose answers a version does not follow, those about inputs by their cases."""
        failing = {finding.key for finding in judged.findings}
        decided = {case_key(case.id) for case in self.cases} & failing
        inputs = (one.question.id for one in self.asked if case_key(case_id(one)) in decided)
        return judged.unheard | frozenset(inputs)

    @property
    def have_news(self) -> bool:
        """Whether an answer is new to the model, apart from decided inputs, which only become cases."""
        return any(
            question.kind != CASE
            and self.choices.get(question.id, "") != self.former_choices.get(question.id, "")
            for question in self.questions
        )
