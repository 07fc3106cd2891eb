"""cranfield: design and analyse information-retrieval test collections.

The public names stand in `__init__.pyi`. They are loaded on first use, so that ``import cranfield`` costs nothing.
"""

import lazy_loader

__version__ = "1.0.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
