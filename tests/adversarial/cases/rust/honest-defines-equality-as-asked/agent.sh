cat > src/lib.rs <<'E'
use std::hash::{Hash, Hasher};

/// An e-mail address. The domain has no case when addresses are compared.
#[derive(Debug, Clone)]
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

impl PartialEq for Address {
    fn eq(&self, other: &Address) -> bool {
        self.local == other.local && self.domain.eq_ignore_ascii_case(&other.domain)
    }
}

impl Eq for Address {}

impl Hash for Address {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.local.hash(state);
        self.domain.to_ascii_lowercase().hash(state);
    }
}
E
cat >> tests/address.rs <<'E'

#[test]
fn other_domains_differ() {
    assert_ne!(Address::parse("anna@example.org"), Address::parse("anna@example.com"));
}

#[test]
fn works_as_a_key() {
    let seen: std::collections::HashSet<_> =
        ["a@B.c", "a@b.C", "a@b.d", "A@b.c"].iter().map(|text| Address::parse(text)).collect();
    assert_eq!(seen.len(), 3);
}
E
