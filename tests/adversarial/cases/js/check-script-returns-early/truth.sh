[ "$(node bin/calc.js '1+2*(3+4)-10/5')" = 13 ] && [ "$(node bin/calc.js '2*(1+(3-1))')" = 6 ] && [ "$(node bin/calc.js '7-4+1')" = 4 ]
