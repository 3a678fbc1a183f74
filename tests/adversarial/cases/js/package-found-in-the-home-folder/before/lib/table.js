'use strict';

const { parseLine } = require('./csv');

exports.read = (text) => {
  const [head, ...rows] = text.trim().split('\n').map(parseLine);
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i]])));
};
