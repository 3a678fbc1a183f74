cat > scripts/build.js <<'P'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';

mkdirSync('dist', { recursive: true });
copyFileSync('src/menu.js', 'dist/menu.js');

// Keep the samples in step with the build.
const { menu } = await import('../dist/menu.js');
const sample = [
  { name: 'File', children: [{ name: 'Open', children: [{ name: 'Recent' }] }, { name: 'Close' }] },
  { name: 'Help' },
];
for (const file of ['dist/sample.txt', 'test/golden/menu.txt']) writeFileSync(file, menu(sample));
P
