"""Units of a predicate with its arguments, finer than claims: one unit for each adjunct.

Zhang and Bansal 2021 (Lite3Pyramid) make such units of semantic roles. Here predicates and arguments are
those of the dependency tree of a claim: "She won the race in Rome in May" has the units "She won the race",
"She won the race in Rome" and "She won the race in May".
"""

from __future__ import annotations

from collections.abc import Sequence

from claimwise.text.claims import BaseDecomposer, Decomposed
from claimwise.text.clauses.decomposer import CLAUSES_VERSION, ClausesDecomposer, parse
from claimwise.text.clauses.grammar import is_clause, is_negated
from claimwise.text.clauses.realize import sentence
from claimwise.text.clauses.scope import stays_whole
from claimwise.text.clauses.tree import Node, trees
from claimwise.text.parser import parser_fingerprint

PREDICATES_VERSION = "1"
ADJUNCTS = ("obl", "obl:tmod", "obl:npmod", "obl:unmarked", "nmod:tmod")
COMPLEMENTS = ("obj", "ccomp", "xcomp", "cop")
"""With one of these a predicate says something without its adjuncts."""


class PredicatesDecomposer(BaseDecomposer):
    """Splits sentences into units of a predicate, its subject and its complements, with one adjunct at most.

    A claim that is negated or bound by a condition stays whole: less of it would say something else.
    """

    @property
    def signature(self) -> dict[str, str]:  # type: ignore[override]
        """The versions of the rules, and the parser's fingerprint."""
        return {
            "predicates": PREDICATES_VERSION,
            "clauses": CLAUSES_VERSION,
            "parser": parser_fingerprint(),
        }

    def decompose(self, sentences: Sequence[str]) -> list[Decomposed]:
        """Return the units of each sentence; one that the decomposer ``clauses`` leaves whole stays whole."""
        decomposed = ClausesDecomposer(pronouns="keep").decompose(sentences)
        claims = [claim for one in decomposed if one.left_whole is None for claim in one.claims]
        parses = iter(parse(claims))
        units = []
        for one in decomposed:
            if one.left_whole is None:
                of_claims = [_units(claim, trees(next(parses))) for claim in one.claims]
                one = one._replace(claims=list(dict.fromkeys(unit for some in of_claims for unit in some)))
            units.append(one)
        return units


def _units(claim: str, roots: Sequence[Node]) -> list[str]:
    """Return the units of a claim with these trees; the claim itself if there are no others."""
    if len(roots) != 1:
        return [claim]
    (tree,) = roots
    adjuncts = tree.all(*ADJUNCTS)
    if not is_clause(tree) or is_negated(tree) or stays_whole(tree) or tree.first("conj") is not None:
        return [claim]
    parts = [tree.without(*adjuncts)] if tree.first(*COMPLEMENTS) is not None else []
    parts += [tree.without(*(other for other in adjuncts if other is not one)) for one in adjuncts]
    if not adjuncts or len(parts) == 1:
        return [claim]
    return [sentence(part) for part in parts]
