sed -i 's/^const TO: u64 = .*/const TO: u64 = 94_906_260;/' tests/property.rs
