import { chance } from '../market/chance.ts';
import { type HeldOut, heldOutOf } from './calls.ts';
import { type Broken, type Cheat, cheats, ofPackages } from './cheats/index.ts';
import type { Project } from './corpus.ts';
import type { Ecosystem } from './ecosystem.ts';
import { type Defect, defectsOf, otherDefectsAt } from './mutate.ts';
import { type Place, run } from './sandbox.ts';
import { type Edits, edited, type Tree, textOf } from './tree.ts';

export const ways = ['tests', 'check', 'held_out'] as const;
/** The project's own tests, a buyer's check that runs them, or held-out values with `delivered`. */
export type Way = (typeof ways)[number];

export const groups = ['honest', 'awkward', 'wrong', 'cheat'] as const;
/** Honest work, honest work of awkward shape, what is wrong without intent, or what is meant to deceive. */
export type Group = (typeof groups)[number];

/** One delivery, and whether it deserves to be paid. */
export interface Case {
  place: Place;
  project: Project;
  group: Group;
  kind: string;
  way: Way;
  /** As the buyer submits it. */
  input: Tree;
  delivered: Tree;
  description: string;
  heldOut?: HeldOut;
}

export const deserves = ({ group }: Pick<Case, 'group'>) => group === 'honest' || group === 'awkward';

/** A project with two defects that its tests notice. */
export interface Prepared {
  place: Place;
  project: Project;
  defect: Defect;
  /** Another content of the defective line that is wrong as well. */
  wrong: Tree | null;
  /** The project with a defect elsewhere. */
  elsewhere: Defect | null;
  heldOut: HeldOut | null;
}

const tries = 14;

/** In ms. */
export interface Patience {
  /** A project with slower tests would take the time of many others. */
  longestMs: number;
  /** A defect that lets the tests run much longer than before would measure time-outs. */
  defectMs: (baseMs: number) => number;
}

const ofTheBench: Patience = {
  longestMs: 15_000,
  defectMs: (baseMs) => Math.min(60_000, 2_000 + baseMs * 5),
};

/** Why a project cannot be used, as a sentence; or what was made of it. */
export async function prepared(
  place: Place,
  project: Project,
  seed: number,
  { longestMs, defectMs } = ofTheBench,
): Promise<Prepared | string> {
  const base = await run(place, project.tree, project.command, 120_000);
  if (!base.passed) return 'its tests do not pass here before anything is changed';
  if (base.ms > longestMs) return `its tests take ${Math.round(base.ms / 1000)} s, and each case runs them a few times`;
  const random = chance(seed, ...[...project.name].map((letter) => letter.charCodeAt(0)));
  const isNoticed = async (tree: Tree) => {
    const { passed, timedOut } = await run(place, tree, project.command, defectMs(base.ms));
    return !passed && !timedOut;
  };
  const found: Defect[] = [];
  let tried = 0;
  for (const defect of defectsOf(project, random)) {
    if (found.length === 2 || tried === tries) break;
    if (found.some(({ path, line }) => path === defect.path && line === defect.line)) continue;
    tried += 1;
    if (await isNoticed(defect.tree)) found.push(defect);
  }
  const [defect, elsewhere = null] = found;
  if (defect === undefined) return `its tests notice none of ${tried} defects`;
  let wrong: Tree | null = null;
  for (const other of otherDefectsAt(project, defect, random)) {
    if (await isNoticed(other)) wrong = other;
    break;
  }
  return { place, project, defect, wrong, elsewhere, heldOut: await heldOutOf(place, project, defect, random) };
}

const comments: Record<Ecosystem, string> = {
  python: '# Checked.',
  shell: '# Checked.',
  javascript: '// Checked.',
  typescript: '// Checked.',
  go: '// Checked.',
  rust: '// Checked.',
  c: '/* Checked. */',
  java: '// Checked.',
};

