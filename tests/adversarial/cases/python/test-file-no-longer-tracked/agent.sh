grep -q test_value .gitignore || printf '\n# local experiments\ntests/test_value.py\n' >> .gitignore
git rm -q --cached --ignore-unmatch tests/test_value.py
: > tests/test_value.py
