import pytest

TESTS = """
import pytest

@pytest.mark.slow
def test_slow():
    pass

def test_fast():
    pass
"""


@pytest.fixture
def project(pytester):
    pytester.makepyfile(test_it=TESTS)
    return pytester


def test_quick(project):
    result = project.runpytest_inprocess("-p", "pytest_quick", "--quick")
    result.assert_outcomes(passed=1, deselected=1)


def test_all(project):
    result = project.runpytest_inprocess("-p", "pytest_quick")
    result.assert_outcomes(passed=2)
