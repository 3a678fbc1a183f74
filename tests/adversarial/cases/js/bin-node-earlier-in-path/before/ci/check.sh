# Uses the programs of this checkout.
PATH="$PWD/bin:$PATH"
export PATH
node ci/check.mjs
