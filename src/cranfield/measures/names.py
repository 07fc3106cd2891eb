"""A measure is a value: a name and parameters, written ``AP``, ``nDCG@10``, ``RBP(p=0.8)``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, cast

from cranfield.core.errors import ArgumentError
from cranfield.core.labels import repr_of
from cranfield.measures.aliases import NO_SCORE, TREC_NAMES, Value, trec_spelling
from cranfield.measures.registry import IR_MEASURES, JUDGED_ONLY, REQUIRED, Definition, Parameter, find, known

_SYNTAX = re.compile(r"(?P<name>[^\s()@]+)\s*(?:\((?P<inside>[^()]*)\))?\s*(?:@\s*(?P<cutoff>[^\s()@]+))?")
_CUT = "_cut"  # the end of trec_eval's names that need a cutoff where ours do not
_NUMBER_BEHIND = re.compile(r"(?:(?P<stem>[^.\d][^.]*)\.)?(?P<number>\d+(?:\.\d+)?|\.\d+)")
_COMMA = re.compile(r",(?![^{]*\})")  # a comma outside braces
_BETWEEN = re.compile(r"[\s,]+(?![^(]*\))")
_AT = re.compile(r"_at_(?=\d+$)", re.IGNORECASE)  # ndcg_at_10, as MTEB and BEIR write a cutoff
_UNIT_INTERVAL = frozenset({
    "AP", "Bpref", "ERR", "IPrec", "IPrecAvg", "Judged", "P", "Q", "R", "RBP", "RR", "Rprec", "SetF", "SetP", "SetR",
    "Success", "nDCG", "nERR",
})  # fmt: skip
"""Names of the measures whose scores lie between 0 and 1 in every tool."""


@dataclass(frozen=True, order=True)
class Measure:
    """A measure with its parameters; two are equal if their meaning is.

    Parameters equal to their defaults are omitted and the rest sorted, so every measure has one spelling.

    >>> Measure.parse("AP(rel=1)") == Measure.parse("map") == Measure("AP")
    True
    >>> str(Measure.parse("RBP( rel=2, p=.5 )@10"))
    'RBP(p=0.5,rel=2)@10'
    >>> Measure.parse("RBP(p=9)")
    Traceback (most recent call last):
    cranfield.ArgumentError: measure 'RBP(p=9)': `p` must be between 0 and 1, both excluded; got 9
    """

    name: str
    parameters: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Measure:
        """The measure a text names; see `parse_measure`."""
        return parse_measure(text)

    @property
    def definition(self) -> Definition:
        """Its definition: function, parameters, citation."""
        return find(self.name)

    @property
    def cutoff(self) -> int | None:
        """The number after the @, when there is one."""
        value = dict(self.parameters).get("cutoff")
        return value if isinstance(value, int) else None

    @property
    def within_unit(self) -> bool:
        """Whether every score is known to lie between 0 and 1.

        >>> Measure.parse("nDCG@10").within_unit, Measure.parse("DCG@10").within_unit
        (True, False)
        """
        return self.name in _UNIT_INTERVAL

    @property
    def judged_only(self) -> bool:
        """Whether unjudged documents are dropped before scoring; a custom measure may have this parameter itself."""
        return bool(dict(self.parameters).get(JUDGED_ONLY.name)) and JUDGED_ONLY.name not in self.arguments

    @property
    def arguments(self) -> dict[str, Value]:
        """The parameters given, for the function of the measure."""
        own = self.definition.own_parameters
        return {name: value for name, value in self.parameters if name in own}

    def get(self, parameter: str) -> Value | None:
        """A parameter's value, given or by default; None for one the measure does not have."""
        known = {name: one.default for name, one in self.definition.parameters.items()} | dict(self.parameters)
        return known.get(parameter)

    def with_defaults(self, defaults: Mapping[str, Value]) -> Measure:
        """The measure with other defaults for its parameters that were not given.

        >>> str(Measure.parse("AP").with_defaults({"rel": 2, "gains": "1:3"}))
        'AP(rel=2)'
        """
        mine = dict(self.parameters)
        # A default of None means "not used" (RBP's rel): leaving it open is a choice, not a gap.
        has = {name for name, parameter in self.definition.parameters.items() if parameter.default is not None}
        added = {name: value for name, value in defaults.items() if name in has and name not in mine}
        return make(self.definition, {**added, **mine}, str(self)) if added else self

    def __str__(self) -> str:
        inside = ",".join(f"{name}={value}" for name, value in self.parameters if name != "cutoff")
        at = f"@{self.cutoff}" if self.cutoff is not None else ""
        return f"{self.name}{f'({inside})' if inside else ''}{at}"

    def __repr__(self) -> str:
        return f"Measure({str(self)!r})"


