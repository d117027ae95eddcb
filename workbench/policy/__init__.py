"""The policy dialect: its checker, its terms, their evaluation, rendering and merging."""
