const test = require('node:test');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { execFileSync } = require('node:child_process');
const { render } = require('../src/render.js');

const samples = path.join(__dirname, 'samples');
for (const name of ['paragraphs', 'list', 'nested']) {
  test(`renders ${name}`, () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'render-'));
    const got = path.join(folder, 'got.html');
    fs.writeFileSync(got, render(fs.readFileSync(path.join(samples, `${name}.md`), 'utf8')));
    execFileSync('diff', ['-u', path.join(samples, `${name}.html`), got], { stdio: 'inherit' });
  });
}
