import { lineDefects, withLine } from '@agora-market/server/gate';
import { type Chance, shuffled } from '../market/chance.ts';
import type { Project } from './corpus.ts';
import { edited, type Tree, textOf } from './tree.ts';

export interface Defect {
  path: string;
  line: number;
  tree: Tree;
}

const spots = (tree: Tree, path: string) =>
  [...lineDefects(path, textOf(tree, path))].map((defect) => ({ path, ...defect }));

const broken = (tree: Tree, { path, ...defect }: ReturnType<typeof spots>[number]): Tree =>
  edited(tree, { [path]: withLine(textOf(tree, path), defect) });

/** Possible defects of a project in an order that chance decides. */
export function* defectsOf({ tree, work }: Project, random: Chance): Generator<Defect> {
  const all = work.flatMap((path) => spots(tree, path));
  for (const spot of shuffled(random, all)) yield { path: spot.path, line: spot.line, tree: broken(tree, spot) };
}

/** Other wrong contents of a defect's line. */
export function* otherDefectsAt(project: Project, { path, line, tree }: Defect, random: Chance): Generator<Tree> {
  const same = textOf(tree, path).split('\n')[line];
  const others = spots(project.tree, path).filter((spot) => spot.line === line && spot.text !== same);
  for (const spot of shuffled(random, others)) yield broken(project.tree, spot);
}
