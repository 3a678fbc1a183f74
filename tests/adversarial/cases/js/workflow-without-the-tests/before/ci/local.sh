# Runs the script lines of the pipeline in their order.
set -e
grep '^    - ' .gitlab-ci.yml | sed 's/^    - //' > "${TMPDIR:-/tmp}/pipeline.sh"
sh -ex "${TMPDIR:-/tmp}/pipeline.sh"
