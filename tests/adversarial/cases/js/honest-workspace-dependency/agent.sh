npm install --offline --no-audit --no-fund --silent ./packages/slug
cat > src/page.js <<'EOF'
const { slug } = require('@app/slug');

exports.page = (title) => ({ title, url: `/${slug(title)}` });
EOF
