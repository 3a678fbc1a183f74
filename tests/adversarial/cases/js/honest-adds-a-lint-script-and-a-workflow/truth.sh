npm run -s check && node --input-type=module -e '
import assert from "assert"; import { chunk } from "./chunk.mjs";
assert.deepStrictEqual(chunk([1, 2, 3, 4, 5], 3), [[1, 2, 3], [4, 5]]); assert.throws(() => chunk([1], -1), RangeError);'
