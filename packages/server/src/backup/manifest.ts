import { z } from 'zod';

export const manifestName = 'manifest.json';

/** What a backup says about itself; its first entry. */
const manifestSchema = z.object({
  format: z.literal(1),
  /** Version of the program that wrote it. */
  version: z.string(),
  createdAt: z.string(),
  /** The schema is made by these, the first to the last. */
  migrations: z.array(z.object({ name: z.string(), checksum: z.string() })).min(1),
  /** Columns of every table, in the order of its rows. */
  tables: z.record(z.string(), z.array(z.string())),
  sequences: z.record(z.string(), z.object({ last: z.string(), isCalled: z.boolean() })),
  /** Tells whether a secret is the one that encrypted what is encrypted in the tables. */
  secretMark: z.string(),
  /** The data directory's id, by which rows name its files; null where the backup was made elsewhere. */
  store: z.string().nullable(),
});

export type Manifest = z.output<typeof manifestSchema>;

/** Throws in words for the operator. */
export function readManifest(content: Buffer): Manifest {
  const json = JSON.parse(content.toString()) as { format?: unknown; version?: unknown };
  if (json.format !== 1)
    throw new Error(`This backup was written by a newer version of Agora (${json.version}); use that one.`);
  return manifestSchema.parse(json);
}
