"""Whether a rule keeps the sense of a foreign sentence, found in another way than the search put it together.

The search names conditions by the words of a sentence and gives each a side. Here the finished rule is taken
apart (``rule_parts``): what it compares, whether it refuses where that holds, and at which words of the
sentence that is said (``spoken``). So a slip of the search is no slip of what it is held against. Each thing
that a rule compares is refused, or not, where the sentence says it; each word that turns that round has its
part of the sentence and counts once there, be it a "not", the prefix of a word, a comparison or the denial in
a name (``sides``). Where the words do not settle the side, nothing is concluded from it. What is said first
must come first (``order``). ``slips`` has the table of all that a rule may say against a sentence.
"""
