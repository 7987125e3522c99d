"""How messages quote things."""

from evaluator.text.messages import marked


def test_marks_show_line_breaks() -> None:
    """So that two line breaks are not taken for one."""
    assert "⟦a⏎\n⏎\nb ⟧" == marked("a\n\nb ")
