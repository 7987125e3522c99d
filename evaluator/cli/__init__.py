"""
The `evaluator` command: a module for each group of subcommands.

In come arguments, out go lines or JSON and an exit code. Read `main`; it names the others.
Importing it loads nothing heavy: what a command needs is imported inside it.
"""
