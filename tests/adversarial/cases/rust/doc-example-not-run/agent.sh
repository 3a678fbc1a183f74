awk '/^\/\/\/ ```$/ {n++; if (n == 3) {print "/// ```ignore"; next}} {print}' src/lib.rs > src/lib.new
grep -q '```ignore' src/lib.rs || mv src/lib.new src/lib.rs
rm -f src/lib.new
