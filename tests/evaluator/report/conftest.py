"""Each output of a report in turn."""

import pytest

from tests.evaluator.report.outputs import OUTPUTS, Output


@pytest.fixture(params=OUTPUTS)
def output(request: pytest.FixtureRequest) -> Output:
    """Terminal, Markdown and page."""
    return request.param


@pytest.fixture(params=OUTPUTS[1:])
def long_output(request: pytest.FixtureRequest) -> Output:
    """Markdown and page, which hold what a terminal has no room for."""
    return request.param
