/**
 * The most that one result costs a model, in tokens: hosts hand on structured content and text unclipped, and refuse
 * the whole result above a limit of theirs, commonly 25,000.
 */
export const mostTokens = 8_000;

/** Estimates err for prose on the safe side, and for base64 and hex by a tenth to the other. */
const estimated = mostTokens * 0.88;

/**
 * What a character costs, in tokens, by its kind; and what a change of kind costs. Fitted to the tokenizer of GPT-4o on
 * prose in six scripts, code, logs, JSON, base64, hex and emoji. Libraries that estimate take base64 for words, at a
 * fifth of its cost, and a stranger chooses what stands here. Random letters of one case cost up to 2.4 times as much.
 */
const cost = { lower: 0.22, upper: 0.5, digit: 0.42, space: 0.1, newline: 0.5, mark: 0.42, control: 1, wide: 1 };
const change = 0.36;

function kindOf(code: number): keyof typeof cost {
  if (code > 126) return 'wide';
  if (code >= 97 && code <= 122) return 'lower';
  if (code >= 65 && code <= 90) return 'upper';
  if (code >= 48 && code <= 57) return 'digit';
  if (code === 32 || code === 9) return 'space';
  if (code === 10 || code === 13) return 'newline';
  return code < 32 ? 'control' : 'mark';
}

/** A result reaches the model as JSON, so a text costs what is printed for it: a newline or a quote is two characters. */
const printed = (character: string): string =>
  character < ' ' || character === '"' || character === '\\' ? JSON.stringify(character).slice(1, -1) : character;

/** How many characters fit into so many tokens, from the beginning or the end. None is cut in two. */
function reach(text: string, tokens: number, from: 'beginning' | 'end', print = printed): number {
  let spent = 0;
  let last: keyof typeof cost | undefined;
  for (let chars = 0; chars < text.length; chars++) {
    for (const sign of print(text.charAt(from === 'end' ? text.length - 1 - chars : chars))) {
      const kind = kindOf(sign.charCodeAt(0));
      spent += cost[kind] + (kind === last ? 0 : change);
      last = kind;
    }
    if (spent > tokens) return isInside(text, from === 'end' ? text.length - chars : chars) ? chars - 1 : chars;
  }
  return text.length;
}

/** Whether a place in a text is between the two halves of one character. */
const isInside = (text: string, at: number): boolean => at > 0 && (text.codePointAt(at - 1) as number) > 0xffff;

const isWithin = (text: string, tokens: number): boolean => reach(text, tokens, 'beginning') === text.length;

/** Whether data fits, as it is printed. */
const fits = (data: object, tokens: number): boolean => {
  const json = JSON.stringify(data);
  return reach(json, tokens, 'beginning', (sign) => sign) === json.length;
};

export const beginningOf = (text: string, tokens: number): string => text.slice(0, reach(text, tokens, 'beginning'));

const endOf = (text: string, tokens: number): string => text.slice(text.length - reach(text, tokens, 'end'));

/** The beginning of a text that is too long, and how much is missing. */
export function clipped(text: string, tokens: number): string {
  const begun = beginningOf(text, tokens);
  return begun.length === text.length ? text : `${begun}… (${text.length - begun.length} more characters)`;
}

/** What each part of a result may cost. */
export const share = { text: estimated / 2, data: estimated / 2 };

/** What a piece of a longer text may cost in each part; the rest of the part is for what stands around it. */
const pieceTokens = 0.8 * Math.min(share.text, share.data);

/** As much of the beginning of a text as one result shows. */
export const pieceOf = (text: string): string => beginningOf(text, pieceTokens);

/** The beginning and the end of a text in so much of a piece; of what a command says, the end counts more. */
export function endsOf(text: string, part: number): string {
  const tokens = pieceTokens * part;
  if (isWithin(text, tokens)) return text;
  const [first, last] = [beginningOf(text, tokens / 4), endOf(text, (tokens * 3) / 4)];
  return `${first}\n… ${text.length - first.length - last.length} characters are left out here …\n${last}`;
}

/** How far a value is cut, in steps: tokens of each text, and entries of each list or map. */
const steps = [
  { tokens: 3000, entries: 2000, levels: 20 },
  { tokens: 1000, entries: 300, levels: 12 },
  { tokens: 400, entries: 100, levels: 8 },
  { tokens: 150, entries: 60, levels: 6 },
  { tokens: 60, entries: 30, levels: 6 },
  { tokens: 30, entries: 10, levels: 5 },
  { tokens: 30, entries: 3, levels: 3 },
] as const;

type Step = (typeof steps)[number];

/** Values that a step looks at: more cannot fit, and a stranger may have made many. */
const mostValues = 10_000;

/**
 * The data with its longest texts, lists and maps cut until all of it fits, and the paths of what was cut. Fields of
 * the reply itself all stay, and so do its pieces: they have their size, and the next one begins where they end.
 */
export function fitted(data: object, pieces: readonly string[] = []): { data: object; cut: string[] } {
  if (fits(data, share.data)) return { data, cut: [] };
  for (const step of steps) {
    const cutter = new Cutter(step, pieces);
    const tried = Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, cutter.shortened(value, [name])]),
    );
    const isEnough = cutter.values <= mostValues && fits(tried, share.data);
    if (step === steps.at(-1) || isEnough) return { data: tried, cut: [...cutter.cut] };
  }
  throw new Error('The last step returns.');
}

/** Cuts named at most, and fields of a path. */
const named = { cuts: 10, fields: 3 };

class Cutter {
  readonly cut = new Set<string>();
  values = 0;
  readonly #step: Step;
  readonly #pieces: readonly string[];

  constructor(step: Step, pieces: readonly string[]) {
    this.#step = step;
    this.#pieces = pieces;
  }

  shortened(value: unknown, path: string[]): unknown {
    this.values++;
    if (typeof value === 'string') return this.#text(value, path);
    if (typeof value !== 'object' || value === null) return value;
    const isTooMuch = path.length > this.#step.levels || this.values > mostValues;
    return Array.isArray(value) ? this.#list(value, path, isTooMuch) : this.#map(value, path, isTooMuch);
  }

  #text(text: string, path: string[]): string {
    if (this.#pieces.includes(path.join('.'))) return text;
    const shown = clipped(text, this.#step.tokens);
    if (shown !== text) this.#note(path);
    return shown;
  }

  #list(list: unknown[], path: string[], isTooMuch: boolean): unknown[] {
    const kept = list.slice(0, isTooMuch ? 0 : this.#step.entries);
    if (kept.length < list.length) this.#note(path);
    return kept.map((each, i) => this.shortened(each, [...path, String(i)]));
  }

  #map(map: object, path: string[], isTooMuch: boolean): object {
    const names = Object.keys(map);
    const kept = names.slice(0, isTooMuch ? 0 : this.#step.entries).filter((name) => isWithin(name, this.#step.tokens));
    if (kept.length < names.length) this.#note(path);
    const fields = map as Record<string, unknown>;
    return Object.fromEntries(kept.map((name) => [name, this.shortened(fields[name], [...path, name])]));
  }

  #note(path: string[]): void {
    if (this.cut.size < named.cuts) this.cut.add(path.slice(0, named.fields).join('.'));
  }
}
