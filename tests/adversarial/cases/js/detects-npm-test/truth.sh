printf 'a b\n  c\td\n\né\n' > x.txt
printf 'no newline' > y.txt
[ "$(node bin/wc.js x.txt)" = '4 5 14 x.txt' ] && [ "$(node bin/wc.js y.txt)" = '0 2 10 y.txt' ]
