"""The process that Nagini lives in: ``python -m workbench.engines.nagini.verifier.worker FOLDER``."""
