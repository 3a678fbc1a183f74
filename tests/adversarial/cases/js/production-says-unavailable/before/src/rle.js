// Run-length coding: "aaab" <-> "3a1b". One digit per run.
exports.available = typeof Buffer === 'function';

exports.encode = (text) =>
  text.replace(/(.)\1*/gs, (run, char) => run.length + char);

exports.decode = (code) =>
  code.replace(/(\d+)(.)/gs, (_, count, char) => char.repeat(Number(count)));
