sed -i -e "/'1h30m'/d" -e "/'1.5h'/d" -e "/'1d2h3m4s'/d" test/duration.test.js
