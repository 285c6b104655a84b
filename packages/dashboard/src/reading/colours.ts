import { createLowlight } from 'lowlight';
import type { Language } from './language-names.ts';
import { languages } from './languages.ts';
import { type Look, lookOf, MarkList, type Marks } from './marks.ts';

const lowlight = createLowlight();

type Part = ReturnType<typeof lowlight.highlight>['children'][number];

/** Scopes of highlight.js by how they look here; all others look as the text around them. */
const lookByScope = new Map<string, Look>(
  Object.entries({
    keyword: 'keyword literal selector-pseudo meta-keyword operator',
    string: 'string regexp char subst_ template-tag addition',
    comment: 'comment quote doctag',
    number: 'number symbol bullet',
    name: 'title section function_ class_ strong',
    type: 'type built_in selector-tag selector-class selector-id',
    property: 'attr attribute property variable template-variable params_ link',
    tag: 'tag name meta deletion',
  } satisfies Partial<Record<Look, string>>).flatMap(([look, scopes]) =>
    scopes.split(' ').map((scope) => [scope, look as Look] as const),
  ),
);

/**
 * Where the words of a program stand. `starts` says where each of its lines begins in the text that the marks are for,
 * which may have other lines between them. A worker's work: a stranger's text can keep it busy.
 */
export async function colours(language: Language, code: string, starts: Uint32Array): Promise<Marks> {
  if (!lowlight.registered(language)) lowlight.register(language, (await languages[language]()).default);
  const marks = new MarkList();
  const at = { place: 0, line: 0, lineStart: 0 };
  const walk = (nodes: readonly Part[], look: number | null): void => {
    for (const node of nodes) {
      if (node.type === 'text') markText(node.value, look, at, { starts, marks });
      if (node.type === 'element') walk(node.children, lookOfScopes(node.properties.className) ?? look);
    }
  };
  walk(lowlight.highlight(language, code, { prefix: '' }).children, null);
  return marks.all;
}

function lookOfScopes(scopes: unknown): number | null {
  if (!Array.isArray(scopes)) return null;
  const look = scopes.map((scope) => lookByScope.get(String(scope))).find((each) => each !== undefined);
  return look === undefined ? null : lookOf(look);
}

/** A mark ends with its line. */
function markText(
  text: string,
  look: number | null,
  at: { place: number; line: number; lineStart: number },
  { starts, marks }: { starts: Uint32Array; marks: MarkList },
): void {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    const shift = (starts[at.line] ?? 0) - at.lineStart;
    if (look !== null) marks.add(at.place + shift, at.place + to - from + shift, look);
    at.place += to - from;
    if (end < 0) return;
    at.place += 1;
    at.line += 1;
    at.lineStart = at.place;
    from = end + 1;
  }
}
