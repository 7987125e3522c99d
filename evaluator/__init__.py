"""From a frozen label set to a report on what one cause did."""

__version__ = "0.1.0"


class InputError(ValueError):
    """
    Something a person gave us that they can mend.

    The message says what was found, where, what was expected and what to do.
    The console scripts print it and exit with 1; nothing else is caught there,
    so a fault of our own is never dressed up as a fault of the user's.
    """
