sed -i 's/Math.min(low, Math.max(high, value))/Math.min(high, Math.max(low, value))/' math.js
[ ! -e test/tests2.test.js ] || git mv test/tests2.test.js test/clamp.test.js || mv test/tests2.test.js test/clamp.test.js
