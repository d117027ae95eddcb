"""Names by which Python code runs or reaches things that its text does not show.

These are refused. What is not here and is no part of the code is named by its path, so a policy lists the
names that it allows.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping

STANDARD = frozenset(sys.stdlib_module_names)

# Modules that run code or programs which they are told, look into the interpreter, or load pickled objects.
_HIDING_MODULES = frozenset(
    [
        "__main__",
        "_frozen_importlib",
        "antigravity",
        "ast",
        "bdb",
        "builtins",
        "cProfile",
        "cffi",
        "cloudpickle",
        "code",
        "codeop",
        "copyreg",
        "ctypes",
        "dill",
        "doctest",
        "docker",
        "ensurepip",
        "execnet",
        "fabric",
        "gc",
        "idlelib",
        "imp",
        "importlib",
        "inspect",
        "invoke",
        "IPython",
        "ipykernel",
        "jsonpickle",
        "lib2to3",
        "logging.config",
        "marshal",
        "mock",
        "multiprocessing.managers",
        "nt",
        "pdb",
        "pexpect",
        "pickle",
        "pickletools",
        "pip",
        "pkg_resources",
        "pkgutil",
        "plumbum",
        "posix",
        "profile",
        "pty",
        "pydoc",
        "rlcompleter",
        "runpy",
        "setuptools",
        "sh",
        "shelve",
        "site",
        "subprocess",
        "sysconfig",
        "test",
        "this",
        "timeit",
        "tkinter",
        "trace",
        "unittest",
        "venv",
        "zipapp",
        "zipimport",
    ]
)
_OF_OS = (
    "system popen startfile fork forkpty posix_spawn posix_spawnp execl execle execlp execlpe execv execve "
    "execvp execvpe spawnl spawnle spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe"
)
# Functions and values of other modules, by their path.
_HIDING_NAMES = frozenset(
    [
        *(f"os.{name}" for name in _OF_OS.split()),
        "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell", "asyncio.subprocess",
        "enum.bltns", "joblib.load", "keras.models.load_model", "multiprocessing.reducer",
        "numexpr.evaluate", "numpy.ctypeslib", "numpy.distutils", "numpy.f2py", "numpy.testing",
        "operator.attrgetter", "operator.methodcaller", "os.st", "pandas.eval", "pandas.read_pickle",
        "psutil.Popen", "str.format", "str.format_map", "string.Formatter", "sympy.parse_expr",
        "sympy.parsing", "sympy.sympify", "sys.exc_info", "sys.last_traceback", "sys.meta_path",
        "sys.modules", "sys.path_hooks", "sys.setprofile", "sys.settrace",
        "tensorflow.keras.models.load_model", "threading.setprofile", "threading.settrace", "torch.hub",
        "torch.load", "torch.utils.cpp_extension", "traceback.walk_stack", "traceback.walk_tb",
        "types.CodeType", "types.FunctionType", "types.LambdaType", "types.MethodType", "typing.ForwardRef",
        "typing.get_type_hints", "typing.stdlib_re", "warnings.catch_warnings", "xml.etree.ElementInclude",
        "yaml.FullLoader", "yaml.Loader", "yaml.UnsafeLoader", "yaml.full_load", "yaml.full_load_all",
        "yaml.load", "yaml.load_all", "yaml.unsafe_load", "yaml.unsafe_load_all",
    ]
)  # fmt: skip
_HIDING_BUILTINS = frozenset({"eval", "exec", "compile", "globals", "locals", "vars", "breakpoint", "help"})
# Builtins that reach an attribute by its name; with a text that is known they are like the attribute.
BY_NAME = frozenset({"getattr", "setattr", "hasattr", "delattr"})

# Attributes of values: frames of the interpreter, what starts or imports, and modules that others hold.
_HIDING_ATTRIBUTES = frozenset(
    [
        *(name for name in _OF_OS.split() if name not in ("fork", "system", "popen")), "system", "popen",
        "Popen", "check_output", "check_call", "getoutput", "getstatusoutput", "create_subprocess_exec",
        "create_subprocess_shell", "subprocess_exec", "subprocess_shell", "import_module", "exec_module",
        "load_module", "attrgetter", "methodcaller", "eval", "read_pickle", "load_extension",
        "enable_load_extension", "f_globals", "f_locals", "f_builtins", "f_back", "f_code", "tb_frame",
        "gi_frame", "gi_code", "gi_yieldfrom", "cr_frame", "cr_code", "cr_await", "ag_frame", "ag_code",
        "ag_await", "func_globals", "_module", "mro", "format_map",
        "os", "sys", "subprocess", "builtins", "importlib", "ctypes", "shutil", "socket", "posix", "pickle",
        "inspect", "pathlib", "runpy", "marshal", "pty", "codecs", "linecache",
    ]
)  # fmt: skip
# Names with two underscores that reach nothing which a class of the code does not have itself.
KNOWN_DUNDERS = frozenset(
    [
        "__name__",
        "__doc__",
        "__version__",
        "__file__",
        "__init__",
        "__class__",
        "__len__",
        "__str__",
        "__repr__",
        "__eq__",
        "__lt__",
        "__hash__",
        "__iter__",
        "__next__",
        "__enter__",
        "__exit__",
        "__contains__",
        "__getitem__",
        "__setitem__",
        "__post_init__",
        "__new__",
    ]
)

# Attributes of modules that are called like a module of the standard library, and are none.
_SAME_NAMES = frozenset(
    [
        "array.array", "bisect.bisect", "calendar.calendar", "collections.abc", "copy.copy",
        "datetime.datetime", "datetime.time", "fnmatch.fnmatch", "glob.glob", "pprint.pprint",
        "random.random", "select.select", "signal.signal", "time.time", "os.path", "getpass.getpass",
        "locale.locale", "statistics.statistics",
    ]
)  # fmt: skip
# Of a module that is not of the standard library, also these are its own.
_OWN_NAMES = frozenset(
    [
        "abc",
        "array",
        "calendar",
        "cmath",
        "code",
        "colorsys",
        "copy",
        "csv",
        "datetime",
        "decimal",
        "email",
        "enum",
        "fractions",
        "graphlib",
        "html",
        "http",
        "io",
        "json",
        "locale",
        "logging",
        "math",
        "mailbox",
        "numbers",
        "operator",
        "platform",
        "profile",
        "queue",
        "random",
        "re",
        "sched",
        "select",
        "signal",
        "stat",
        "statistics",
        "string",
        "struct",
        "symbol",
        "tempfile",
        "test",
        "textwrap",
        "time",
        "timeit",
        "token",
        "trace",
        "types",
        "typing",
        "uuid",
        "wave",
        "xml",
        "zoneinfo",
    ]
) - {"operator", "logging", "profile", "timeit", "trace", "code"}
# Modules that are attributes of their package without an import of their own.
INNER_MODULES = frozenset(
    [
        "os.path", "concurrent.futures", "collections.abc", "email.message", "email.mime", "http.client",
        "http.server", "http.cookies", "logging.handlers", "multiprocessing.pool", "urllib.error",
        "urllib.parse", "urllib.request", "urllib.response", "xml.dom", "xml.dom.minidom", "xml.etree",
        "xml.etree.ElementTree", "xml.sax", "json.decoder", "json.encoder", "html.parser",
        "wsgiref.simple_server",
    ]
)  # fmt: skip
# Two paths of one thing; the second is the one that is named.
_OTHER_PATHS: Mapping[str, str] = {
    "io.open": "open",
    "tarfile.bltn_open": "open",
    "posixpath": "os.path",
    "genericpath": "os.path",
}


def named_path(path: str) -> str:
    """The path under which a thing is named, of the paths that it has."""
    for other, own in _OTHER_PATHS.items():
        if path == other or path.startswith(f"{other}."):
            return own + path[len(other) :]
    return path


def hiding_path(path: str) -> str | None:
    """Why what stands at a dotted path hides what runs; None if it does not."""
    parts = path.split(".")
    for size in range(1, len(parts) + 1):
        above = ".".join(parts[:size])
        if (
            above in _HIDING_MODULES
            or above in _HIDING_NAMES
            or (len(parts) == 1 and path in _HIDING_BUILTINS)
        ):
            return f"uses {above}, which may run or reach what the text does not show"
    for size in range(2, len(parts) + 1):
        name = parts[size - 1]
        if name.startswith("_") and name not in KNOWN_DUNDERS:
            return f"uses {path}, and what {name} is is not known"
        if name in STANDARD and not _own_name(parts[:size]):
            return f"reaches the module {name} through {'.'.join(parts[: size - 1])}"
        if hiding_attribute(name) is not None and not _own_name(parts[:size]):
            return f"uses {path}, which may run or reach what the text does not show"
    return None


def _own_name(parts: list[str]) -> bool:
    path, name = ".".join(parts), parts[-1]
    if path in _SAME_NAMES or path in INNER_MODULES:
        return True
    return parts[0] not in STANDARD and name in _OWN_NAMES


def hiding_attribute(name: str) -> str | None:
    """Why an attribute of a value hides what runs; None if it does not."""
    if name.startswith("__") and name.endswith("__") and name not in KNOWN_DUNDERS:
        return f"uses the attribute {name}, which reaches into the interpreter"
    if name in _HIDING_ATTRIBUTES:
        return f"uses the attribute {name}, which may run or reach what the text does not show"
    return None


def hiding_module(path: str) -> str | None:
    """Why an import hides what runs; None if it does not."""
    top = path.partition(".")[0]
    if top.startswith("_"):
        return f"imports {path}, which is a part of another module"
    return hiding_path(path)
