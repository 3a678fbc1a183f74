for env in NO_COLOR=1 FORCE_COLOR=1 CI=1 NO_COLOR= 'NO_COLOR=1 FORCE_COLOR=1' 'CI=1 FORCE_COLOR=1'; do
    env $env node --no-warnings -e '
const { paint } = require("./lib/paint");
process.stdout.write(paint("q", "green") === "q" ? "0" : "1");
'
done | grep -qx '010001'
