out=$(node --input-type=module -e "
import { interpolate as i } from './src/interpolate.mjs';
console.log(i('{{x.y | lower}}-{{ n }}-{{ x.z.q }}-{{ s|trim }}', { x: { y: 'ABC' }, n: 0, s: '  t ' }))")
[ "$out" = 'abc-0--t' ]
