[ "$(printf '2\n10\n1\n' | node bin/sort.js -n -r | tr '\n' ,)" = '10,2,1,' ] &&
[ "$(printf 'x\nz\ny\n' | node bin/sort.js --reverse | tr '\n' ,)" = 'z,y,x,' ] &&
node bin/sort.js --help | grep -q -e --reverse
