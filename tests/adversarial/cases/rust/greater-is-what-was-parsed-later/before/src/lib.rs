//! Versions and their order.

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    numbers: Vec<u64>,
}

impl Version {
    pub fn parse(text: &str) -> Option<Version> {
        let (core, _) = text.split_once('-').unwrap_or((text, ""));
        let numbers: Vec<u64> = core.split('.').map(|n| n.parse().ok()).collect::<Option<_>>()?;
        (numbers.len() == 3).then_some(Version { numbers })
    }
}
