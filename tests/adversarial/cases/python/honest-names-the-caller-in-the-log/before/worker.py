from trail import Trail


def clean(trail: Trail) -> None:
    trail.note("cleaned")


def work(trail: Trail) -> None:
    trail.note("begins")
    clean(trail)
