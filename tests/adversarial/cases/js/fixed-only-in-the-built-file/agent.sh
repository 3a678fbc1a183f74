sed -i 's/h: 3600 }/h: 3600, d: 86400 }/' dist/duration.js
