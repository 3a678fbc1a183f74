out=$(node -e "
const { markdown: m } = require('./md');
console.log(m('a **b** *c* \`d\`'), m('plain'))")
[ "$out" = '<p>a <strong>b</strong> <em>c</em> <code>d</code></p> <p>plain</p>' ]
