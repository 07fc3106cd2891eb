"""Would another set of topics rank these systems alike? Generalisability theory, and the agreement to expect."""

from cranfield.generalisability.components import Components, variance_components
from cranfield.generalisability.study import Reliability, reliability
from cranfield.generalisability.tau import ExpectedTau, expected_tau
from cranfield.generalisability.views import ThreeViews, three_views

__all__ = [
    "Components",
    "ExpectedTau",
    "Reliability",
    "ThreeViews",
    "expected_tau",
    "reliability",
    "three_views",
    "variance_components",
]
