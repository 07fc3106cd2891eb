"""``python -m cranfield`` is the ``cranfield`` program."""

from cranfield.cli.main import main

if __name__ == "__main__":
    main()
