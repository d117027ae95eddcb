"""GuardAgent's memory: demonstrations and their retrieval."""
