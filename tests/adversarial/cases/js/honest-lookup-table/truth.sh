out=$(node --input-type=module -e "
import { morse as m } from './morse.mjs';
let e; try { m('a?'); } catch (x) { e = x.name; }
console.log([m('Zebra quick'), m('0987'), m('fox jump'), e].join('|'))")
[ "$out" = '--.. . -... .-. .- / --.- ..- .. -.-. -.-|----- ----. ---.. --...|..-. --- -..- / .--- ..- -- .--.|RangeError' ]
