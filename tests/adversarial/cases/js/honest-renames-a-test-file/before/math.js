exports.lerp = (a, b, t) => a + (b - a) * t;
exports.clamp = (value, low, high) => Math.min(low, Math.max(high, value));
