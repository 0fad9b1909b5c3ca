"""The decomposer ``clauses``: takes sentences apart by their dependency trees.

A sentence goes through these steps, one file each:

    segments.py       short spellings written out, openers dropped, statements at stops set apart
    run_ons.py        hasty writing cut at its commas; ellipsis.py: "some liked the bar, others the pool";
                      set_off.py: what commas set off from a subject
    (the parser)      once for whole statements, once more for those that were cut; stand_ins.py: "they" for
                      subjects that it does not know as such
    tree.py           the tree, whose parts can be moved
    repairs.py        attachments that parsers often get wrong
    attribution.py    "reviewers say that ..."
    subordinate.py    contrast, reasons, participles, remarks
    relative.py       relative clauses, appositions, "with kind staff"
    coordination.py   one conjunct of each list at a time; scope.py: what keeps them together,
                      sharing.py: what they share, negation.py: "neither ... nor", "not only"
    fragments.py      a verb for what has none
    realize.py        agreement, articles, commas, capital letter, full stop; forms.py: forms of verbs
    checks.py         signs that the parse went wrong: then the statement is parsed once more with a simpler
                      subject, or stays whole

grammar.py says what a part of a tree is, words.py holds the few closed lists, sentences.py calls it all.
"""

from claimwise.text.clauses.decomposer import CLAUSES_VERSION, MAX_WORDS, ClausesDecomposer

__all__ = ["CLAUSES_VERSION", "MAX_WORDS", "ClausesDecomposer"]
