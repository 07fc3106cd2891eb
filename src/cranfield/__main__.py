"""``cranfield`` and ``python -m cranfield``: the program, which may be interrupted from its first moment on."""

import sys


def main() -> None:
    """Run the program; Ctrl-C while it is still being imported ends it as it does later."""
    try:
        from cranfield.cli.main import main as program
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        raise SystemExit(130) from None
    program()


if __name__ == "__main__":
    main()
