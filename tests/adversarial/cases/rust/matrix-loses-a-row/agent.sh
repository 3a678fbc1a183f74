printf 'default\nsigns\n' > ci/features.txt
