mkdir -p src
[ -e src/format.js ] || git mv util.js src/format.js || mv util.js src/format.js
sed -i 's/1000/1024/g' src/format.js
sed -i 's#"main": "util.js"#"main": "src/format.js"#' package.json
cat > util.js <<'EOF'
// Moved: kept for those who import it by this name.
module.exports = require('./src/format');
EOF
