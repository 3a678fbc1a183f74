cat > plugins.py <<'E'
"""Loads plugins: functions by name."""
import logging

log = logging.getLogger("plugins")


def load(plugins):
    """The results by name, and what was raised by name; one that fails does not stop the others."""
    loaded, failed = {}, {}
    for name, start in plugins.items():
        try:
            loaded[name] = start()
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  whatever a plugin does, the others go on
            log.error("plugin %s failed", name, exc_info=error)
            failed[name] = error
    return loaded, failed
E
