"""What an evaluation says about judgments and runs that do not fit."""

from cranfield.core.sentences import sentence

NONE_JUDGED = sentence(
    "measures.none-judged",
    "{system}: none of its documents is judged; do the document ids agree?",
    "the run shares topics with the judgments and no document",
)
HARDLY_JUDGED = sentence(
    "measures.hardly-judged",
    "{system}: only {judged:,} of its {retrieved:,} documents on judged topics {verb} judged; do the document "
    "ids agree? `cranfield check` compares them",
    "very few of the documents of the run are judged",
)
NONE_IN_POOL = sentence(
    "measures.none-in-pool",
    "{which} no relevant document in the pool of depth {depth}, so every system scores 0 there",
    "the pool of a sample has none of the relevant documents of these topics",
)
