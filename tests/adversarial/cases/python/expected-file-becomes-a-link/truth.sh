python -c 'from table import render; assert render([("a", 1), ("bb", 100)]) == "a    1\nbb 100\n"'
