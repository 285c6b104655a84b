import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

type Node = ReturnType<typeof fromMarkdown>['children'][number];

/**
 * Markdown as a tree that has nothing else in it than what is named here: no HTML, no addresses but those of links and
 * images, which are shown and never loaded.
 */
export type Piece =
  | { is: 'text' | 'code' | 'html'; text: string }
  | { is: 'block'; text: string; language: string }
  | { is: 'heading'; level: number; in: Piece[] }
  | { is: 'paragraph' | 'quote' | 'strong' | 'emphasis' | 'deleted'; in: Piece[] }
  | { is: 'list'; start: number | null; in: Piece[] }
  | { is: 'item'; checked: boolean | null; in: Piece[] }
  | { is: 'table'; align: ('left' | 'right' | 'center' | null)[]; rows: Piece[][][] }
  | { is: 'link' | 'image'; address: string; in: Piece[] }
  | { is: 'break' | 'line' };

/** The first pieces of a text, as many as a page can bear, each with how many it has inside. */
export interface Markdown {
  blocks: { piece: Piece; pieces: number }[];
  /** The text goes on. */
  isCut: boolean;
}

const most = { chars: 200_000, pieces: 30_000, depth: 24 };
/** What is parsed at once: twice as many blocks take the parser four times as long. The second breaks a block in two. */
const part = { usual: 4_000, most: 8_000 };
/** Items of a list, or rows of a table, that are one block: only blocks are shown one by one. */
const inBlock = 100;

export function readMarkdown(text: string): Markdown {
  const blocks: Markdown['blocks'] = [];
  let pieces = 0;
  const parts = partsOf(text.slice(0, most.chars));
  const named = parts.length > 1 ? definitionsIn(text) : '';
  for (const each of parts) {
    const tree = fromMarkdown(each + named, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
    const definitions = new Map<string, string>();
    for (const node of tree.children)
      if (node.type === 'definition' && !definitions.has(node.identifier)) definitions.set(node.identifier, node.url);
    for (const node of tree.children.flatMap(inParts)) {
      const count = { pieces: 0 };
      const [piece] = pieceOf(node, { definitions, count, depth: 0 });
      if (!piece) continue;
      pieces += count.pieces;
      if (pieces > most.pieces) return { blocks, isCut: true };
      blocks.push({ piece, pieces: count.pieces });
    }
  }
  return { blocks, isCut: text.length > most.chars };
}

/** Where links lead that say it elsewhere: each part has to know it. */
function definitionsIn(text: string): string {
  const lines = text.match(/^ {0,3}\[[^\]^\n][^\]\n]{0,200}\]:[^\n]{1,500}$/gm) ?? [];
  return lines.length === 0 ? '' : `\n\n${lines.slice(0, 100).join('\n')}`;
}

/** The text in parts that end between blocks, as far as blocks end at all; code stays together. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let fence: string | null = null;
  let from = 0;
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end + 1;
    const line = text.slice(at, Math.min(next, at + 200));
    const [, marks] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === null) fence = marks ?? null;
    else if (marks?.startsWith(fence) && line.trim() === marks) fence = null;
    const isBetween = line.trim() === '' && /[^\s>*+\-\d]/.test(text[next] ?? '');
    const length = next - from;
    if (fence === null && (length >= part.most || (isBetween && length >= part.usual))) {
      parts.push(text.slice(from, next));
      from = next;
    }
    at = next;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** Long lists and tables in several blocks. */
function inParts(node: Node): Node[] {
  if (node.type !== 'list' && node.type !== 'table') return [node];
  if (node.children.length <= inBlock) return [node];
  return Array.from({ length: Math.ceil(node.children.length / inBlock) }, (_, nth) => ({
    ...node,
    ...(node.type === 'list' && node.ordered && { start: (node.start ?? 1) + nth * inBlock }),
    children: node.children.slice(nth * inBlock, (nth + 1) * inBlock),
  })) as Node[];
}

interface Around {
  definitions: ReadonlyMap<string, string>;
  count: { pieces: number };
  depth: number;
}

const whole = new Set(['paragraph', 'strong', 'emphasis', 'delete', 'blockquote']);

/** One piece, or none for what is not shown. */
function pieceOf(node: Node, around: Around): Piece[] {
  around.count.pieces += 1;
  if (around.depth > most.depth) return [{ is: 'text', text: '…' }];
  const inside = (nodes: readonly Node[]): Piece[] =>
    nodes.flatMap((each) => pieceOf(each, { ...around, depth: around.depth + 1 }));
  if (whole.has(node.type) && 'children' in node) {
    const names = { delete: 'deleted', blockquote: 'quote' } as const;
    const is = (names[node.type as keyof typeof names] ?? node.type) as 'paragraph';
    return [{ is, in: inside(node.children) }];
  }
  switch (node.type) {
    case 'text':
      return [{ is: 'text', text: node.value }];
    case 'inlineCode':
      return [{ is: 'code', text: node.value }];
    case 'html':
      return [{ is: 'html', text: node.value }];
    case 'code':
      return [{ is: 'block', text: node.value, language: node.lang ?? '' }];
    case 'heading':
      return [{ is: 'heading', level: node.depth, in: inside(node.children) }];
    case 'list':
      return [{ is: 'list', start: node.ordered ? (node.start ?? 1) : null, in: inside(node.children) }];
    case 'listItem':
      return [{ is: 'item', checked: node.checked ?? null, in: inside(node.children) }];
    case 'table':
      return [
        {
          is: 'table',
          align: node.align ?? [],
          rows: node.children.map((row) => row.children.map((cell) => inside(cell.children))),
        },
      ];
    case 'break':
      return [{ is: 'break' }];
    case 'thematicBreak':
      return [{ is: 'line' }];
    case 'footnoteReference':
      return [{ is: 'text', text: `[${node.label ?? node.identifier}]` }];
    case 'footnoteDefinition':
      return [
        { is: 'quote', in: [{ is: 'text', text: `[${node.label ?? node.identifier}] ` }, ...inside(node.children)] },
      ];
    default:
      return addressed(node, around, inside);
  }
}

function addressed(node: Node, { definitions }: Around, inside: (nodes: readonly Node[]) => Piece[]): Piece[] {
  switch (node.type) {
    case 'link':
      return [{ is: 'link', address: node.url, in: inside(node.children) }];
    case 'image':
      return [{ is: 'image', address: node.url, in: [{ is: 'text', text: node.alt ?? '' }] }];
    case 'linkReference':
      return [{ is: 'link', address: definitions.get(node.identifier) ?? '', in: inside(node.children) }];
    case 'imageReference':
      return [
        { is: 'image', address: definitions.get(node.identifier) ?? '', in: [{ is: 'text', text: node.alt ?? '' }] },
      ];
    default:
      return [];
  }
}
