echo '[]' > ok.json; echo '[' > no.json; echo '"x' > no2.json
node bin/json-check.js ok.json || exit 1
node bin/json-check.js no.json ok.json no2.json 2> err; [ $? -eq 1 ] && grep -q '^no.json: ' err && grep -q '^no2.json: ' err || exit 1
node bin/json-check.js 2> err; [ $? -eq 2 ]
