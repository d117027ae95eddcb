"""What a rule may say against the sense of a sentence: the checks, each by its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workbench.language.sense.clauses import (
    asks_of_decider,
    asks_of_the_others,
    has_cases,
    joins_alternatives,
    leaves_demand_out,
    leaves_exception_out,
    refuses_what_is_asked,
    says_twice,
    takes_contrast,
    turns_neither,
    turns_source,
    turns_way,
)
from workbench.language.sense.governed import is_governed
from workbench.language.sense.numbers import (
    guesses_length,
    leaves_comparison_out,
    leaves_number_out,
    moves_bound,
    refuses_below,
    says_bound_twice,
    turns_clock,
    turns_number,
    turns_time,
    wants_a_price,
)
from workbench.language.sense.order import adds_what_is_told, turns_order
from workbench.language.sense.rule_parts import Part
from workbench.language.sense.settled import leaves_side_open, refuses_unsaid_presence
from workbench.language.sense.sides import (
    is_turned_round,
    mixes_sides,
    opens_what_is_closed,
    turns_name,
    turns_side,
)
from workbench.language.sense.spoken import Spoken
from workbench.language.sense.values import turns_value
from workbench.language.trees import TRUE, Tree


def slip(spoken: Spoken, rule: Tree, used: frozenset[int], *, by_command: bool = False) -> str:
    """What a rule, put together of some words, says against the sense of the sentence; empty for nothing.

    A rule over the parts of commands says what it does ``by_command``, not by the name of a tool.
    """
    parts = spoken.parts(rule)
    restricts = rule[1] != "permit"

    def of_any(check: Callable[[Spoken, Part], bool]) -> bool:
        return any(check(spoken, one) for one in parts)

    checks: Sequence[tuple[str, Callable[[], bool]]] = (
        ("governed", lambda: is_governed(spoken, used)),
        ("case", lambda: rule[1:3] == ("permit", TRUE) and has_cases(spoken)),
        ("contrast", lambda: takes_contrast(spoken, parts, used)),
        ("way", lambda: of_any(turns_way)),
        ("closed", lambda: of_any(opens_what_is_closed)),
        ("mixed", lambda: of_any(mixes_sides)),
        ("nor", lambda: restricts and rule[2][0] == "and" and joins_alternatives(spoken, parts)),
        ("neither", lambda: restricts and of_any(turns_neither)),
    )
    by_name: Sequence[tuple[str, Callable[[], bool]]] = (
        ("round", lambda: of_any(is_turned_round)),
        ("side", lambda: rule[1] == "forbid" and turns_side(spoken, rule, parts)),
        ("others", lambda: rule[1] == "ask" and asks_of_the_others(spoken, parts)),
        ("exception", lambda: restricts and leaves_exception_out(spoken, parts)),
        ("time", lambda: of_any(turns_time)),
        ("zero", lambda: leaves_number_out(spoken, parts)),
        ("twice", lambda: says_twice(spoken, rule, parts)),
        ("person", lambda: rule[1] == "forbid" and refuses_what_is_asked(spoken, parts)),
        ("compared", lambda: leaves_comparison_out(spoken, parts)),
        ("name", lambda: restricts and of_any(turns_name)),
        ("least", lambda: restricts and of_any(refuses_below)),
        ("demand", lambda: leaves_demand_out(spoken, parts)),
        ("values", lambda: of_any(turns_value)),
        ("bound", lambda: of_any(turns_number)),
        ("bounds", lambda: says_bound_twice(parts)),
        ("moved", lambda: of_any(moves_bound)),
        ("decider", lambda: rule[1] == "ask" and of_any(asks_of_decider)),
        ("clock", lambda: of_any(turns_clock)),
        ("nothing", lambda: of_any(wants_a_price)),
        ("source", lambda: of_any(turns_source)),
        ("order", lambda: turns_order(spoken, rule, parts)),
        ("told", lambda: adds_what_is_told(spoken, rule)),
        ("length", lambda: of_any(guesses_length)),
        ("given", lambda: rule[1] == "forbid" and refuses_unsaid_presence(spoken, parts)),
        ("open", lambda: leaves_side_open(spoken, parts)),
    )
    every_check = checks if by_command else (*checks, *by_name)
    return next((name for name, is_against in every_check if is_against()), "")
