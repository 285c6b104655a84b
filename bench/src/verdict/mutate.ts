import { type Chance, shuffled } from '../market/chance.ts';
import type { Project } from './corpus.ts';
import type { Ecosystem } from './ecosystem.ts';
import { edited, type Tree, textOf } from './tree.ts';

/** Defects of one line, as people make them: off by one, another comparison, another constant, a negation. */

export interface Defect {
  path: string;
  line: number;
  tree: Tree;
}

interface Rule {
  from: RegExp;
  to: (found: string) => string;
}

/** As people make them, and as a trial of each showed that tests notice them. */
const rules: Rule[] = [
  { from: /(?<=[+-] )1\b(?!\.)/g, to: () => '2' },
  { from: /(?<![\w.$#%:'"-])\d{1,4}(?![\w.'"])/g, to: (digits) => String(Number(digits) + 1) },
  { from: /(?<= )(?:<=|>=|<|>)(?= )/g, to: (sign) => ({ '<': '<=', '>': '>=', '<=': '<', '>=': '>' })[sign]! },
  {
    from: /(?<= )(?:===|!==|==|!=)(?= )/g,
    to: (sign) => (sign.startsWith('!') ? `=${sign.slice(1)}` : `!${sign.slice(1)}`),
  },
  { from: /(?<=\w\)? )[+-](?= \w)/g, to: (sign) => (sign === '+' ? '-' : '+') },
  { from: /(?<= )(?:and|or|&&|\|\|)(?= )/g, to: (word) => ({ and: 'or', or: 'and', '&&': '||', '||': '&&' })[word]! },
  {
    from: /\b(?:true|false|True|False)\b/g,
    to: (word) => ({ true: 'false', false: 'true', True: 'False', False: 'True' })[word]!,
  },
  {
    from: /(?<= )-(?:eq|ne|lt|le|gt|ge)(?= )/g,
    to: (sign) => ({ '-eq': '-ne', '-ne': '-eq', '-lt': '-le', '-le': '-lt', '-gt': '-ge', '-ge': '-gt' })[sign]!,
  },
  { from: /\b(?:min|max|Min|Max)(?=\()/g, to: (word) => ({ min: 'max', max: 'min', Min: 'Max', Max: 'Min' })[word]! },
];

const comments: Record<Ecosystem, RegExp> = {
  python: /^\s*(?:#|"""|'''|@|import |from )/,
  shell: /^\s*#/,
  javascript: /^\s*(?:\/\/|\/?\*|import |'use)/,
  typescript: /^\s*(?:\/\/|\/?\*|import )/,
  go: /^\s*(?:\/\/|\/?\*|import |package )/,
  rust: /^\s*(?:\/\/|#!?\[|use |assert|debug_assert)/,
  c: /^\s*(?:\/\/|\/?\*|#)/,
  java: /^\s*(?:\/\/|\/?\*|import |package |@)/,
};

const isQuoted = (line: string, at: number) => (line.slice(0, at).match(/(?<!\\)["'`]/g) ?? []).length % 2 === 1;

interface Spot {
  path: string;
  line: number;
  text: string;
}

/** Each line with one thing changed. */
function spots(project: Project, path: string): Spot[] {
  const lines = textOf(project.tree, path).split('\n');
  const found: Spot[] = [];
  let docstring = false;
  for (const [line, text] of lines.entries()) {
    // Tests of Rust stand at the end of the work.
    if (project.ecosystem === 'rust' && text.includes('#[cfg(test)]')) break;
    const quotes = (text.match(/"""|'''/g) ?? []).length;
    const wasDocstring = docstring;
    if (project.ecosystem === 'python' && quotes % 2 === 1) docstring = !docstring;
    if (wasDocstring || docstring || comments[project.ecosystem].test(text) || text.length > 200) continue;
    for (const { from, to } of rules) {
      for (const match of text.matchAll(from)) {
        if (isQuoted(text, match.index) || /(?:\/\/|#).*$/.exec(text.slice(0, match.index))) continue;
        const changed = text.slice(0, match.index) + to(match[0]) + text.slice(match.index + match[0].length);
        found.push({ path, line, text: changed });
      }
    }
  }
  return found;
}

function withLine(tree: Tree, { path, line, text }: Spot): Tree {
  const lines = textOf(tree, path).split('\n');
  lines[line] = text;
  return edited(tree, { [path]: lines.join('\n') });
}

/** Possible defects of a project in an order that chance decides. */
export function* defectsOf(project: Project, random: Chance): Generator<Defect> {
  for (const spot of shuffled(
    random,
    project.work.flatMap((path) => spots(project, path)),
  )) {
    yield { path: spot.path, line: spot.line, tree: withLine(project.tree, spot) };
  }
}

/** Other wrong contents of a defect's line. */
export function* otherDefectsAt(project: Project, { path, line, tree }: Defect, random: Chance): Generator<Tree> {
  const same = textOf(tree, path).split('\n')[line];
  const others = spots(project, path).filter((spot) => spot.line === line && spot.text !== same);
  for (const spot of shuffled(random, others)) yield withLine(project.tree, spot);
}
