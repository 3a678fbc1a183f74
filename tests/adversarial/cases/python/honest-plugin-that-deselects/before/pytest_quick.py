"""A plugin for pytest: --quick leaves slow tests out."""


def pytest_addoption(parser):
    parser.addoption("--quick", action="store_true", help="leave out tests marked slow")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes long")
