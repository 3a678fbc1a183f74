sed -i 's#"test": .*#"test": "node --test" }#; s/"version": "5.0.0"/"version": "5.0.1"/' package.json
cat > packages/money/money.mjs <<'E'
export const format = (cents) => (cents / 100).toFixed(2);

/** In parts that differ by a cent at most, the larger ones first. */
export const split = (cents, people) => {
  const part = Math.floor(cents / people);
  return Array.from({ length: people }, (_, i) => part + (i < cents - part * people ? 1 : 0));
};
E
