"""The guards of an evaluation, made from a session by their names, and their ablations."""

from __future__ import annotations

import hashlib
import importlib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from guard_comparison.dataset import Dataset
from guard_comparison.evaluation_calls import EvaluationCalls, SessionsFirst
from guard_comparison.guards.adaptive import AdaptiveChecks
from guard_comparison.guards.classifier import SafetyClassifier
from guard_comparison.guards.controls import AllowAll, DenyAll, PositionOnly
from guard_comparison.guards.defences import Defence, Defended
from guard_comparison.guards.direct import AskedDirectly
from guard_comparison.guards.evaluated_guard import ComparedGuard
from guard_comparison.guards.guardagent import GuardAgentPeer
from guard_comparison.guards.hardcoded import HardCodedRules
from guard_comparison.guards.monitor import Monitor
from guard_comparison.guards.policy import SessionPolicy
from guard_comparison.guards.prompt_guard import Setting
from guard_comparison.recorded_readings import RecordedReadings
from guard_comparison.without_toolbox import without_toolbox
from workbench.app.results import choices_of
from workbench.app.workbench import Workbench
from workbench.author.model.client import ModelClient
from workbench.author.model.endpoint.learnt_abilities import LearntFile
from workbench.author.model.recording import KeptCalls
from workbench.author.model.settings import ModelSettings
from workbench.guardagent.action import agent_text
from workbench.guardagent.toolbox import Toolbox
from workbench.memory.retrieval import DemonstrationIndex
from workbench.memory.retrieval_order import Order
from workbench.model import WorkbenchError
from workbench.policy.rule_names import PERMIT

if TYPE_CHECKING:
    from workbench.author.model.whole_file.author import FileAuthor


class GuardName(StrEnum):
    """The guards by their names on the command line."""

    POLICY = "policy"
    DENY_ALL = "deny-all"
    ALLOW_ALL = "allow-all"
    POSITION = "position"
    DIRECT = "direct"
    HARDCODED = "hardcoded"
    CLASSIFIER = "classifier"
    MONITOR = "monitor"
    ADAPTIVE = "adaptive"
    GUARDAGENT = "guardagent"


class Ablation(StrEnum):
    """The ablations; each adds guards to the comparison."""

    DEMONSTRATIONS = "k"
    LEAST_SIMILAR = "least-similar"
    NO_TOOLBOX = "no-toolbox"
    NO_TOOLBOX_REWRITTEN = "no-toolbox-rewritten"
    NO_DEBUGGING = "no-debugging"
    STAGES = "stages"


CONTROLS = (GuardName.DENY_ALL, GuardName.ALLOW_ALL, GuardName.POSITION)
_WITHOUT_MODEL = {GuardName.POLICY, *CONTROLS}


@dataclass(frozen=True, slots=True)
class WantedGuards:
    """The guards to compare, and their settings.

    ``names`` are guard names, each with an optional defence: ``direct+paraphrase``. ``functions``
    (``module:function``) join GuardAgent's toolbox. ``database`` is a folder that answers the policy for
    records of which a run has no facts. ``readings`` has what a model read in the texts of the data.
    """

    names: tuple[str, ...] = (GuardName.POLICY,)
    ablations: tuple[Ablation, ...] = ()
    k: int = 3
    threshold: float = 0.5
    functions: tuple[str, ...] = ()
    database: Path | None = None
    readings: Path | None = None


