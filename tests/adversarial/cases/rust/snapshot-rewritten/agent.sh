UPDATE_SNAPSHOTS=1 cargo test --quiet
