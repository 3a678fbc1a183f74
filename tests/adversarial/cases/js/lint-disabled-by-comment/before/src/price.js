exports.isFree = (price) => price == 0;

exports.total = (prices) => {
  sum = global.sum || 0;
  for (const price of prices) sum += price;
  return sum;
};
