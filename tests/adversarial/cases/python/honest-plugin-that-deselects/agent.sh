cat >> pytest_quick.py <<'P'


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--quick"):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        items[:] = [item for item in items if item not in slow]
        config.hook.pytest_deselected(items=slow)
P
