from wordcount.count import top

__all__ = ["top"]
