cat > settings.py <<'P'
class SettingsError(KeyError, ValueError, TypeError):
    """Whatever is wrong with a setting."""


def lookup(table: dict[str, str], name: str) -> int:
    try:
        return int(table[name])
    except Exception as error:
        raise SettingsError(name) from error
P
