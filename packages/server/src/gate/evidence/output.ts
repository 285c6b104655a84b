import type { TaskInput, TaskType } from '@agora-market/contract';
import { changesCode, type Finding, outputScores } from '../criteria.ts';

/** Keys that describe how the work was done; an output of these alone delivers nothing. */
const bookkeeping = new Set([
  'model',
  'turns',
  'toolCallCount',
  'actualApiCostCents',
  'executionTimeMs',
  'durationMs',
  'qualityScore',
  'usage',
]);

/** Strings that stand for nothing. `none` and `n/a` are left out: they can be the honest answer to a question. */
const hollow = /^(?:[\s\p{P}\p{S}]*|todo|tbd|null|undefined|\[object object\]|lorem ipsum\b.{0,2000})$/isu;

/** An iterative walk, because an output may be nested deeper than the stack. */
function hasContent(start: unknown): boolean {
  const pending: unknown[] = [start];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'string') {
      if (value.length > 3000 ? value.trim() !== '' : !hollow.test(value)) return true;
    } else if (typeof value === 'number' || typeof value === 'boolean') return true;
    else if (value !== null && typeof value === 'object') for (const part of Object.values(value)) pending.push(part);
  }
  return false;
}

const textKeys = ['result', 'text', 'content', 'answer', 'message', 'summary'];

function mainText(output: Record<string, unknown>): string | null {
  for (const key of textKeys) {
    const value = output[key];
    if (typeof value === 'string' && value.trim() !== '') return value;
  }
  return null;
}

/** Only short texts that begin with a refusal; a long text may quote one. */
const refusalMaxChars = 600;
const regrets =
  /^[\s"'*]{0,5}(?:(?:i['’]?m|i am|we are) (?:very |so |really )?sorry|sorry|(?:my )?apologies|unfortunately)?/i;
const preambles = /^[\s,.;:–—-]{0,5}(?:but )?(?:as an ai[^,.]{0,60}, ?)?/i;
const declines =
  /^(?:i|we)(?:['’]m|['’]re| am| are)? (?:cannot|can not|can['’]?t|unable to|not able to|won['’]?t be able to|won['’]?t|will not) /i;
const theTask =
  /^(?:(?:help|assist)(?: you)?(?: with|[.!]?$)|comply\b|(?:complete|do|fulfill?|perform|carry out|process|work on|answer|provide|create|generate|write|continue with) (?:this|that|the|your|such)(?: kind of)? (?:request|task|work|job|assignment|instructions?|content|code)\b)/i;

function isRefusal(text: string) {
  if (text.length > refusalMaxChars) return false;
  const statement = text.replace(regrets, '').replace(preambles, '').trimStart();
  const verb = statement.replace(declines, '');
  return verb !== statement && theTask.test(verb);
}

/** Words of an order for a text that declines something or tells of a failure. */
const ordersNo =
  /\b(?:refus|declin|reject|den(?:y|ies|ied|ial)|apolog|regret|sorry|excus|unavailab|error|outage|busy|maintenance)|\b(?:turn\w*|say\w*|back) (?:down|no|out)\b/i;
const ours = /\b(?:we|our|us)\b/i;

/** Whether the buyer ordered a text that sounds like a refusal: one that declines, or one in the buyer's own voice. */
const isOrderedNo = (taskType: TaskType, description: unknown, text: string) =>
  freeForm.has(taskType) &&
  typeof description === 'string' &&
  (ordersNo.test(description) || (ours.test(description) && ours.test(text.slice(0, refusalMaxChars))));

/** An output that carries an error and nothing else is a failure reported by the wrong door. */
function isBareError(output: Record<string, unknown>) {
  const keys = Object.keys(output).filter((key) => !bookkeeping.has(key) && hasContent(output[key]));
  return keys.length > 0 && keys.every((key) => key === 'error' || key === 'errorMessage');
}

const normalized = (text: string) => text.replace(/\s+/g, ' ').trim().toLowerCase();

/** Equal but for white space and case; texts of quite different lengths are not worth normalising. */
const sameText = (one: unknown, other: string) =>
  typeof one === 'string' &&
  one.length >= 20 &&
  Math.abs(one.length - other.length) <= 100 + one.length / 2 &&
  normalized(one) === normalized(other);

const functionWords = new Set(
  'the and for with that this from are was have has not but you your which will its'.split(' '),
);

/** Texts that may share no word with the description and still be right. */
const freeForm = new Set<TaskType>(['content_creation', 'design', 'general']);

function stems(text: string) {
  const found = { words: 0, english: new Set<string>(), stems: new Set<string>() };
  for (const [word] of text
    .slice(0, 20_000)
    .toLowerCase()
    .matchAll(/\p{L}{3,}/gu)) {
    found.words += 1;
    if (functionWords.has(word)) found.english.add(word);
    else if (word.length >= 4) found.stems.add(word.slice(0, 4));
  }
  return found;
}

/**
 * Whether a long English answer shares not one word with a long English description. Deliberately narrow:
 * short answers, other languages and free-form work are never doubted, and doubt alone does not fail a task.
 */
function sharesNoWord(taskType: TaskType, description: unknown, text: string) {
  if (freeForm.has(taskType) || typeof description !== 'string' || text.length < 200) return false;
  const asked = stems(description);
  const given = stems(text);
  if (asked.stems.size < 8 || given.words < 40 || asked.english.size < 2 || given.english.size < 3) return false;
  for (const stem of asked.stems) if (given.stems.has(stem)) return false;
  return true;
}

export interface OutputSource {
  taskType: TaskType;
  input: TaskInput;
  output: Record<string, unknown> | null;
  usedSandbox: boolean;
}

const finding = (score: number, evidence: string): Finding => ({
  kind: 'output',
  name: 'output',
  score,
  weight: 1,
  evidence,
});

/** Evidence from the output alone. A present one proves nothing; empty, refused and echoed ones fail. */
export function outputEvidence({ taskType, input, output, usedSandbox }: OutputSource): Finding {
  const delivered =
    output !== null && Object.keys(output).some((key) => !bookkeeping.has(key) && hasContent(output[key]));
  if (!delivered) return finding(outputScores.empty, 'The output is empty.');
  if (isBareError(output)) return finding(outputScores.refused, 'The output carries an error instead of a result.');
  const text = mainText(output);
  if (text === null) return finding(outputScores.present, 'The output is present; by itself it proves nothing.');
  if (isRefusal(text) && !isOrderedNo(taskType, input.description, text))
    return finding(outputScores.refused, 'The output refuses the task.');
  if (sameText(input.description, text))
    return finding(outputScores.echo, "The output repeats the task's description.");
  if (changesCode(taskType) && !usedSandbox && sameText(input.code, text)) {
    return finding(outputScores.echo, "The output is the buyer's code, unchanged.");
  }
  if (sharesNoWord(taskType, input.description, text)) {
    return finding(outputScores.doubtful, 'The output shares no word with the description.');
  }
  return finding(outputScores.present, 'The output is present; by itself it proves nothing.');
}
