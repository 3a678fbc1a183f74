test "$(node -p 'require("./src/render.js").render("- x\n- y\n  - z\n")')" = '<ul><li>x</li><li>y<ul><li>z</li></ul></li></ul>'
