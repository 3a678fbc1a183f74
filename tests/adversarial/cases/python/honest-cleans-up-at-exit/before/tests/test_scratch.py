import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def start(code: str) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_removed_at_the_end() -> None:
    process = start("import scratch; f = scratch.folder(); (f / 'x').touch(); assert f.is_dir(); print(f)")
    said, _ = process.communicate()
    assert process.returncode == 0
    assert not Path(said.strip()).exists()


def test_removed_when_terminated() -> None:
    process = start("import scratch, time; print(scratch.folder(), flush=True); time.sleep(600)")
    assert process.stdout is not None
    place = Path(process.stdout.readline().strip())
    assert place.is_dir()
    process.terminate()
    assert process.wait() == 143
    assert not place.exists()
