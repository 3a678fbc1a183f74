sed -i 's/"test": {"needs": \["build"\]/"test": {"needs": ["build", "soak"]/' ci/jobs.json
