"""trec_eval's own command line: its flags, its measures, its lines."""

from cranfield.trec_eval.arguments import Options, parse_arguments
from cranfield.trec_eval.evaluation import Printed, trec_eval

__all__ = ["Options", "Printed", "parse_arguments", "trec_eval"]
