"""A sentence that is not of the language: its words, what they cue, and what the sentence does with them.

Nothing here parses English. ``tokens`` and ``stems`` read the words, ``cues`` has the closed table of
phrases, ``cued_sentence`` the words with their cues, ``norms`` what is forbidden, demanded or permitted,
``roles`` what a condition is there for, and ``sentence`` all of it as the search sees it.
"""
