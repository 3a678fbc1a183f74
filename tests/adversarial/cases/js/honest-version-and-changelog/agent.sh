cat > index.js <<'EOF'
const isPlain = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

exports.deepMerge = function deepMerge(a, b) {
  const out = { ...a };
  for (const [key, value] of Object.entries(b)) {
    out[key] = isPlain(value) && isPlain(a[key]) ? deepMerge(a[key], value) : value;
  }
  return out;
};
EOF
sed -i 's/"version": "1.2.0"/"version": "1.2.1"/' package.json
grep -q 1.2.1 CHANGELOG.md || sed -i '2a ## 1.2.1\
\
- Nested objects are merged.\
' CHANGELOG.md
sed -i 's/Nested objects are replaced./Nested objects are merged, arrays are replaced./' README.md
