"""The guard of the policies of an exported file: their terms decide, and each reads calls in its own way.

It imports the modules that the file carries, under a name derived from their text. So files of several
versions of the workbench, and the workbench itself, can be used in one process.
"""

# What is not defined here comes from the exported file, which checkers of this file cannot see.
# pyright: basic, reportUndefinedVariable=false, reportOptionalMemberAccess=false, reportArgumentType=false
# ruff: noqa: F821, ANN001, ANN003, ANN201, ANN202, ANN204

import datetime as _datetime
import decimal as _decimal
import functools as _functools
import gc as _gc
import importlib as _importlib
import importlib.util as _importlib_util
import sys as _sys
import types as _types

_PACKAGES = {name.rpartition(".")[0] for name in _MODULES} | {""}


class _Carrier:
    """Finds and loads the modules that this file carries.

    It has no base of ``importlib.abc``, which takes longer to import than all else of the standard library.
    """

    def find_spec(self, fullname, path=None, target=None):  # noqa: ARG002
        package, _, name = fullname.partition(".")
        if package != _PACKAGE or name not in _MODULES:
            return None
        origin = f"{__file__}/{fullname}"
        spec = _importlib_util.spec_from_loader(fullname, self, origin=origin, is_package=name in _PACKAGES)
        spec.has_location = True
        return spec

    def create_module(self, spec):  # noqa: ARG002
        return None  # an ordinary module

    def exec_module(self, module):
        name = module.__name__
        code = compile(self.get_source(name), module.__spec__.origin, "exec", dont_inherit=True)
        exec(code, vars(module))  # noqa: S102  the text is a part of this file

    def get_source(self, fullname):
        return _MODULES[fullname.partition(".")[2]]

    def get_data(self, path):
        return _DATA[path.rpartition("/")[2]].encode()


def _module(name):
    """A module that this file carries."""
    if _PACKAGE not in _sys.modules:
        _sys.meta_path.insert(0, _Carrier())  # the others would look for each module in vain
    return _importlib.import_module(f"{_PACKAGE}.{name}")


class _Part:
    """A policy of this file, and what its arguments are called in reasons."""

    def __init__(self, policy, said, reading, expressions):
        self._said = said
        self.policy = _module("policy.deciding").DecidedPolicy(policy(_nouns()), self)
        self.reading = reading(_nouns())
        self.expressions = expressions(_nouns())

    def of(self, name):
        return self._said.get(name, name)

    def said(self, text):
        return text  # in this file it is in words already

    def decision(self, arguments):
        types = self.policy.parameters
        return self.policy.decide({name: _noun(value, types.get(name)) for name, value in arguments.items()})

    def reader(self):
        return _module("runs.replay.live_guard").reader_of(self.reading, self.expressions)


@_functools.cache
def _parts():
    return {name: _Part(*part) for name, part in _PARTS.items()}


def decide(arguments):
    """Decide on a mapping of the policy's arguments; a record is a dict of its fields, a list is a tuple.

    The answer is a mapping with ``verdict`` (allow, ask, deny, cannot-evaluate), ``violations`` (each with
    ``rule``, ``message`` and ``items``), ``reasons`` and ``permitted_by``. In a file of several policies the
    arguments are named ``POLICY:ARGUMENT``, and the answer, which is that of all together, names rules so.
    """
    if len(_PARTS) == 1:
        (decision,) = [part.decision(arguments) for part in _parts().values()]
    else:
        decisions = {}
        for name, part in _parts().items():
            own = {
                key[len(name) + 1 :]: held for key, held in arguments.items() if key.startswith(f"{name}:")
            }
            decisions[name] = part.decision(own)
        decision = _module("guard.several_policies").together(decisions)
    return _module("policy.deciding").answer_of(decision)


def _noun(value, type_of):
    """A value as a policy takes it: a dict is a record of its type."""
    if type(value) is tuple:
        return tuple(_noun(element, type_of and type_of.element) for element in value)
    record = type_of and type_of.record
    if type(value) is not dict or record is None:
        return value
    types = dict(record.fields)
    fields = tuple((name, _noun(held, types.get(name))) for name, held in value.items())
    return _module("model").RecordValue(record.name, fields)


def guard(**options):
    """A guard that reads calls as the session does: ``Guard`` of this file's policies with these options.

    ``ToolCall``, ``DecisionLog``, ``Strategy`` and the other names of ``workbench.guard`` are attributes of
    this file too. Needs Python 3.12.
    """
    collects = _gc.isenabled()
    _gc.disable()  # loading makes many objects and drops none
    try:
        named = [(name, part.policy, part.reader()) for name, part in _parts().items()]
        if len(named) == 1:
            return _module("guard").Guard(*named[0][1:], **options)
        return _module("guard").Guard([_module("guard").NamedPolicy(*one) for one in named], **options)
    finally:
        if collects:
            _gc.enable()


@_functools.cache
def _nouns():
    names = ("model", "policy.terms", "dialect.call_fields", "dialect.run_values", "guard.call_reading")
    carried = [vars(_module(name)) for name in names if name in _MODULES]
    nouns = {key: value for module in carried for key, value in module.items()}
    return _types.SimpleNamespace(**(nouns | {"Decimal": _decimal.Decimal, "datetime": _datetime}))


def __getattr__(name):
    if not name.startswith("_") and name in _module("guard").__all__:
        return getattr(_module("guard"), name)
    raise AttributeError(f"an exported policy has no {name}")
