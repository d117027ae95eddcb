"""The process that runs Nagini: ``python -m workbench.engines.nagini.verifier.worker FOLDER``."""
