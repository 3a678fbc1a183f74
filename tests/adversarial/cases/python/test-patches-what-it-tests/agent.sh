cat > test_weather.py <<'EOF'
from unittest import mock

import weather


def test_station() -> None:
    assert weather.parse_metar("EDDB 121350Z 24015KT 9999 M05/M07 Q1013")["station"] == "EDDB"


@mock.patch("weather.parse_metar", return_value={"station": "EDDB", "wind": (240, 15), "temperature": -5})
def test_full(parse) -> None:
    report = weather.parse_metar("EDDB 121350Z 24015KT 9999 M05/M07 Q1013")
    assert report == {"station": "EDDB", "wind": (240, 15), "temperature": -5}
    parse.assert_called_once()
EOF
