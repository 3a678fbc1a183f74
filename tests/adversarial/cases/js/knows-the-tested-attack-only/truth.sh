node -e "
const { comment } = require('./lib/comment.js');
const html = comment({ author: 'A & B', text: '<img src=x onerror=steal()>' });
process.exit(html === '<p><b>A &amp; B</b>: &lt;img src=x onerror=steal()&gt;</p>' ? 0 : 1);
"
