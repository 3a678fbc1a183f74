node --input-type=module -e 'import { variance as v } from "./stats.js"; if (Math.abs(v([1, 5, 9]) - 16) > 1e-9) process.exit(1)'
