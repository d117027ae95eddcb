"""Flat lists: terms over lists as equivalent terms over counts, sums and witness elements.

``flatten`` flattens some terms together. For all list arguments there are flat arguments that satisfy
``Flat.requires`` and give every term the value that it has on the lists (``Flat.abstract`` computes them). So
a statement about all flat arguments holds for all lists, and a proof of the flat terms is a proof. The other
direction is not promised: a model of the flat terms is written out as lists (``Flat.rebuild``), and is
believed only if the policy decides on these lists as the model says.

``region`` describes how one list is divided. Lists that are compared with each other are flattened together:
whether the key of an element is in the other list is an additional truth value of the element, and conditions
on keys alone apply to the keys of both lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.model import Arguments, Kind, Value
from workbench.policy.connectives import is_true
from workbench.policy.evaluate import normalised
from workbench.policy.flat.aggregates import Holding, Replacement, find, plain_membership
from workbench.policy.flat.component import Component
from workbench.policy.flat.eliminate import eliminate
from workbench.policy.flat.traverse import free_names
from workbench.policy.terms import Parameter, PolicyTerms, Term


@dataclass(frozen=True, slots=True)
class Flat:
    """Terms without lists, equivalent to terms with lists; see the module.

    ``parameters`` are the flat arguments that ``parts`` and ``requires`` mention. ``hints`` are further
    conditions, from the strictest to the loosest, under which a model is easier to write out as lists.
    """

    parts: tuple[Term, ...]
    requires: tuple[Term, ...]
    hints: tuple[tuple[Term, ...], ...]
    parameters: tuple[Parameter, ...]
    has_lists: bool
    _policy: PolicyTerms
    _given_parameters: tuple[Parameter, ...]
    _components: tuple[Component, ...]

    @property
    def listed(self) -> tuple[Parameter, ...]:
        """The flat arguments that replace lists."""
        given_names = {parameter.name for parameter in self._given_parameters}
        return tuple(parameter for parameter in self.parameters if parameter.name not in given_names)

    @property
    def sums(self) -> frozenset[str]:
        """The names of the flat arguments that are sums."""
        forms = (form for component in self._components for form in component.forms)
        return frozenset(group.name for form in forms for group in form.sums)

    def abstract(self, arguments: Arguments) -> dict[str, Value]:
        """The flat arguments for arguments of the opened policy."""
        values = {name: normalised(value) for name, value in arguments.items()}
        for component in self._components:
            component.abstract(values)
        return {parameter.name: values[parameter.name] for parameter in self.parameters}

    def rebuild(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Arguments of the opened policy for flat arguments, as far as the flat arguments determine them.

        Raises:
            FlatLimit: the lists are too long, or no lists have these sums.
        """
        value_by_name = dict(values)
        for component in reversed(self._components):
            for form in component.forms:
                value_by_name[form.path] = form.rebuild(value_by_name)
        given_names = {parameter.name for parameter in self._given_parameters}
        return {name: value for name, value in value_by_name.items() if name in given_names}


def flatten(
    policy: PolicyTerms, parts: Sequence[Term], parameters: Sequence[Parameter], prefix: str = ""
) -> Flat:
    """Make terms flat together.

    Args:
        policy: gives the tables and helpers that the terms may name.
        parts: terms over ``parameters``, whose records are opened.
        parameters: the arguments.
        prefix: begins the names of all flat arguments that replace lists.

    Raises:
        FlatLimit: the terms relate elements of lists in a way that has no flat form, or tell too many
            kinds of elements apart.
    """
    all_parameters = tuple(parameters)
    if not any(parameter.type.kind is Kind.LIST for parameter in all_parameters):
        return Flat(tuple(parts), (), ((),), all_parameters, False, policy, all_parameters, ())
    work = _Work([plain_membership(part) for part in parts])
    declared = {
        parameter.name: parameter for parameter in all_parameters if parameter.type.kind is not Kind.LIST
    }
    components: list[Component] = []
    flattened_paths: set[str] = set()
    while True:
        found_aggregates = find((*work.parts, *work.requires), work.holding)
        if not found_aggregates.closed and not found_aggregates.waiting:
            break
        component = Component.of(policy, found_aggregates, prefix, flattened_paths)
        flattened_paths |= {form.path for form in component.forms}
        components.append(component)
        made_flat = eliminate(component)
        declared.update({parameter.name: parameter for parameter in made_flat.parameters})
        work.take(made_flat.replacement_of, made_flat.requires)
        work.few += made_flat.few
        work.alike += made_flat.alike
    named = frozenset[str]().union(*(free_names(term) for term in (*work.parts, *work.requires)))
    flat = tuple(parameter for name, parameter in declared.items() if name in named)
    return Flat(
        tuple(work.parts), tuple(work.requires), work.hints(), flat, bool(components), policy, all_parameters,
        tuple(components),
    )  # fmt: skip


@dataclass(slots=True)
class _Work:
    """The terms while they are flattened, and the requirements on the flat arguments."""

    parts: list[Term]
    requires: list[Term] = field(default_factory=list[Term])
    few: list[Term] = field(default_factory=list[Term])
    alike: list[Term] = field(default_factory=list[Term])
    holding: Holding = field(default_factory=Holding)

    def take(self, replacement_of: Mapping[Term, Term], requires: Iterable[Term]) -> None:
        """Replace aggregates in all terms, and add requirements."""
        replacement = Replacement(replacement_of, self.holding)
        self.parts = [replacement.of(part) for part in self.parts]
        self.requires = [replacement.of(part) for part in self.requires]
        self.requires += [
            plain_membership(requirement) for requirement in requires if not is_true(requirement)
        ]

    def hints(self) -> tuple[tuple[Term, ...], ...]:
        """The hints: short lists whose shared elements are equal, such lists of any length, any lists."""
        levels = ((*self.few, *self.alike), tuple(self.alike), ())
        return tuple(dict.fromkeys(levels))
