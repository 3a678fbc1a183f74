python -c 'from ranges import clamp as c; assert c(-4, 2, -1) == -1; assert c(0, 5, 1) == 1; assert c(7, 0, 5) == 5' && test -e tests/test_words.py && test ! -e test_all.py
