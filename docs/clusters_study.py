"""Do comparisons keep their level when topics belong together, with and without `topic_groups`?

Five systems of equal means. Differences vary between groups of topics and within them, both by a centred exponential
distribution; the share between groups sets the design effect. Groups have 2, 4 or 6 topics. An error is any significant
pair of the ten::

    python docs/clusters_study.py --trials 500
"""

from __future__ import annotations

import argparse
import sys
import warnings

import numpy as np

from cranfield import ScoreMatrix, compare

SYSTEMS = 5
SIZES = (2, 4, 6)


def main() -> None:
    """Print one row per number of groups and share of variance between them."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    sys.stdout.write("groups,share,design_effect,trials,randomisation,max_t,randomisation_by_topic,max_t_by_topic\n")
    for groups in (20, 50):
        of_topic = np.repeat(np.arange(groups), np.resize(SIZES, groups))
        topics = [f"{i:04}" for i in range(len(of_topic))]
        own = {topic: str(g) for topic, g in zip(topics, of_topic, strict=True)}
        for share in (0.0, 0.3, 0.7):
            rng = np.random.default_rng([asked.seed, groups, int(10 * share)])
            errors, effect = np.zeros(4), 0.0
            for trial in range(asked.trials):
                between = rng.exponential(1, (groups, SYSTEMS))[of_topic] - 1
                within = rng.exponential(1, (len(of_topic), SYSTEMS)) - 1
                values = 0.5 + 0.1 * (np.sqrt(share) * between + np.sqrt(1 - share) * within)
                scores = ScoreMatrix(values, topics, [f"s{j}" for j in range(SYSTEMS)], "AP")
                tries = [(test, by) for by in (own, None) for test in ("randomisation", "max-t")]
                for k, (test, by) in enumerate(tries):
                    found = compare(scores, test=test, topic_groups=by, n_resamples=499, seed=trial)
                    errors[k] += found.significant.any()
                    effect += len(topics) / found.effective_topics if k == 0 else 0.0
            rates = ",".join(f"{rate:.3f}" for rate in errors / asked.trials)
            sys.stdout.write(f"{groups},{share},{effect / asked.trials:.2f},{asked.trials},{rates}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
