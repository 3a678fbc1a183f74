sed -i '/^dates$/d' ci/packages.txt
