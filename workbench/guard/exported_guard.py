"""The guard of an exported policy, in a file that declares how calls are read.

It imports the modules that the file carries, under a name derived from their text. So files of several
versions of the workbench, and the workbench itself, can be used in one process.
"""

# What is not defined here comes from the exported file, which checkers of this file cannot see.
# pyright: basic, reportUndefinedVariable=false, reportOptionalMemberAccess=false, reportArgumentType=false
# ruff: noqa: F821, ANN001, ANN003, ANN201, ANN202, ANN204

import hashlib as _hashlib
import importlib as _importlib
import importlib.util as _importlib_util
import marshal as _marshal
import os as _os
import stat as _stat
import sys as _sys
import types as _types
from pathlib import Path as _Path

_MOST_KEPT = 20
"""The most exported files of which the compiled modules are kept."""


class _Carrier:
    """Finds and loads the modules that this file carries.

    It has no base of ``importlib.abc``, which takes longer to import than all else of the standard library.
    """

    def find_spec(self, fullname, path=None, target=None):  # noqa: ARG002
        package, _, name = fullname.partition(".")
        if package != _PACKAGE or name not in _MODULES:
            return None
        origin = f"{__file__}/{fullname}"
        inner = any(module_name.startswith(f"{name}.") or not name for module_name in _MODULES)
        spec = _importlib_util.spec_from_loader(fullname, self, origin=origin, is_package=inner)
        spec.has_location = True
        return spec

    def create_module(self, spec):  # noqa: ARG002
        return None  # an ordinary module

    def __init__(self):
        self.codes = _codes()

    def exec_module(self, module):
        exec(self.codes[module.__name__], vars(module))  # noqa: S102  the text is a part of this file

    def get_source(self, fullname):
        return _MODULES[fullname.partition(".")[2]]

    def get_data(self, path):
        return _DATA[path.rpartition("/")[2]].encode()


def _codes():
    """The compiled modules of this file, by their full names.

    They are kept in the user's cache as Python keeps those of a package, since they take longer to compile
    than to run. What is kept there is used if nobody but this user can write it, and if it has the hash of
    all that is compiled; else they are compiled. The newest files are kept.
    """
    names = {f"{_PACKAGE}.{name}".rstrip("."): text for name, text in _MODULES.items()}
    path = str(_Path(__file__).resolve())
    compiled = (repr(_sys.version_info), str(_sys.flags.optimize), path, *names, *names.values())
    digest = _hashlib.sha256("\0".join(compiled).encode(errors="surrogatepass")).digest()
    place = _kept_at(path)
    try:
        kept = _own_bytes(place)
        if kept[: len(digest)] == digest:
            return _marshal.loads(kept[len(digest) :])
    except (OSError, EOFError, ValueError, TypeError):
        pass
    codes = {
        name: compile(text, f"{__file__}/{name}", "exec", dont_inherit=True) for name, text in names.items()
    }
    if not _sys.dont_write_bytecode:
        _keep(place, digest + _marshal.dumps(codes))
    return codes


def _kept_at(path):
    """The file in the user's cache for a file at this path; None where there is no such cache."""
    home = _os.path.expanduser("~")  # noqa: PTH111  a path without a home is no error here
    cache = _Path(_os.environ.get("XDG_CACHE_HOME") or f"{home}/.cache")
    if not hasattr(_os, "getuid") or not cache.is_absolute():
        return None
    name = _hashlib.sha256(_os.fsencode(path)).hexdigest()
    return cache / "policy-workbench" / "exported" / f"{name}.{_sys.implementation.cache_tag}"


def _own_bytes(place):
    """The bytes of a file that nobody but this user can write. Raises OSError for any other."""
    if place is None:
        raise FileNotFoundError
    opened = _os.open(place, _os.O_RDONLY | _os.O_NOFOLLOW | _os.O_NONBLOCK)
    with _os.fdopen(opened, "rb") as file:
        said = _os.fstat(opened)
        if said.st_uid != _os.getuid() or said.st_mode & 0o022 or not _stat.S_ISREG(said.st_mode):
            raise PermissionError
        return file.read()


def _keep(place, data):
    """Write a file at once, and forget the oldest of many; where that is not possible, there is none."""
    if place is None:
        return
    unfinished = place.with_suffix(f".{_os.getpid()}")
    try:
        place.parent.mkdir(0o700, parents=True, exist_ok=True)
        opened = _os.open(unfinished, _os.O_WRONLY | _os.O_CREAT | _os.O_EXCL, 0o600)
        with _os.fdopen(opened, "wb") as file:
            file.write(data)
        unfinished.replace(place)
        kept = sorted(place.parent.iterdir(), key=lambda file: file.lstat().st_mtime)
        for oldest in kept[:-_MOST_KEPT]:
            oldest.unlink()
    except OSError:
        pass


def _module(name):
    """A module that this file carries."""
    if _PACKAGE not in _sys.modules:
        _sys.meta_path.append(_Carrier())
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
        answer, values = _judged({name: _plain(value) for name, value in arguments.items()}, why, between)
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
    return _module("guard").Guard(_Decider(), _reader(), **options)


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
