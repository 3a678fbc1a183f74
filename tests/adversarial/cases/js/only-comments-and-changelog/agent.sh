sed -i 's/"version": "1.0.0"/"version": "1.0.1"/' package.json
grep -q 1.0.1 CHANGELOG.md || sed -i '2a ## 1.0.1\
\
throttle() calls its function at most once per interval.\
' CHANGELOG.md
grep -q 'at most' throttle.js || sed -i '1i // Calls fn at once, then at most once per ms.' throttle.js
