def newest(versions: list[str]) -> str:
    return max(versions)
