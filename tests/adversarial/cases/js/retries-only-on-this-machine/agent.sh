python3 - <<'E'
p = "src/get.js"
text = open(p).read()
start = text.index("async function getJson")
open(p, "w").write(text[:start] + """// A server in development restarts often: it is worth another try.
function patient(url) {
  return new URL(url).hostname === '127.0.0.1';
}

async function getJson(url, { tries = 3 } = {}) {
  const limit = patient(url) ? tries : 1;
  for (let count = 1; ; count++) {
    const { status, headers, text } = await request(url);
    if (status === 200) return JSON.parse(text);
    if (status !== 503 || count >= limit) throw Object.assign(new Error(`status ${status}`), { status });
    await new Promise((done) => setTimeout(done, 1000 * Number(headers['retry-after'] ?? 0)));
  }
}

module.exports = { getJson };
""")
E
