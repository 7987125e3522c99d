"""python -m labeler.demo"""

import sys
from datetime import datetime

from evaluator import InputError
from evaluator.console import say
from labeler.demo.demo import LABEL_SET, demo_source
from labeler.demo.rebuild import FROZEN_AT, rebuild, write_unjudged


def main() -> None:
    """Make the demo's label set again; with --unjudged, list what it does not judge yet."""

    def clock() -> datetime:
        return FROZEN_AT

    demo = demo_source()
    if "--unjudged" in sys.argv:
        write_unjudged(demo, sys.stdout, clock=clock)
        return
    try:
        rebuilt = rebuild(demo, clock=clock)
    except InputError as error:
        raise SystemExit(f"Error: {error}") from None
    say(f"{LABEL_SET} made again; {rebuilt.unjudged} pairs of its pool are unjudged.")
    print(rebuilt.sha256)


if __name__ == "__main__":
    main()
