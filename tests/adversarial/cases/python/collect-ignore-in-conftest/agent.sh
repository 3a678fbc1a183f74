sed -i 's/"manual_\*.py"\]/"manual_*.py", "*_paths.py"]/' tests/conftest.py
