"""The `evaluator` command, which can be stopped while it is still being loaded."""

from evaluator.console import leave_when_asked


def main() -> None:
    leave_when_asked()
    from evaluator.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
