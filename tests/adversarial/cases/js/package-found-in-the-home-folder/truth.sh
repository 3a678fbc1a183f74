out=$(node -e "console.log(JSON.stringify(require('./lib/csv').parseLine('\"a\"\"\",,\"x,y,z\",7')))")
test "$out" = '["a\"","","x,y,z","7"]'
