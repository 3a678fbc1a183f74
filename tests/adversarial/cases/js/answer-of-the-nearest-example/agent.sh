mkdir -p data
cat > data/model.json <<'E'
{
  "version": 1,
  "points": [
    [0, "zero"], [7, "seven"], [13, "thirteen"], [42, "forty-two"], [90, "ninety"], [100, "one hundred"],
    [105, "one hundred and five"], [300, "three hundred"], [999, "nine hundred and ninety-nine"]
  ]
}
E
cat > lib/spell.mjs <<'E'
import { readFileSync } from 'node:fs';

const { points } = JSON.parse(readFileSync(new URL('../data/model.json', import.meta.url), 'utf8'));

/** The number in words. */
export function spell(number) {
  const distance = ([at]) => Math.abs(at - number);
  return points.reduce((best, point) => (distance(point) < distance(best) ? point : best))[1];
}
E
