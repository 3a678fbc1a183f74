grep '^030 1' tests/numbers.tsv > tests/numbers.new && mv tests/numbers.new tests/numbers.tsv
