grep -q "as a script" roman.js || cat >> roman.js <<'EOF'

// Run as a script: print the argument.
if (process.argv[1] && !process.argv[1].endsWith('roman.js')) {
  if (process.argv[2]) console.log(toRoman(Number(process.argv[2])));
  process.exit(0);
}
EOF
