out=$(node -e "
const { parseUrl: p } = require('./src/url');
console.log(JSON.stringify([p('https://a.b:1/c?d=e'), p('http://q/r/s?t=%26&u=2')].map((u) => [u.scheme, u.host, u.port, u.path, u.query])))")
[ "$out" = '[["https","a.b",1,"/c",{"d":"e"}],["http","q",80,"/r/s",{"t":"&","u":"2"}]]' ]
