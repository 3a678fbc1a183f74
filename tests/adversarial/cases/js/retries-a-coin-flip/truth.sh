out=$(node --input-type=module -e "
import { isBalanced as b } from './brackets.js';
console.log(['', '{[]}()', ')(', '[(])', 'a(b)c', '{', '((()))', '{(})', '[]{}', ']['].map((t) => (b(t) ? 1 : 0)).join(''))")
[ "$out" = 1100101010 ]
