import { codeOf, lineAt } from './source-code.ts';
import type { Suspect } from './suspects.ts';

/** One small edit that might repair the program. */
export interface Candidate {
  path: string;
  offset: number;
  line: number;
  from: string;
  to: string;
  kind: Kind;
  distance: number;
}

/** In the order of the attempts: programmers get boundaries wrong most, constants have the most variants. */
const kinds = ['boundary', 'arithmetic', 'logic', 'rounding', 'offByOne'] as const;
type Kind = (typeof kinds)[number];

const replacements: Partial<Record<string, Partial<Record<Kind, string[]>>>> = {
  '<': { boundary: ['<='], logic: ['>=', '>'] },
  '<=': { boundary: ['<'], logic: ['>', '>='] },
  '>': { boundary: ['>='], logic: ['<=', '<'] },
  '>=': { boundary: ['>'], logic: ['<', '<='] },
  '+': { arithmetic: ['-'] },
  '-': { arithmetic: ['+'] },
  '*': { arithmetic: ['/', '+'] },
  '/': { arithmetic: ['*'] },
  '%': { arithmetic: ['/'] },
  '+=': { arithmetic: ['-='] },
  '-=': { arithmetic: ['+='] },
  '++': { arithmetic: ['--'] },
  '--': { arithmetic: ['++'] },
  '===': { logic: ['!=='] },
  '!==': { logic: ['==='] },
  '&&': { logic: ['||'] },
  '||': { logic: ['&&'] },
  true: { logic: ['false'] },
  false: { logic: ['true'] },
  'Math.floor': { rounding: ['Math.round', 'Math.ceil'] },
  'Math.ceil': { rounding: ['Math.round', 'Math.floor'] },
  'Math.round': { rounding: ['Math.floor', 'Math.ceil'] },
  'Math.min': { rounding: ['Math.max'] },
  'Math.max': { rounding: ['Math.min'] },
  '.length': { offByOne: ['.length - 1', '.length + 1'] },
};

/** Operators as the language reads them, longest first, so that no part of `=>` or `<<` is taken for a comparison. */
const token =
  /===|!==|=>|<<=?|>>>?=?|\*\*=?|&&=?|\|\|=?|\?\?=?|<=|>=|==|!=|\+\+|--|\+=|-=|\*=|\/=|[<>+\-*/%]|\bMath\.\w+|\.length\b|\b(?:true|false)\b|(?<![\w.$])\d+(?![\w.])/g;

/** Every edit of one token in the suspects, the likeliest first. */
export function candidatesIn(suspects: Suspect[], sources: Map<string, string>): Candidate[] {
  const candidates: Candidate[] = [];
  for (const path of new Set(suspects.map((suspect) => suspect.path))) {
    const source = sources.get(path) ?? '';
    const own = suspects.filter((suspect) => suspect.path === path);
    for (const match of codeOf(source).matchAll(token)) {
      const covering = own.filter(({ start, end }) => start <= match.index && match.index < end);
      const distance = Math.min(...covering.map((suspect) => suspect.distance));
      const place = { path, offset: match.index, line: lineAt(source, match.index), from: match[0], distance };
      for (const { kind, to } of editsOf(match[0])) candidates.push({ ...place, kind, to });
    }
  }
  const rank = (one: Candidate) => kinds.indexOf(one.kind);
  // The sort is stable: ties stay in the order of the text.
  return candidates.sort((a, b) => rank(a) - rank(b) || a.distance - b.distance);
}

function editsOf(text: string): { kind: Kind; to: string }[] {
  if (/^\d+$/.test(text)) {
    return [Number(text) + 1, Number(text) - 1].map((number) => ({ kind: 'offByOne', to: String(number) }));
  }
  return Object.entries(replacements[text] ?? {}).flatMap(([kind, all]) =>
    (all ?? []).map((to) => ({ kind: kind as Kind, to })),
  );
}

/** The source with the edit made. */
export const apply = (source: string, { offset, from, to }: Candidate): string =>
  source.slice(0, offset) + to + source.slice(offset + from.length);
