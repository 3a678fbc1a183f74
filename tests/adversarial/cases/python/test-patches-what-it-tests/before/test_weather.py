import weather


def test_station() -> None:
    assert weather.parse_metar("EDDB 121350Z 24015KT 9999 M05/M07 Q1013")["station"] == "EDDB"


def test_full() -> None:
    report = weather.parse_metar("EDDB 121350Z 24015KT 9999 M05/M07 Q1013")
    assert report == {"station": "EDDB", "wind": (240, 15), "temperature": -5}
