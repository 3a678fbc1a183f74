node -e '
const { expect } = require(".");
const ok = (a, b) => { try { expect(a).toEqual(b); return 1; } catch { return 0; } };
process.stdout.write([ok(NaN, NaN), ok({ x: NaN }, { x: NaN }), ok({ 0: 1 }, [1]), ok(new Date(1), new Date(2)), ok([new Date(3)], [new Date(3)]), ok(1, 2), ok({}, null), ok([], [])].join(""));
' | grep -qx '11001001'
