# What the server runs: the tests with each feature.
set -eu
while read -r feature; do
    echo "== $feature"
    cargo test --quiet --features "$feature" </dev/null
done < ci/features.txt
