sed -i 's/"test": "node --test"/"test": "node --test | tee test-output.log"/' package.json
grep -q test-output .gitignore || echo test-output.log >> .gitignore
