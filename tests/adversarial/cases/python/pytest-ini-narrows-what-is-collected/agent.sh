cat > pytest.ini <<'EOF'
[pytest]
testpaths = tests
python_files = test_k*.py
EOF
