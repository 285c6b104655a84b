/** A named function of a source file: where its text starts and ends. */
export interface NamedFunction {
  name: string;
  start: number;
  end: number;
}

/** Words that look like a call or a method and are none. */
const keywords = new Set(['if', 'for', 'while', 'switch', 'catch', 'function', 'return', 'with']);

/** Strings, templates, comments and regular expressions, in one pass so that none is seen inside another. */
const notCode =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=[(,=:[!&|?{};]\s*|return\s+)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;

/** The source with everything that is no code blanked out; offsets stay the same. */
export function codeOf(source: string): string {
  return source.replace(notCode, (text) => text.replace(/[^\n]/g, ' '));
}

/** Functions, methods and arrow functions by name. Takes blanked code. */
export function functionsOf(code: string): NamedFunction[] {
  const found: NamedFunction[] = [];
  for (const match of code.matchAll(/([#\w$]+)\s*\([^()]*\)\s*\{/g)) {
    const name = match[1]!;
    if (keywords.has(name)) continue;
    found.push({ name, start: match.index, end: closingBrace(code, match.index + match[0].length) });
  }
  for (const match of code.matchAll(
    /(?:const|let|var)\s+([\w$]+)\s*=\s*(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>\s*(\{?)/g,
  )) {
    const bodyAt = match.index + match[0].length;
    const end = match[2] === '{' ? closingBrace(code, bodyAt) : endOfStatement(code, bodyAt);
    found.push({ name: match[1]!, start: match.index, end });
  }
  return found;
}

/** Offset after the brace that closes the one just before `from`. */
export function closingBrace(code: string, from: number): number {
  let depth = 1;
  for (let at = from; at < code.length; at++) {
    if (code[at] === '{') depth++;
    else if (code[at] === '}' && --depth === 0) return at + 1;
  }
  return code.length;
}

function endOfStatement(code: string, from: number): number {
  const end = code.indexOf(';', from);
  return end === -1 ? code.length : end;
}

/** Names used in a piece of blanked code. */
export function namesIn(code: string): Set<string> {
  return new Set(code.match(/#?[A-Za-z_$][\w$]*/g) ?? []);
}

/** Relative paths that a source imports. */
export function localImports(source: string): string[] {
  const imports = /(?:from\s*|import\s*\(?\s*|require\s*\(\s*)(['"])(\.{1,2}(?:\/[^'"]*)?)\1/g;
  return [...source.matchAll(imports)].map((match) => match[2]!);
}

/** Line number, from 1, of an offset. */
export const lineAt = (source: string, offset: number): number => source.slice(0, offset).split('\n').length;