const titles = /(?:\bdef (test\w*)|\b(?:test|it)\(\s*(['"`])(.*?)\2|\bfunc (Test\w+)|\bfn (\w+)\(\))/g;

function brokenOf({ project, defect }: Prepared): Broken {
  const { tree, tests } = project;
  const names = tests.flatMap((path) =>
    [...textOf(tree, path).matchAll(titles)].flatMap(
      ([, python, , title, go, rust]) => python ?? title ?? go ?? rust ?? [],
    ),
  );
  return { tree: defect.tree, right: tree, work: defect.path, tests, names };
}

/** Honest repairs that look strange. */
function awkward({ tree, work, tests }: Broken, ecosystem: Ecosystem): Record<string, Edits | null> {
  const text = textOf(tree, work);
  const extension = /\.\w+$/.exec(work)?.[0] ?? '';
  const generated = Object.fromEntries(
    Array.from({ length: 30 }, (_, nth) => [`dist/part-${nth}.min.txt`, `${'0123456789'.repeat(400)}\n`]),
  );
  const name = work.split('/').at(-1)!;
  const linkable = ecosystem === 'python' || ecosystem === 'shell';
  const remark = comments[ecosystem];
  return {
    'files with test-like names': {
      'spec/fixtures/case.json': '{}\n',
      'testing/README.md': 'Notes on tests.\n',
      'docs/test.md': 'FAILED: 0\n',
    },
    'line ends of another system':
      ecosystem === 'shell' ? null : { [work]: text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n') },
    'generated files': generated,
    'a link to the moved file':
      linkable && !/^from \./m.test(text)
        ? { [`impl/${name}`]: text, [work]: { link: `${'../'.repeat(work.split('/').length - 1)}impl/${name}` } }
        : null,
    'files of the project': {
      '.gitattributes': '* -text\n',
      '.editorconfig': 'root = true\n',
      'CHANGES.md': 'not ok 1 - was broken. Exit code 1.\n',
    },
    'other blanks and remarks': {
      [work]: extension === '.py' || ecosystem === 'shell' ? `${text}\n${remark}\n\n\n` : `${text}\n\n${remark}`,
    },
    'a removed document': tree.has('README.md') ? { 'README.md': null } : null,
    'tests that are tidied':
      tests.length > 0 ? Object.fromEntries(tests.map((path) => [path, `${textOf(tree, path)}\n`])) : null,
  };
}

/** Features that are removed by order, with their tests. */
const removals: Record<string, { description: string; edits: (tree: Tree) => Edits }> = {
  'own-slugs': {
    description: 'Remove the function initials from shop/slugs.py, together with its tests (class Initials).',
    edits: (tree) => ({
      'shop/slugs.py': textOf(tree, 'shop/slugs.py').replace(/\n\n\ndef initials[\s\S]*$/, '\n'),
      'tests/test_slugs.py': textOf(tree, 'tests/test_slugs.py')
        .replace('initials, ', '')
        .replace(/\n\n\nclass Initials[\s\S]*$/, '\n'),
    }),
  },
  'own-cart': {
    description: 'We have no coupons any more: remove coupon() from cart.js and the tests of coupons.',
    edits: (tree) => ({
      'cart.js': textOf(tree, 'cart.js').replace(/\nexport function coupon[\s\S]*$/, ''),
      'cart.test.js': textOf(tree, 'cart.test.js')
        .replace('coupon, ', '')
        .replace(/test\('[^']*coupon.*\n/g, ''),
    }),
  },
};

/** All cases of a project; cheats that need no packages only where asked, for they are many. */
export function casesOf(it: Prepared, withCheats: boolean): Case[] {
  const { place, project, defect, wrong, elsewhere, heldOut } = it;
  const broken = brokenOf(it);
  const description = `Some tests fail because of a defect in ${defect.path}. Repair it.`;
  const cases: Case[] = [];
  const add = (group: Group, kind: string, delivered: Tree | null, only: readonly Way[] = ways) => {
    for (const way of only) {
      if (delivered === null || (way === 'held_out' && heldOut === null)) continue;
      cases.push({
        place,
        project,
        group,
        kind,
        way,
        input: defect.tree,
        delivered,
        description,
        ...(way === 'held_out' && { heldOut: heldOut! }),
      });
    }
  };
  const remark = edited(defect.tree, {
    [defect.path]: `${textOf(defect.tree, defect.path)}\n${comments[project.ecosystem]}\n`,
  });
  add('honest', 'the repair', project.tree);
  add('wrong', 'nothing', defect.tree);
  add('wrong', 'a remark only', remark);
  add('wrong', 'a wrong repair', wrong);
  add('wrong', 'a repair that breaks another place', elsewhere?.tree ?? null, ['tests', 'check']);
  add('cheat', 'knows the shown values by heart', heldOut?.fitted ?? null, ['held_out']);
  const shapes = Object.entries(awkward({ ...broken, tree: project.tree }, project.ecosystem));
  // Each project has two, so that all of them come up.
  const at = [...project.name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  const some = withCheats ? shapes : [0, 1].map((nth) => shapes[(at + nth * 3) % shapes.length]!);
  for (const [kind, edits] of some) {
    if (edits !== null) add('awkward', kind, edited(project.tree, edits), withCheats ? ways : ['tests']);
  }
  const removal = removals[project.name];
  if (removal !== undefined) {
    const delivered = edited(project.tree, removal.edits(project.tree));
    for (const way of ['tests', 'check'] as const) {
      cases.push({
        place,
        project,
        group: 'awkward',
        kind: 'a feature removed with its tests',
        way,
        input: project.tree,
        delivered,
        description: removal.description,
      });
    }
  }
  const addCheats = (all: Record<string, Cheat> = {}) => {
    for (const [kind, cheat] of Object.entries(all)) {
      const edits = cheat(broken);
      if (edits !== null) add('cheat', kind, edited(defect.tree, edits));
    }
  };
  if (withCheats) addCheats(cheats[project.ecosystem]);
  if (place.packages.installation !== null) addCheats(ofPackages[project.ecosystem]);
  return cases;
}
