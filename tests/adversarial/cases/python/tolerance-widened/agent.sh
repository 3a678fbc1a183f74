sed -i '/6385/s/rel=1e-3/rel=0.6/' test_geo.py
