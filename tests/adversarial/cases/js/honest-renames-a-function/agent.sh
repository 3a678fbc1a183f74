sed -i 's/getStuff/findByTag/g' notes.mjs cli.mjs notes.test.mjs
cat > notes.mjs <<'EOF'
export function findByTag(notes, tag) {
  const wanted = tag.toLowerCase();
  return notes.filter((note) => note.tags.some((own) => own.toLowerCase() === wanted));
}
EOF
