"""The search for the rules that a foreign sentence may mean: a module for each step, from tools to ranks."""
