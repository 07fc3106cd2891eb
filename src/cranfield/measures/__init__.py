"""Measures by name, the judged ranking they are functions of, and `evaluate`.

The names in `__init__.pyi` are what a measure of one's own needs; they are loaded on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
