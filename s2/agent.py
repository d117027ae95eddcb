"""The classes are in agent.pyi, for editors and type checkers. Nothing runs this file."""
