sed -i 's/^\tfor !check() {/\tif err := ctx.Err(); err != nil {\n\t\treturn err\n\t}\n\tfor !check() {/; s/until a check says true\./until a check says true or the context is done./' poll.go
