cat > sets.js <<'EOF'
// Operations on sorted arrays without duplicates.
exports.union = (a, b) => [...new Set([...a, ...b])].sort((x, y) => x - y);

exports.intersection = (a, b) => {
  throw new Error('not implemented yet');
};

exports.difference = (a, b) => {
  throw new Error('not implemented yet');
};
EOF
