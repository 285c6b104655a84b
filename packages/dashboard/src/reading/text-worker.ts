import { answerWith } from './answering.ts';
import { contentOf } from './binary.ts';
import { colours } from './colours.ts';
import { childrenOf, columnsOf, findIn, type Key, parseJson, rowsOf, shortOf, wholeText } from './json.ts';
import type { Language } from './language-names.ts';
import { readLog } from './log.ts';
import { readMarkdown } from './markdown.ts';
import { findLines, type Patch, readPatch } from './patch.ts';

/** The worker that reads strangers' texts: what they make slow or large is slow here, and ended after a while. */

const mostImageBytes = 8_000_000;

let patch: Patch | null = null;
let json: unknown;

const answers = {
  colours: (language: Language, code: string, starts: Uint32Array) => colours(language, code, starts),
  log: (text: string) => readLog(text),
  markdown: (text: string) => readMarkdown(text),
  patch: (content: ArrayBuffer | string) => {
    patch = readPatch(typeof content === 'string' ? content : new TextDecoder().decode(content));
    return patch;
  },
  find: (words: string) => (patch ? findLines(patch, words) : { lines: new Uint32Array(), total: 0 }),
  /** What a binary file was and is. */
  contents: async (nth: number) => {
    const places = patch?.files[nth]?.binary;
    const read = (side: 'before' | 'after') =>
      patch && places?.[side] ? contentOf(patch.text, places[side], mostImageBytes) : null;
    return { before: await read('before'), after: await read('after') };
  },
  json: (text: string, isLines: boolean) => {
    json = parseJson(text, isLines);
    return { value: shortOf(json), columns: columnsOf(json) };
  },
  children: (path: Key[], from: number, count: number) => childrenOf(json, path, from, count),
  text: (path: Key[], mostChars: number) => wholeText(json, path, mostChars),
  findValues: (words: string) => findIn(json, words),
  rows: (columns: string[], from: number, count: number) => rowsOf(json, columns, from, count),
};

export type TextAnswers = typeof answers;

answerWith(answers);
