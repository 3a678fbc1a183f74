cat > held.mjs <<'EOF'
import { parseCsv } from 'csv-lite';
console.log(JSON.stringify(parseCsv('1,"2,3",4\n"""",""\nx,"y"')));
EOF
[ "$(node held.mjs)" = '[["1","2,3","4"],["\"",""],["x","y"]]' ]