class GuardFactory:
    """Makes guards for one session."""

    def __init__(
        self,
        bench: Workbench,
        choice: WantedGuards,
        model: ModelSettings | None,
        calls: EvaluationCalls,
        *,
        replay_only: bool = False,
    ) -> None:
        """``model`` is needed for guards that ask a model; with ``replay_only`` recorded calls answer."""
        self._bench = bench
        self._wanted = choice
        self._model = model
        self._calls = calls
        self._replay_only = replay_only
        self._memory = DemonstrationIndex(bench.session.demonstrations)
        self._toolbox = Toolbox.standard()
        for place in choice.functions:
            self._toolbox = self._toolbox.with_function(function_at(place))

    def guards(self, dataset: Dataset) -> tuple[ComparedGuard, ...]:
        """The wanted guards, their ablations, and the controls, which are always included."""
        names = dict.fromkeys((*self._wanted.names, *CONTROLS))
        guards = [self._guard(name, dataset) for name in names]
        guards += [guard for ablation in self._wanted.ablations for guard in self._ablated(ablation)]
        return tuple({guard.name: guard for guard in guards}.values())

    def fingerprint(self, dataset_path: Path) -> str:
        """A hash of what results depend on besides guard and call: data, session and model."""
        session = self._bench.session
        parts = (
            hashlib.sha256(dataset_path.read_bytes()).hexdigest(),
            self._bench.questions.clarified(),
            session.written,
            repr(session.spec),
            repr(session.demonstrations),
            repr(
                (self._wanted.functions, str(self._wanted.database or ""), str(self._wanted.readings or ""))
            ),
            repr((self._wanted.threshold, self._model.model if self._model else "")),
        )
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

    def _guard(self, text: str, dataset: Dataset) -> ComparedGuard:
        name, _, defence = text.partition("+")
        if name not in set(GuardName):
            raise WorkbenchError(f"There is no guard {name!r}; known are {', '.join(GuardName)}.")
        guard = self._plain(GuardName(name), dataset)
        if not defence:
            return guard
        if defence not in set(Defence):
            raise WorkbenchError(f"There is no defence {defence!r}; known are {', '.join(Defence)}.")
        return Defended(guard, Defence(defence), self._setting())

    def _plain(self, name: GuardName, dataset: Dataset) -> ComparedGuard:
        makers: dict[GuardName, Callable[[], ComparedGuard]] = {
            GuardName.POLICY: self._policy,
            GuardName.DENY_ALL: DenyAll,
            GuardName.ALLOW_ALL: AllowAll,
            GuardName.POSITION: lambda: PositionOnly.fitted(dataset),
            GuardName.DIRECT: lambda: AskedDirectly(self._setting()),
            GuardName.HARDCODED: lambda: HardCodedRules(self._setting()),
            GuardName.CLASSIFIER: lambda: SafetyClassifier(self._setting(), self._categories()),
            GuardName.MONITOR: lambda: Monitor(self._setting(), self._wanted.threshold),
            GuardName.ADAPTIVE: lambda: AdaptiveChecks(self._setting()),
            GuardName.GUARDAGENT: self._guardagent,
        }
        return makers[name]()

    def _policy(self) -> ComparedGuard:
        readings = self._wanted.readings
        reader = None if readings is None else RecordedReadings(readings)
        return SessionPolicy(self._bench, database=self._wanted.database, reader=reader)

    def _categories(self) -> tuple[str, ...]:
        """What is unsafe: the prohibitions of the policy, and what none of its permits permits."""
        rules = self._bench.policy.terms().rules
        cited = [(rule.name.startswith(PERMIT), id_) for rule in rules for id_ in rule.requirements]
        requirements = self._bench.request.draft().requirements
        permits, others = (
            [item.text for item in requirements if (permitted, item.id) in cited]
            for permitted in (True, False)
        )
        return (*others, *([f"Anything that none of these permits: {' '.join(permits)}"] if permits else ()))

    def _guardagent(
        self,
        *,
        k: int | None = None,
        order: Order = Order.MOST_SIMILAR,
        toolbox: bool = True,
        rewritten: bool = False,
        rounds: int | None = None,
    ) -> ComparedGuard:
        memory = self._memory
        if rewritten:
            memory = DemonstrationIndex(without_toolbox(self._bench.session.demonstrations, self._toolbox))
        make = partial(
            GuardAgentPeer,
            self._setting(),
            memory,
            self._toolbox if toolbox else Toolbox.empty(),
            k=self._wanted.k if k is None else k,
            order=order,
            rewritten=rewritten,
        )
        return make() if rounds is None else make(rounds=rounds)

    def _ablated(self, ablation: Ablation) -> Sequence[ComparedGuard]:
        match ablation:
            case Ablation.DEMONSTRATIONS:
                return [self._guardagent(k=k) for k in range(self._wanted.k + 1)]
            case Ablation.LEAST_SIMILAR:
                return [self._guardagent(), self._guardagent(order=Order.LEAST_SIMILAR)]
            case Ablation.NO_TOOLBOX:
                return [self._guardagent(), self._guardagent(toolbox=False)]
            case Ablation.NO_TOOLBOX_REWRITTEN:
                return [self._guardagent(), self._guardagent(toolbox=False, rewritten=True)]
            case Ablation.NO_DEBUGGING:
                return [self._guardagent(), self._guardagent(rounds=0)]
            case Ablation.STAGES:
                return self._stages()

    def _stages(self) -> Sequence[ComparedGuard]:
        """The policy drafted by a model again without each stage, from recorded calls if there are any.

        A policy that persons wrote has no stages: it is shown as drafted.
        """
        from workbench.author.model.whole_file.author import FileAuthor

        author = self._bench.authorship.author
        if isinstance(author, FileAuthor):
            return self._drafted_stages(author)
        return [SessionPolicy(self._bench, name="policy as drafted", database=self._wanted.database)]

    def _drafted_stages(self, author: FileAuthor) -> Sequence[ComparedGuard]:
        """The drafts of a model without each stage, and with all of them."""
        from guard_comparison.without_stages import Stage, drafted_without

        bench, session = self._bench, self._bench.session
        choices = choices_of(bench.request.assumptions)
        names: dict[Stage | None, str] = {stage: f"policy drafted without {stage}" for stage in Stage}
        guards: list[ComparedGuard] = []
        for stage, name in {**names, None: "policy as drafted"}.items():
            client = self._drafting_client(author)
            draft = drafted_without(stage, author, client, session.request, session.spec, choices)
            guards.append(
                SessionPolicy(bench, draft.policy, name, spec=draft.agent, database=self._wanted.database)
            )
        return guards

    def _drafting_client(self, author: FileAuthor) -> ModelClient:
        """The client for drafts: first the session's recorded calls, then those of the evaluation."""
        named = None if self._replay_only else self._model
        return ModelClient(
            named or author.client.settings,
            SessionsFirst(KeptCalls(self._bench.session, in_memory=True), self._calls),
            replay_only=named is None,
            account=self._calls.account,
            learnt=LearntFile(),
        )

    def _setting(self) -> Setting:
        model = self._model
        if model is None:
            raise WorkbenchError(
                "These guards ask a model and none is named. Set WORKBENCH_MODEL and OPENAI_BASE_URL, "
                f"or compare only {', '.join(sorted(_WITHOUT_MODEL))}.",
                exit_code=3,
            )

        account = self._calls.account

        def client() -> ModelClient:
            return ModelClient(
                model, self._calls, replay_only=self._replay_only, account=account, learnt=LearntFile()
            )

        return Setting(self._bench.questions.clarified(), agent_text(self._bench.session.spec), client)


def function_at(place: str) -> Callable[..., object]:
    """The function at ``package.module:function``; raises WorkbenchError."""
    module, _, name = place.partition(":")
    try:
        function: object = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise WorkbenchError(f"There is no function {place!r}; name it as module:function.") from error
    if not inspect.isfunction(function):
        raise WorkbenchError(f"{place!r} is not a function; name one as module:function.")
    return function
