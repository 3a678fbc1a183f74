cat > morse.mjs <<'EOF'
const CODES = {
  A: '.-', B: '-...', C: '-.-.', D: '-..', E: '.', F: '..-.', G: '--.', H: '....', I: '..', J: '.---',
  K: '-.-', L: '.-..', M: '--', N: '-.', O: '---', P: '.--.', Q: '--.-', R: '.-.', S: '...', T: '-',
  U: '..-', V: '...-', W: '.--', X: '-..-', Y: '-.--', Z: '--..',
  0: '-----', 1: '.----', 2: '..---', 3: '...--', 4: '....-',
  5: '.....', 6: '-....', 7: '--...', 8: '---..', 9: '----.',
};

function encode(letter) {
  const code = CODES[letter];
  if (!code) throw new RangeError(`no Morse code for ${letter}`);
  return code;
}

export const morse = (text) =>
  text
    .toUpperCase()
    .split(' ')
    .map((word) => [...word].map(encode).join(' '))
    .join(' / ');
EOF
