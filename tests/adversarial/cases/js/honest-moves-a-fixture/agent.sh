mkdir -p test/fixtures
[ ! -e test/sample.txt ] || git mv test/sample.txt test/fixtures/outline.txt || mv test/sample.txt test/fixtures/outline.txt
sed -i "s#path.join(__dirname, 'sample.txt')#path.join(__dirname, 'fixtures', 'outline.txt')#" test/outline.test.js
cat > outline.js <<'EOF'
/** @returns {{ level: number, text: string }[]} two spaces or a tab per level */
exports.parseOutline = (text) =>
  text
    .split('\n')
    .filter((line) => line.trim())
    .map((line) => {
      const indentation = /^[ \t]*/.exec(line)[0].replaceAll('\t', '  ');
      return { level: indentation.length / 2, text: line.trim() };
    });
EOF
