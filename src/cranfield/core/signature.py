"""The one line that says how a result was obtained, fit for a paper's footnote."""

from __future__ import annotations


def signature(what: str, **settings: object) -> str:
    """What was done, the settings by name, and the version.

    >>> signature("randomisation test", measure="AP", resamples=100_000, seed=1)
    'randomisation test; measure AP; resamples 100000; seed 1; cranfield 0.1.0'
    """
    from cranfield import __version__

    parts = [f"{name.replace('_', ' ')} {_text(value)}" for name, value in settings.items() if value is not None]
    return "; ".join([what, *parts, f"cranfield {__version__}"])


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(_text(part) for part in value)
    return str(value)
