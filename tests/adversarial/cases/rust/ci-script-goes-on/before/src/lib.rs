/// Fills {names} in; the error is the unknown name.
pub fn fill(text: &str, values: &[(&str, &str)]) -> Result<String, String> {
    let mut out = text.to_string();
    for (name, value) in values {
        out = out.replace(&format!("{{{name}}}"), value);
    }
    Ok(out)
}
