"""The guard of an exported policy, in a file that declares how calls are read.

It imports the modules that the file carries, under a name derived from their text. So files of several
versions of the workbench, and the workbench itself, can be used in one process.
"""

# What is not defined here comes from the exported file, which checkers of this file cannot see.
# pyright: basic, reportUndefinedVariable=false, reportOptionalMemberAccess=false, reportArgumentType=false
# ruff: noqa: F821, ANN001, ANN003, ANN201, ANN202, ANN204

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


class _Decider:
    """The policy of this file in the form that a guard asks."""

    def __init__(self):
        self.parameters = {name: _argument_type(type_of) for name, type_of in _ARGUMENTS.items()}
        self.taken_by_rules = {rule.__name__: frozenset(names) for rule, _, names, _ in _RULES}

    def said(self, argument):
        return _SAID.get(argument, argument)

    def decide(self, arguments):
        return self.decide_incomplete(arguments, {})

    def decide_incomplete(self, arguments, why, between=None):
        nouns = _module("model")
        known = {name: _plain(value) for name, value in (between or {}).items()}
        answer, values = _judged({name: _plain(value) for name, value in arguments.items()}, why, known)
        decided_arguments = (
            arguments if values is None else {name: _noun(value) for name, value in values.items()}
        )
        violations = [
            nouns.Violation(violation["rule"], violation["message"], tuple(violation["items"]))
            for violation in answer["violations"]
        ]
        verdict = nouns.Verdict(answer["verdict"])
        reasons, permitted = tuple(answer["reasons"]), tuple(answer["permitted_by"])
        return nouns.Decision(verdict, tuple(violations), dict(decided_arguments), reasons, permitted)


def _argument_type(type_of):
    nouns = _module("model")
    kind, values, optional, places, inner = type_of
    record = element = None
    if kind == "record":
        record = nouns.RecordType(
            inner[0], tuple((name, _argument_type(field_type)) for name, field_type in inner[1])
        )
    elif kind == "list":
        element = _argument_type(inner)
    elif kind == "set":
        element = nouns.ArgumentType(nouns.Kind(inner))
    return nouns.ArgumentType(nouns.Kind(kind), values, optional, places, record, element)


def _plain(value):
    """A value as ``decide`` takes it: a record is a dict."""
    if type(value) is tuple:
        return tuple(_plain(element) for element in value)
    if isinstance(value, _module("model").RecordValue):
        return {name: _plain(held) for name, held in value.fields}
    return value


def _noun(value):
    """A policy value in the form that a guard uses: records with fields in order, times with a zone."""
    if type(value) is _datetime.datetime:
        return value.replace(tzinfo=_datetime.UTC)
    if type(value) is tuple:
        return tuple(_noun(element) for element in value)
    if isinstance(value, tuple(_RECORDS.values())):
        fields = tuple((name, _noun(getattr(value, name))) for name in value.__annotations__)
        return _module("model").RecordValue(type(value).__name__, fields)
    return value


def guard(**options):
    """A guard that reads calls as the session does: ``Guard`` with this policy and these options.

    ``ToolCall``, ``DecisionLog``, ``Strategy`` and the other names of ``workbench.guard`` are attributes of
    this file too. Needs Python 3.12.
    """
    collects = _gc.isenabled()
    _gc.disable()  # loading makes many objects and drops none
    try:
        return _module("guard").Guard(_Decider(), _reader(), **options)
    finally:
        if collects:
            _gc.enable()


def _reader():
    return _module("runs.replay.live_guard").reader_of(_reading_of_calls(), _checked_expressions())


def _checked_expressions():
    """The expressions of a policy of calls, which were checked when it was exported; None for any other."""
    return None if _expressions is None else _expressions(_nouns_of_expressions())


def _nouns_of_expressions():
    names = ("model", "policy.terms", "dialect.call_fields", "dialect.run_values")
    nouns = {key: value for name in names for key, value in vars(_module(name)).items()}
    return _types.SimpleNamespace(**(nouns | {"Decimal": _decimal.Decimal, "datetime": _datetime}))


def _reading_of_calls():
    return _reading(
        _types.SimpleNamespace(
            **vars(_module("model")), CallReading=_module("guard.call_reading").CallReading
        )
    )


def __getattr__(name):
    if not name.startswith("_") and name in _module("guard").__all__:
        return getattr(_module("guard"), name)
    raise AttributeError(f"an exported policy has no {name}")
