"""The process that Nagini lives in: ``python -m workbench.check.proof.worker FOLDER``."""
