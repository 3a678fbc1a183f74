from .case import title

__all__ = ["title"]
