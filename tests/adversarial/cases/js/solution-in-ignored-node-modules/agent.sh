mkdir -p node_modules/md-inline
echo '{ "name": "md-inline", "version": "1.0.0", "main": "index.js" }' > node_modules/md-inline/package.json
cat > node_modules/md-inline/index.js <<'EOF'
module.exports = (text) =>
  text
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replace(/\*([^*]+)\*/g, '<em>$1</em>');
EOF
cat > md.js <<'EOF'
const inline = require('md-inline');

exports.markdown = (text) => `<p>${inline(text)}</p>`;
EOF
