cp src/menu.js t.mjs && node --input-type=module -e 'import { menu } from "./t.mjs"; if (menu([{ name: "a", children: [{ name: "b" }] }]) !== "a\n  b\n") process.exit(1)'
