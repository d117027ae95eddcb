"""The policy workbench: author, clarify, test, prove and replay policies that guard LLM agents."""
