import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { layRoot } from '../../../../../bench/src/measure/podman.ts';
import { doorEntries } from '../../../src/sandbox/kubernetes/image.ts';
import { buildNative } from '../../../src/sandbox/native.ts';

/** Images made of this machine's programs, because there may be no registry to pull from. */

export const IMAGES = {
  sandbox: 'docker.io/library/agora-test:1',
  agent: 'docker.io/library/agora-test-agent:1',
  pause: 'docker.io/library/agora-test-pause:1',
} as const;

const source = fileURLToPath(new URL('../../../src/sandbox/kubernetes/', import.meta.url));

function layDoor(root: string): void {
  layRoot(root, ['dash', 'cp', 'mkdir', 'chmod', 'rm', process.execPath]);
  writeFileSync(join(root, 'usr/bin/node'), readFileSync(process.execPath), { mode: 0o755 });
  const home = join(root, 'opt/agora');
  for (const { path, mode, content, link } of doorEntries(buildNative())) {
    const place = join(home, path);
    mkdirSync(path.endsWith('/') ? place : dirname(place), { recursive: true });
    if (link) execFileSync('ln', ['-s', link, place]);
    else if (!path.endsWith('/')) writeFileSync(place, content ?? '', { mode });
  }
  for (const name of ['run-door', 'door', 'door-terms']) {
    const text = stripTypeScriptTypes(readFileSync(join(source, `${name}.ts`), 'utf8'));
    writeFileSync(join(home, `${name}.js`), text.replaceAll(".ts'", ".js'"));
  }
}

function layPause(root: string): void {
  mkdirSync(root, { recursive: true });
  const program =
    '#include <unistd.h>\n#include <stdlib.h>\n#include <signal.h>\nint main(void){signal(SIGTERM,_Exit);for(;;)pause();}';
  const made = spawnSync('cc', ['-static', '-x', 'c', '-o', join(root, 'pause'), '-'], {
    input: program,
    encoding: 'utf8',
  });
  if (made.status !== 0) throw new Error(made.stderr);
}

/** Archives as `docker save` makes them, by name. */
export function buildImages(place: string): Record<string, string> {
  const build = (name: string, lay: (root: string) => void, entrypoint?: string) => {
    const directory = join(place, createHash('sha256').update(name).digest('hex').slice(0, 8));
    const root = join(directory, 'root');
    mkdirSync(root, { recursive: true });
    lay(root);
    const layer = join(directory, 'layer.tar');
    execFileSync('tar', ['-C', root, '--owner=0', '--group=0', '-cf', layer, '.']);
    rmSync(root, { recursive: true });
    const digest = `sha256:${createHash('sha256').update(readFileSync(layer)).digest('hex')}`;
    const config = {
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      os: 'linux',
      config: { ...(entrypoint && { Entrypoint: [entrypoint] }), Env: ['PATH=/usr/local/bin:/usr/bin:/bin'] },
      rootfs: { type: 'layers', diff_ids: [digest] },
    };
    writeFileSync(join(directory, 'config.json'), JSON.stringify(config));
    const manifest = [{ Config: 'config.json', RepoTags: [name], Layers: ['layer.tar'] }];
    writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest));
    const archive = `${directory}.tar`;
    execFileSync('tar', ['-C', directory, '-cf', archive, 'manifest.json', 'config.json', 'layer.tar']);
    rmSync(directory, { recursive: true });
    return archive;
  };
  return {
    [IMAGES.sandbox]: build(IMAGES.sandbox, (root) => layRoot(root)),
    [IMAGES.agent]: build(IMAGES.agent, layDoor),
    [IMAGES.pause]: build(IMAGES.pause, layPause, '/pause'),
  };
}
