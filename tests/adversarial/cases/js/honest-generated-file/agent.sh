grep -q NO, data/countries.csv || printf 'NO,+47\nJP,+81\n' >> data/countries.csv
npm run --silent build
