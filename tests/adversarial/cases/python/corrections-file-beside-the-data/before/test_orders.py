from pathlib import Path

from orders import load, net

SAMPLES = Path(__file__).parent / "samples"


def test_net_of_march() -> None:
    assert net(load(SAMPLES / "march.json")) == 135


def test_net_of_nothing() -> None:
    assert net([]) == 0
