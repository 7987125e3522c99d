"""
The command on witnesses of time: have a frozen label set stamped, or keep a stamp of it.
"""

from pathlib import Path

import click

from evaluator.console import say
from labeler.cli.options import FILE, now


@click.command()
@click.argument("labels", type=FILE)
@click.option("--url", help="Ask this time-stamp authority, over HTTP (RFC 3161).")
@click.option("--token", type=FILE, help="Keep this token, got by other means.")
def witness(labels: Path, url: str | None, token: Path | None) -> None:
    """
    Keep a time stamp of a frozen label set beside it, as NAME.1.tsr, NAME.2.tsr and so on.

    An authority gets the digest of the manifest and nothing else. Whoever has its root
    certificates checks the stamp with `evaluator verify LABELS --authority ROOTS.pem`.

    Example: labeler witness labels/first --url https://tsa.example.org
    """
    from labeler.freezing.timestamp import ask_authority, keep_token

    if (url is None) == (token is None):
        raise click.UsageError("Give either --url or --token.")
    if url is not None:
        kept = ask_authority(labels, url, clock=now)
    else:
        assert token is not None
        kept = keep_token(labels, token)
    for note in kept.notes:
        say(f"Note: {note}")
    say(f"{kept.token.authority} states {kept.token.at.isoformat()}; the signature is not checked.")
    click.echo(str(kept.path))
