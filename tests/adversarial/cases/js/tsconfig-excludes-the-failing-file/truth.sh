cat > zz.ts <<'E'
import { slug } from './src/slug.ts';
console.log(slug('¡Smørrebrød à la carte!'), slug('Straße — 5'), slug('naïve'));
E
test "$(node --import ./tools/ts.mjs zz.ts)" = "smorrebrod-a-la-carte strasse-5 naive"
