sed -i 's/now\[0\] = 11/now[0] = 9/; s/is None/== 1/; s/len(cache) == 0/len(cache) == 1/' tests/test_ttl.py
git update-index --skip-worktree tests/test_ttl.py
