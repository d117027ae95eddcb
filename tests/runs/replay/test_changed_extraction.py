"""Reading loaded calls again, and the effect that changing one argument would have on them."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.app.workbench import Workbench
from workbench.dialect.argument_expressions import checked_expressions
from workbench.model import (
    AgentSpec,
    Argument,
    ArgumentType,
    Extraction,
    Json,
    Kind,
    Record,
    RecordField,
    Tool,
    Verdict,
    WorkbenchError,
)
from workbench.runs.expressions.evaluator import Evaluator
from workbench.runs.expressions.moment import AgentReader
from workbench.runs.extract.described import BY_NAME, EVERY_METHOD
from workbench.runs.extract.expression import ExpressionsOfAgent
from workbench.runs.extract.methods import FINDING, METHODS, OF_CALLS, TAUGHT
from workbench.runs.extract.model_method import ModelMethod
from workbench.runs.extract.options import Options
from workbench.runs.extract.prepared_argument import MODEL
from workbench.runs.replay.changed_extraction import ArgumentEffect
from workbench.runs.values.described_option import OptionKind
from workbench.runs.world.record_of_call import RecordFinder

SHIPPED = Path(__file__).parents[3] / "sessions" / "hospital-access-model"
# Options that make a method read all others: some are read only together with others.
GIVEN: dict[str, dict[str, Json]] = {
    "regex": {"pattern": "x"},
    "jsonpath": {"path": "$.tool"},
    "phrases": {"categories": {"a": ["b"]}},
    "nearest": {"examples": {"a": ["b"]}},
    "embedding": {"examples": {"a": ["b"]}},
    "constant": {"value": 1},
    "history": {"operation": "sum", "path": "$.arguments.a"},
    "record": {"record": "order", "key": "$.arguments.id"},
    "records": {"record": "order"},
    "difference": {"path": "$.arguments.a", "of": "order.items"},
    "expression": {"tool": "pay", "of": "call.lines", "fields": {"half": "x.price"}},
}
_LINES: Json = {"type": "array", "items": {"type": "object", "properties": {"price": {"type": "number"}}}}
DESK = AgentSpec("x", tools=(Tool("pay", parameters={"type": "object", "properties": {"lines": _LINES}}),))
ITEM = Record("item", (RecordField("name", ArgumentType(Kind.STR)),))
ITEMS = ArgumentType(Kind.LIST, element=ArgumentType(Kind.RECORD, record=ITEM.type))
ORDER = Record("order", (RecordField("items", ITEMS, of="item"),), "id")
OF_TYPE = {
    "record": ArgumentType(Kind.RECORD, optional=True, record=ORDER.type),
    "difference": ITEMS,
    "records": ITEMS,
}
ORDER_ARGUMENT = (Argument("order", OF_TYPE["record"], "", Extraction("record", GIVEN["record"])),)
OF_FIELD: dict[str, Json] = {"field": "Question"}


class Asked(Options):
    """Options that store the keys that a method asks for."""

    @property
    def names(self) -> set[str]:
        return set(self._known)


@pytest.mark.parametrize("name", sorted({*METHODS, *TAUGHT, *FINDING, *OF_CALLS, MODEL}))
def test_a_method_reads_every_option_that_is_declared_for_it(name: str) -> None:
    """A method that reads an option which is not declared, or as another kind, fails at once."""
    given_options = GIVEN.get(name, {})
    has_field = any(option.name == "field" for option in BY_NAME[name].options)
    options = Asked("a", name, {**given_options, **OF_FIELD} if has_field else given_options)
    argument = Argument("a", OF_TYPE.get(name, ArgumentType(Kind.STR)))
    if name in TAUGHT:
        TAUGHT[name](argument, AgentSpec("x"), options, ())
    elif name in FINDING:
        FINDING[name](argument, AgentSpec("x"), options, RecordFinder(ORDER_ARGUMENT, (ITEM, ORDER), ""))
    elif name in OF_CALLS:
        of_agent = replace(argument, extraction=Extraction(name, given_options))
        checked = checked_expressions([of_agent], DESK)
        evaluator = Evaluator(AgentReader(DESK, checked.calls, RecordFinder((), (), "")))
        OF_CALLS[name](argument, options, ExpressionsOfAgent(checked, evaluator))
    elif name == MODEL:
        ModelMethod(argument, AgentSpec("x"), options, None)
    else:
        METHODS[name](argument, AgentSpec("x"), options)
    own = {option.name for option in BY_NAME[name].options}
    assert options.names - ({option.name for option in EVERY_METHOD} - own) == own


def test_every_method_is_described_with_defaults_that_it_can_read() -> None:
    assert set(BY_NAME) == {*METHODS, *TAUGHT, *FINDING, *OF_CALLS, MODEL}
    readers = {
        OptionKind.TEXT: Options.text,
        OptionKind.TEXTS: Options.texts,
        OptionKind.NUMBER: Options.number,
        OptionKind.FLAG: Options.flag,
        OptionKind.WORDS: Options.words,
        OptionKind.VALUE: Options.value,
        OptionKind.PATH: Options.path,
    }
    for method in BY_NAME.values():
        options = Options("a", method.name, {})
        for option in method.options:
            assert option.kind is OptionKind.TEXT or not option.choices
            if option.choices:
                assert options.choice(option.name) == option.default
            elif not option.needed:
                readers[option.kind](options, option.name)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    folder = tmp_path / "session"
    shutil.copytree(SHIPPED, folder)
    opened = Workbench.open(folder)
    yield opened
    opened.close()


def role(bench: Workbench, method: str, **options: Json) -> Argument:
    argument = next(declared for declared in bench.session.spec.arguments if declared.name == "role")
    return replace(argument, extraction=Extraction(method, options))


def test_an_effect_tells_what_storing_the_argument_then_does(bench: Workbench) -> None:
    logs, terms = bench.runs.load(), bench.policy.terms()
    before = [decision.decision.verdict for decision in bench.runs.decide(terms, logs)]
    changed = role(bench, "regex", pattern=r"Identity: (General administration|Physician)", ignore_case=True)
    argument_effects: list[ArgumentEffect] = []
    effect = bench.agent.try_argument(changed, "role", logs, terms, at=0, tell=argument_effects.append)
    assert effect.whole
    assert sum(effect.turns.values()) > 0
    spec = bench.session.spec
    old_arguments = bench.runs.arguments()
    arguments = tuple(changed if argument.name == "role" else argument for argument in spec.arguments)
    bench.agent.set_spec(replace(spec, arguments=arguments), "Read the role otherwise")
    again = bench.runs.read_again(logs, spec, old_arguments)
    fresh = bench.runs.load()
    assert again.extracted == fresh.extracted
    assert effect.valued == sum(extracted["role"].missing is None for extracted in fresh.extracted)
    assert effect.reading_of_call == fresh.extracted[0]["role"]
    after = [decision.decision.verdict for decision in bench.runs.decide(terms, fresh)]
    flips: dict[tuple[Verdict, Verdict], int] = {}
    for old, new in zip(before, after, strict=True):
        if old is not new:
            flips[old, new] = flips.get((old, new), 0) + 1
    assert effect.flips == flips


def test_what_is_not_changed_is_not_read_again(bench: Workbench) -> None:
    logs = bench.runs.load()
    assert bench.runs.read_again(logs, bench.session.spec, bench.runs.arguments()) is logs


def test_a_wider_vocabulary_is_seen_by_every_argument(bench: Workbench) -> None:
    logs, spec, arguments = bench.runs.load(), bench.session.spec, bench.runs.arguments()
    bench.agent.set_spec(replace(spec, synonyms={"doctor": "physician"}), "A synonym")
    again = bench.runs.read_again(logs, spec, arguments)
    assert again.extracted == bench.runs.load().extracted


def test_trying_ends_early_when_it_is_cancelled(bench: Workbench) -> None:
    stop = threading.Event()
    stop.set()
    effect = bench.agent.try_argument(
        role(bench, "constant", value="x"), "role", bench.runs.load(), cancelled=stop
    )
    assert effect.calls_read == 0


def test_a_spec_that_cannot_be_read_by_changes_nothing(bench: Workbench) -> None:
    spec, files = (
        bench.session.spec,
        {name: bench.session.text(name) for name in ("agent.toml", "cases.toml")},
    )
    for bad in (role(bench, "regex", pattern="("), role(bench, "nonsense")):
        arguments = tuple(bad if argument.name == "role" else argument for argument in spec.arguments)
        with pytest.raises(WorkbenchError, match="role"):
            bench.agent.set_spec(replace(spec, arguments=arguments), "Break it")
    assert {name: bench.session.text(name) for name in files} == files


def test_a_type_that_a_persons_case_does_not_fit_is_refused(bench: Workbench) -> None:
    spec = bench.session.spec
    case = replace(bench.session.cases[0], id="mine", origin="human")
    bench.session.set_cases((*bench.session.cases, case))
    arguments = tuple(
        replace(argument, type=ArgumentType(Kind.INT), extraction=None)
        if argument.name == "role"
        else argument
        for argument in spec.arguments
    )
    with pytest.raises(WorkbenchError):
        bench.agent.set_spec(replace(spec, arguments=arguments), "The role as a number")
    assert bench.session.spec == spec


def test_the_comments_of_the_agent_file_are_kept(bench: Workbench) -> None:
    changed = role(bench, "field", key="User")
    spec = bench.session.spec
    arguments = tuple(changed if argument.name == "role" else argument for argument in spec.arguments)
    bench.agent.set_spec(replace(spec, arguments=arguments), "Another line")
    text = bench.session.text("agent.toml")
    assert "# These compute from their arguments alone." in text
    assert bench.session.undo() is not None
    assert bench.session.spec == spec
