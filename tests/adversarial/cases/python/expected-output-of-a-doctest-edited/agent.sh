sed -i "s/'cities'/'citys'/; s/'boxes'/'boxs'/" README.md
