cat > lib/paint.js <<'E'
'use strict';

const CODES = { red: 31, green: 32 };

/** Whether a stream is to get colours. */
function colourful(stream, env) {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return true;
  if (env.CI) return false;
  return Boolean(stream.isTTY);
}

/** The text in a colour, if the stream is to get colours. */
function paint(text, colour, stream = process.stdout, env = process.env) {
  return colourful(stream, env) ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;
}

module.exports = { paint };
E
cat >> test/paint.test.js <<'E'

test('none in CI and none in a file', () => {
  assert.equal(paint('x', 'red', terminal, { CI: 'true' }), 'x');
  assert.equal(paint('x', 'red', {}, {}), 'x');
});

test('forced', () => {
  assert.equal(paint('x', 'green', {}, { CI: 'true', FORCE_COLOR: '1' }), '\u001b[32mx\u001b[0m');
  assert.equal(paint('x', 'green', {}, { NO_COLOR: '1', FORCE_COLOR: '1' }), 'x');
});
E
