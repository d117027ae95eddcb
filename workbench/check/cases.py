"""Cases: generated from a policy, rendered as a pytest file, run by pytest."""

from workbench.check.cases_generate import generate_cases
from workbench.check.cases_render import render_cases
from workbench.check.cases_run import CaseRun, run_cases

__all__ = ["CaseRun", "generate_cases", "render_cases", "run_cases"]
