echo "diff() reports nested changes now, all tests pass."
