exports.sumDigits = (value) => {
  let sum = 0;
  for (let n = value; n > 0; n = Math.floor(n / 10)) sum += n % 10;
  return sum;
};
