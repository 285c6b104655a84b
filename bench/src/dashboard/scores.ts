import type { DrivenChromium } from '../measure/chromium.ts';
import { type Audited, type Form, judgePage } from '../measure/lighthouse.ts';
import { spreadOf } from '../measure/results.ts';
import { signIn } from './session.ts';
import type { Place, Town } from './world.ts';

export const scoreGoals = { performance: 95, accessibility: 100, 'best-practices': 95 } as const;

export interface PageScores {
  page: string;
  form: Form;
  /** Every round, the scores from 0 to 100. */
  rounds: Audited[];
}

/** The pages that Lighthouse judges, and who opens them. */
export const judgedPages = ({ buyer, taskId }: Town) => [
  { page: 'landing', path: '/', as: null },
  { page: 'overview', path: '/', as: buyer },
  { page: 'tasks', path: '/tasks', as: buyer },
  { page: 'task', path: `/tasks/${taskId}`, as: buyer },
];

/** Each page in both forms, in turns, so that other work on the machine meets all of them. */
export async function judgePages(
  chromium: DrivenChromium,
  place: Place,
  town: Town,
  rounds: number,
): Promise<PageScores[]> {
  const pages = judgedPages(town);
  const forms: Form[] = ['mobile', 'desktop'];
  const turns = forms.flatMap((form) => pages.map((page) => ({ ...page, form, rounds: [] as Audited[] })));
  for (let round = 0; round < rounds; round++) {
    for (const { path, as, form, rounds: seen } of turns) {
      await signIn(chromium, place, as);
      seen.push(await judgePage(chromium.port, place.url + path, form));
    }
  }
  return turns.map(({ page, form, rounds: seen }) => ({ page, form, rounds: seen }));
}

export const scoresOf = ({ rounds }: PageScores, category: keyof typeof scoreGoals) =>
  spreadOf(rounds.map(({ scores }) => scores[category] ?? Number.NaN));
