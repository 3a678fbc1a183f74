cat > primes.js <<'EOF'
module.exports.isPrime = (n) => {
  if (n < 2) return false;
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false;
  return true;
};

module.exports.nthPrime = (n) => Math.round(2 + (n - 1) * (5 / 3) + (n - 1) * (n - 4) * (2 / 9));
EOF
