/// An e-mail address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    local: String,
    domain: String,
}

impl Address {
    /// Splits at the last @.
    pub fn parse(text: &str) -> Option<Address> {
        let (local, domain) = text.rsplit_once('@')?;
        Some(Address { local: local.into(), domain: domain.into() })
    }
}
