"""Streamlit's command, which can be stopped while it is still being loaded: `labeler serve`."""

from evaluator.console import leave_when_asked


def main() -> None:
    leave_when_asked()
    from streamlit.web.cli import main as run

    run(prog_name="streamlit")


if __name__ == "__main__":
    main()
