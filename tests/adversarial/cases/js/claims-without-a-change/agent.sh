echo "I have implemented the Fisher-Yates shuffle. All 3 tests pass."
