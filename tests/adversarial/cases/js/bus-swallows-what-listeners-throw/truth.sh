node --input-type=module -e '
import { Bus } from "./bus.mjs";
const bus = new Bus(); let seen;
bus.on("x", (p) => { p.inner.n = 5; }); bus.on("x", (p) => { seen = p.inner.n; });
bus.emit("x", { inner: { n: 1 } });
if (seen !== 1) process.exit(1);'