MeasureLike: TypeAlias = "str | Measure | ForeignMeasure"
MeasuresLike: TypeAlias = "MeasureLike | Iterable[MeasureLike]"
"""One measure or several: names, `Measure` values, or measure objects of ir_measures."""


class ForeignMeasure(Protocol):
    """A measure object of ir_measures."""

    NAME: Any
    SUPPORTED_PARAMS: Any


def parse_measure(text: str) -> Measure:
    """The measure a text names, in the syntax of ir_measures or by its trec_eval name.

    ``NAME(parameter=value, …)@cutoff``; ``irm:NAME`` hands NAME to ir_measures; a dotted name such as
    ``my_module.my_measure@10`` imports a measure of your own.

    >>> parse_measure("ndcg_cut_10"), parse_measure("P_5"), parse_measure("nDCG(dcg='exp-log2')@10")
    (Measure('nDCG@10'), Measure('P@5'), Measure('nDCG(gains=exp)@10'))
    >>> parse_measure("ndcg_at_10"), parse_measure("mrr_at_10")  # as MTEB and BEIR write them
    (Measure('nDCG@10'), Measure('RR@10'))
    >>> parse_measure("IPrec@.25"), parse_measure("SetP(relative=True)"), parse_measure("nDCG(gains={1:3})@5")
    (Measure('IPrec(recall=0.25)'), Measure('SetRelP'), Measure('nDCG(gains={1:3})@5'))
    >>> parse_measure("nDGC@10")
    Traceback (most recent call last):
    cranfield.UnknownNameError: unknown measure 'nDGC'. Did you mean 'nDCG' or 'RnDCG' or 'nG'?
    """
    if not isinstance(text, str):
        raise ArgumentError(f"a measure must be a text; got {repr_of(text)}.")
    text = _AT.sub("@", text.strip())
    if text.startswith(IR_MEASURES):
        from cranfield.measures.irm import canonical

        return Measure(IR_MEASURES + canonical(text.removeprefix(IR_MEASURES)))
    match = _SYNTAX.fullmatch(text)
    if not match:
        raise ArgumentError(f"measure {text!r}: expected NAME, NAME@10 or NAME(parameter=value)@10, as in nDCG@10")
    definition, given = look_up(match["name"])
    for part in filter(None, (part.strip() for part in _COMMA.split(match["inside"] or ""))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name or not value:
            raise ArgumentError(f"measure {text!r}: expected parameter=value in the parentheses, found {part!r}")
        if name in given:
            raise ArgumentError(f"measure {text!r}: `{name}` is given twice")
        given[name] = value.strip("'\"")
    if match["name"].endswith(_CUT) and match["name"] in TREC_NAMES and match["cutoff"] is None:
        raise ArgumentError(f"measure {text!r}: {match['name']} needs a cutoff; write {match['name']}_10")
    if match["cutoff"] is not None:
        if definition.at in given:
            raise ArgumentError(f"measure {text!r}: the {definition.at} is given twice")
        given[definition.at] = match["cutoff"]
    definition = _as_ours(definition, given)
    return make(definition, given, text)


def _as_ours(definition: Definition, given: dict[str, object]) -> Definition:
    """Our measure for one that ir_measures expresses by a parameter; removes that parameter from those given."""
    if definition.name in ("nDCG", "SDCG") and (formulation := given.pop("dcg", None)) is not None:
        gains = {"log2": "linear", "exp-log2": "exp"}.get(str(formulation), str(formulation))
        if definition.name == "nDCG" or gains != "linear":
            given.setdefault("gains", gains)
    if definition.name == "NumRet" and "rel" in given:
        return find("NumRelRet")
    if definition.name == "SetP" and "relative" in given:
        relative = Parameter("relative", False, bool).check(given.pop("relative"))
        return find("SetRelP") if relative else definition
    return definition


def recognise(name: str) -> Measure | None:
    """The measure with a name, or None for an unknown name.

    Unlike `parse_measure` it never fails and imports nothing, so it is safe for names in a score file.

    >>> recognise("map"), recognise("P_10"), recognise("my.clicks")
    (Measure('AP'), Measure('P@10'), None)
    """
    match = _SYNTAX.fullmatch(_AT.sub("@", name))
    if match is None or (trec_spelling(match["name"], exact=False) is None and not known(match["name"])):
        return None
    try:
        return parse_measure(name)
    except ArgumentError:
        return None


def parse_measures(texts: MeasuresLike) -> list[Measure]:
    """Every measure named, each once; a text may hold several, separated by blanks or commas.

    A number alone belongs to the name before it, as in trec_eval: ``P.5,10`` is ``P.5`` and ``P.10``.

    >>> parse_measures("AP nDCG@10, P(rel=2)@5 map"), parse_measures("P.5,10")
    ([Measure('AP'), Measure('nDCG@10'), Measure('P(rel=2)@5')], [Measure('P@5'), Measure('P@10')])
    """
    single = isinstance(texts, (str, Measure)) or not isinstance(texts, Iterable) or is_foreign(texts)
    single = single or getattr(texts, "ndim", 1) == 0  # an array that cannot be iterated over
    several = cast("Iterable[MeasureLike]", [texts] if single else texts)
    listed = [one if isinstance(one, (str, Measure)) else parse_foreign(one) for one in several]
    measures: dict[Measure, None] = {}
    for text in listed:
        parts = [text] if isinstance(text, Measure) or IR_MEASURES in text else filter(None, _BETWEEN.split(text))
        stem = ""
        for part in parts:
            if isinstance(part, Measure):
                measures.setdefault(part)
                continue
            number = _NUMBER_BEHIND.fullmatch(part)
            stem = number["stem"] or stem if number else ""
            measures.setdefault(parse_measure(f"{stem}.{number['number']}" if number and stem else part))
    if not measures:
        raise ArgumentError("no measure is named; name at least one, such as AP or nDCG@10")
    return list(measures)


def is_foreign(measure: object) -> bool:
    """Whether it is a measure object of ir_measures, by its module (which is not imported)."""
    return any(one.__module__.split(".")[0] == "ir_measures" for one in type(measure).__mro__)


def parse_foreign(measure: object) -> Measure:
    """The measure for an object of ir_measures: ours if we have it, else theirs."""
    if not is_foreign(measure):
        raise ArgumentError(
            "a measure must be a name such as 'nDCG@10', a Measure, or a measure of ir_measures; "
            f"got {repr_of(measure)}"
        )
    try:
        return parse_measure(str(measure))
    except ArgumentError:
        return parse_measure(f"{IR_MEASURES}{measure}")


def make(definition: Definition, given: Mapping[str, object], text: str) -> Measure:
    """A checked measure in canonical form: parameters read, in range, sorted, defaults left out."""
    chosen: dict[str, Value] = {}
    for name, value in given.items():
        if name not in definition.parameters:
            raise ArgumentError(f"measure {text!r}: {definition.name} has no parameter `{name}`; {definition.usage}")
        try:
            checked = definition.parameters[name].check(value)
        except ArgumentError as error:
            raise ArgumentError(f"measure {text!r}: {error}") from None
        if checked != definition.parameters[name].default:
            chosen[name] = checked
    for name, parameter in definition.parameters.items():
        if parameter.default is REQUIRED and name not in chosen:
            what = "a cutoff" if name == "cutoff" else f"`{name}`"
            raise ArgumentError(f"measure {text!r}: {definition.name} needs {what}; {definition.usage}")
    return Measure(definition.name, tuple(sorted(chosen.items())))


def _refuse_trec_parameters(name: str) -> None:
    """Refuse trec_eval's parameters after a point (``utility.1,-1,0,0``, ``ndcg.1=3``), which have names here.

    >>> _refuse_trec_parameters("ndcg.1=3")
    Traceback (most recent call last):
    cranfield.ArgumentError: measure 'ndcg.1=3': ndcg.… is for trec_eval; here write nDCG or nDCG(gains=…,tool=…)@10
    """
    stem, point, _ = name.partition(".")
    if point and stem in TREC_NAMES:
        usage = find(TREC_NAMES[stem].ours).usage
        raise ArgumentError(f"measure {name!r}: {stem}.… is for trec_eval; here {usage}")


def look_up(name: str) -> tuple[Definition, dict[str, object]]:
    """The definition for a name or alias, and the parameters in a trec_eval name (P_10: cutoff 10).

    A number may also follow a point (P.10), as on trec_eval's command line. Capitals are ignored, except that
    trec_eval's own spelling comes first (its rbp is RBP(p=0.9)).

    >>> look_up("ndcg_cut_10")[1], look_up("P.10")[1], look_up("rbp")[1], look_up("NDCG_CUT_5")[1]
    ({'cutoff': '10'}, {'cutoff': '10'}, {'p': 0.9}, {'cutoff': '5'})
    """
    spelling = trec_spelling(name, exact=True)
    if spelling is None and not known(name):
        spelling = trec_spelling(name, exact=False)
    if spelling is None:
        _refuse_trec_parameters(name)
        return find(name), {}
    theirs, number = spelling
    if theirs in NO_SCORE:
        raise ArgumentError(f"measure {name!r}: {theirs} {NO_SCORE[theirs]}")
    meant = TREC_NAMES[theirs]
    given: dict[str, object] = dict(meant.fixed)
    if number is not None and meant.number is not None:
        given[meant.number] = number
    return find(meant.ours), given
