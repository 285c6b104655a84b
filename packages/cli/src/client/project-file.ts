import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { toId } from '@agora-market/contract';
import type { Body } from '@agora-market/sdk';
import { UsageError } from '../failure.ts';
import type { Tree } from './working-tree.ts';

const name = '.agora.yml';

/** A larger one is refused before it is read. */
const mostBytes = 1024 ** 2;

/** What a repository says of its tasks. */
export interface Project {
  input: Pick<Body<'tasks.submit'>['input'], 'environment' | 'acceptance'>;
  /** Cents. */
  budget: number | null;
  /** In the order in which they are asked; empty for any. */
  agents: string[];
  /** The repository of tests that issues at the forge are judged by too. */
  heldOut: string | null;
  /** Of what it speaks. */
  says: string[];
}

/** As for the tasks that its issues become; null where it has no such file. */
export async function projectIn({ root }: Tree): Promise<Project | null> {
  const path = join(root, name);
  const facts = await stat(path).catch(() => null);
  if (facts === null) return null;
  const text = facts.isFile() && facts.size <= mostBytes ? await readFile(path, 'utf8') : null;
  // Few repositories have one, and the command starts sooner without.
  const { inputOf, projectFileOf } = await import('@agora-market/server/forges');
  const found = text === null ? 'is no file of settings' : projectFileOf(text);
  if (typeof found === 'string') throw new UsageError(`Mend ${name}: it ${found}`);
  return {
    input: inputOf(found, null),
    budget: found.budget,
    agents: found.agents?.map((agent) => toId('agent', agent)) ?? [],
    heldOut: found.heldOut?.repository ?? null,
    says: Object.entries(found).flatMap(([field, value]) => (value === null || value.length === 0 ? [] : field)),
  };
}
