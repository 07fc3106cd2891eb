"""What an evaluation says about judgments and runs that do not fit."""

from cranfield.sentences import sentence

NO_COMMON_TOPIC = sentence(
    "measures.no-common-topic",
    "{system}: no topic in common with {qrels}; do the topic ids agree?",
    "the run has none of the topics of the judgments",
)
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
MISSING_TOPICS = sentence(
    "measures.missing-topics",
    "{system}: no document for {missing} of {topics} topics, {fate}: {which}",
    "the run lacks that many topics of the judgments",
)
UNJUDGED_TOPICS = sentence(
    "measures.unjudged-topics",
    "{system}: {count} topic{s} without judgments left out: {which}",
    "the run has that many topics that the judgments lack",
)
NO_RELEVANT = sentence(
    "measures.no-relevant",
    "{count} of {topics} topics have no relevant document{level}, so every system scores 0 there: {which}",
    "no document of these topics has the level that counts as relevant",
)
NONE_IN_POOL = sentence(
    "measures.none-in-pool",
    "{which} no relevant document in the pool of depth {depth}, so every system scores 0 there",
    "the pool of a sample has none of the relevant documents of these topics",
)
