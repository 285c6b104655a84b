import type { Reply } from '@agora-market/sdk';
import { withServer } from '../connection.ts';
import type { ServerOptions } from '../options.ts';
import { facts, print, safeLine, table } from '../print.ts';

type Environments = Reply<'system.environments'>;

/** Prints what sandboxes have, and what a task may ask for. */
export async function environmentsCommand(options: ServerOptions): Promise<void> {
  await withServer(options, async (agora) => {
    const found = await agora.system.environments();
    print(options, found, () => shown(found));
  });
}

function shown({ tools, images, ordinary, most }: Environments): string {
  const rows = tools.map(({ name, version, isOrdinary }) => [
    safeLine(name),
    safeLine(version),
    isOrdinary ? 'always there' : `--tool ${name}@${version}`,
  ]);
  const sizes = {
    'without asking': sizeOf(ordinary),
    'at most, free': sizeOf(most.free),
    'at most, pro': sizeOf(most.pro),
  };
  return [
    table(['tool', 'version', 'how'], rows),
    facts({ ...sizes, images: images.length === 0 ? null : images.map((name) => safeLine(name, 200)).join(', ') }),
  ].join('\n\n');
}

const sizeOf = ({ memoryMb, cpus, diskMb }: Environments['ordinary']): string =>
  `${memoryMb} MiB of memory, ${cpus} ${cpus === 1 ? 'core' : 'cores'}, ${diskMb} MiB of disk`;
