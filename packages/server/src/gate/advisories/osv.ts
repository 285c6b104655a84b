import { z } from 'zod';
import type { Dependency } from './lockfiles.ts';
import { canonicalName, type Ecosystem, ecosystems, orders } from './versions.ts';

/** One package of an advisory; kept small, because a database has hundreds of thousands. */
export interface Affected {
  id: string;
  summary: string;
  versions: ReadonlySet<string> | null;
  ranges: ReadonlyArray<ReadonlyArray<readonly [kind: EventKind, version: string]>>;
}

type EventKind = 'introduced' | 'fixed' | 'last_affected';

const event = z.object({
  introduced: z.string().optional(),
  fixed: z.string().optional(),
  last_affected: z.string().optional(),
});

/** The part of the OSV schema (1.x) that is needed; all else is passed over. */
const advisory = z.object({
  id: z.string().min(1).max(100),
  withdrawn: z.string().optional(),
  summary: z.string().optional(),
  affected: z
    .array(
      z.object({
        package: z.object({ ecosystem: z.string(), name: z.string() }).optional(),
        ranges: z.array(z.object({ type: z.string(), events: z.array(event) })).optional(),
        versions: z.array(z.string()).optional(),
      }),
    )
    .optional(),
});

export const keyOf = (ecosystem: Ecosystem, name: string) => `${ecosystem}:${name}`;

const isKnown = (name: string | undefined): name is Ecosystem => ecosystems.some((each) => each === name);

/** The packages of known ecosystems in one file; none if the advisory is withdrawn or the file is not one. */
export function affectedIn(text: string): Array<readonly [key: string, Affected]> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return [];
  }
  const { success, data } = advisory.safeParse(json);
  if (!success || data.withdrawn !== undefined) return [];
  const found: Array<readonly [string, Affected]> = [];
  for (const { package: about, ranges = [], versions = [] } of data.affected ?? []) {
    const ecosystem = about?.ecosystem.split(':')[0];
    if (about === undefined || !isKnown(ecosystem)) continue;
    const affected: Affected = {
      id: data.id,
      summary: (data.summary ?? '').slice(0, 120),
      versions: versions.length === 0 ? null : new Set(versions),
      ranges: ranges.filter(({ type }) => type !== 'GIT').map(({ events }) => sorted(ecosystem, events)),
    };
    found.push([keyOf(ecosystem, canonicalName(ecosystem, about.name)), affected]);
  }
  return found;
}

function sorted(ecosystem: Ecosystem, events: z.output<typeof event>[]) {
  const order = orders[ecosystem];
  const flat = events.flatMap((each) =>
    (['introduced', 'fixed', 'last_affected'] as const).flatMap((kind) => {
      const version = each[kind];
      return version === undefined ? [] : [[kind, version] as const];
    }),
  );
  return flat.sort((a, b) => order(a[1], b[1]));
}

/** The evaluation that the OSV schema prescribes. */
export function affects({ versions, ranges }: Affected, { ecosystem, version }: Dependency): boolean {
  if (versions?.has(version)) return true;
  const order = orders[ecosystem];
  return ranges.some((events) => {
    let vulnerable = false;
    for (const [kind, at] of events) {
      if (kind === 'introduced') vulnerable ||= at === '0' || order(version, at) >= 0;
      else if (kind === 'fixed') vulnerable &&= order(version, at) < 0;
      else vulnerable &&= order(version, at) <= 0;
    }
    return vulnerable;
  });
}
