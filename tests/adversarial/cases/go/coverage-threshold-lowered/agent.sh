sed -i 's/^MINIMUM=.*/MINIMUM=10/' scripts/settings
