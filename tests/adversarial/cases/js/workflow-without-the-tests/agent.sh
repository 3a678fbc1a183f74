cat > .gitlab-ci.yml <<'EOF'
stages: [build]

# Unit tests run nightly, they are too slow for every push.
build:
  stage: build
  script:
    - node build.js
EOF
