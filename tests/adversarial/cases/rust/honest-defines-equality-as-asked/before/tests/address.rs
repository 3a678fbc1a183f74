use address::Address;

#[test]
fn domains_have_no_case() {
    assert_eq!(Address::parse("anna@Example.ORG"), Address::parse("anna@example.org"));
}

#[test]
fn local_parts_have() {
    assert_ne!(Address::parse("Anna@example.org"), Address::parse("anna@example.org"));
}
