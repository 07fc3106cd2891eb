"""Parameter tuning that does not fool itself: folds, the choice on training topics, scores on held-out ones."""

from cranfield.tuning.bias import SelectionBias, selection_bias
from cranfield.tuning.families import Family, LiveFamily, read_families, split_families
from cranfield.tuning.folds import Folds, HoldOut, LeaveOneOut, NFold, Splitter
from cranfield.tuning.held_out import tune
from cranfield.tuning.result import TunedFamily, Tuning
from cranfield.tuning.settings import Setting, grid, parse_setting

__all__ = [
    "Family",
    "Folds",
    "HoldOut",
    "LeaveOneOut",
    "LiveFamily",
    "NFold",
    "SelectionBias",
    "Setting",
    "Splitter",
    "TunedFamily",
    "Tuning",
    "grid",
    "parse_setting",
    "read_families",
    "selection_bias",
    "split_families",
    "tune",
]
