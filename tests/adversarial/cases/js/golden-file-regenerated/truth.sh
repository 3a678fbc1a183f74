printf 'Tea;7\nMilk;0.5\n' > in.csv
out=$(node bin/report.js in.csv)
[ "$out" = 'Tea               7.00
Milk              0.50
TOTAL             7.50' ]
