const UNITS = { s: 1, m: 60, h: 3600 };
