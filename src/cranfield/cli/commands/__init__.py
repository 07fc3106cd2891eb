"""The commands that are tools, which `cli.ask` does not run in the common way."""
