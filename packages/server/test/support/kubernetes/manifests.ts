import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { V1Container, V1PodSpec } from '@kubernetes/client-node';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from './known-fields.ts';

/** What `deploy/kubernetes` has. */

export const deploy = fileURLToPath(new URL('../../../../../deploy/', import.meta.url));
export const kubernetes = join(deploy, 'kubernetes');
export const OVERLAYS = ['small', 'ha'] as const;

export const documentsIn = (text: string): Manifest[] =>
  parseAllDocuments(text, { merge: true }).map((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  });

/** Every object, by the file it stands in; patches have only what they change. */
export function manifests(): { file: string; manifest: Manifest }[] {
  return filesBelow(kubernetes)
    .filter((file) => file.endsWith('.yaml') && !/(kustomization|sandbox-template)\.yaml$/.test(file))
    .flatMap((file) =>
      documentsIn(readFileSync(join(kubernetes, file), 'utf8')).map((manifest) => ({ file, manifest })),
    );
}

const filesBelow = (directory: string): string[] => readdirSync(directory, { recursive: true }).map(String).sort();

/** Of a `.env` file, as Kustomize reads it. */
export const variablesIn = (path: string): Record<string, string> =>
  Object.fromEntries(
    readFileSync(join(kubernetes, path), 'utf8')
      .trim()
      .split('\n')
      .map((line) => {
        const [name = '', ...value] = line.split('=');
        return [name, value.join('=')];
      }),
  );

export function podOf({ kind, spec }: Manifest): V1PodSpec | undefined {
  return kind === 'StatefulSet' ? (spec as { template: { spec: V1PodSpec } }).template.spec : undefined;
}

export const containersOf = (manifest: Manifest): V1Container[] => podOf(manifest)?.containers ?? [];
