"""`python -m fuzz`, from the directory of the tests."""

from __future__ import annotations

import sys

from fuzz.run import main

if __name__ == "__main__":
    sys.exit(main())
