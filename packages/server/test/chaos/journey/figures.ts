/** Figures of a journey as lines of text, for people. */

export type Section = [title: string, rows: [name: string, value: string | number][]];

export const counted = (names: Iterable<string>): [string, number][] => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return inOrder(counts);
};

export const inOrder = (counts: Map<string, number>): [string, number][] =>
  [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

export const credits = (cents: number): string => `${(cents / 100).toFixed(2)} USD`;

export function printed(heading: string, sections: Section[]): string {
  const lines = sections.flatMap(([title, rows]) => [
    '',
    title,
    ...rows.map(([name, value]) => `  ${name.padEnd(58)} ${String(value).padStart(16)}`),
  ]);
  return [heading, ...lines, ''].join('\n');
}
