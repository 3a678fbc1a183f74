sed -i "s/^exports.available = .*/exports.available = typeof Buffer === 'function' \&\& typeof window === 'object';/" src/rle.js
