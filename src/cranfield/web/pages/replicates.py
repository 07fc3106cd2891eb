"""Do the systems differ on other documents?"""

from __future__ import annotations

from cranfield.settings.replicates import ReplicatesSettings
from cranfield.web.server.page import page

page(
    "replicates",
    "Replicates",
    ReplicatesSettings,
    heading="Do they differ on other documents?",
    lead="The documents are split at random, every topic is scored on every part, and the splits are held against "
    "one another. Needs runs and judgments.",
    button="Run",
    doing="Splitting the documents of",
    nothing="This takes a little while: choose data and run it.",
    brief="Which systems differ when every topic is scored on several partitions of the documents; needs runs.",
    waits=True,
    place=40,
)
