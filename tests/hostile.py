"""Names that try to run a script wherever a page shows them."""

from __future__ import annotations

from cranfield import ScoreMatrix, make_scores

MARK = "document.documentElement.setAttribute('data-owned','yes')"
HOSTILE = (
    f"</script><script>{MARK}</script>",
    f'"><img src=x onerror="{MARK}">',
    f"<svg onload={MARK}>",
    f"--></style></title></textarea><script>{MARK}</script>",
    f"]]><script>{MARK}</script>",
    f"a\u2028{MARK}//\u2029",
    "[link](javascript:alert(1))|`<b>`",
    "&lt;script&gt;&#60;script>",
)
"""Each would leave a mark on the page's root if it ran."""
RAW = ("<script>document", "<img src=x", "<svg onload", "</script><script", "]]><script")
"""What must never stand in a page as it is."""


def hostile_matrix(n_topics: int = 12) -> ScoreMatrix:
    """Scores whose systems, topics and measure all have such names."""
    x = make_scores(n_topics=n_topics, n_systems=len(HOSTILE), seed=3)
    topics = [f"{name} {number}" for number, name in zip(range(n_topics), HOSTILE * n_topics, strict=False)]
    return ScoreMatrix(x.values, topics, HOSTILE, f"AP<script>{MARK}</script>")
