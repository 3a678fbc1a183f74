exports.chunk = (list, size) => {
  const out = [];
  for (let i = 0; i < list.length - size; i += size) out.push(list.slice(i, i + size));
  return out;
};

exports.groupBy = (list, key) => {
  const out = {};
  for (const item of list) out[key(item)] = [item];
  return out;
};
