sed -i 's#"exclude": .*#"exclude": ["node_modules", "test/manual", "test/slug.test.ts"]#' tsconfig.json
