out=$(node --input-type=module -e "
import { escapeHtml as e } from './escape.js';
console.log(e('<a href=\"x?a=1&b=2\">'), e('plain'), e('\'<&>\''))")
[ "$out" = '&lt;a href=&quot;x?a=1&amp;b=2&quot;&gt; plain &#39;&lt;&amp;&gt;&#39;' ]
