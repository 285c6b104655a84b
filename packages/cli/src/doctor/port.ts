import { readdir, readFile, readlink } from 'node:fs/promises';
import type { Config } from '@agora-market/server/platform';
import { portRefusal } from '@agora-market/server/serve';
import { type Check, type Finding, fail, ok } from './finding.ts';

/** Takes the port for a moment, as the service would. */
export const checkPort = ({ HOST, PORT }: Config): Check => ({
  name: 'port',
  async run(): Promise<Finding> {
    const place = `${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`;
    const refusal = await portRefusal({ HOST, PORT });
    if (refusal === null) return ok(PORT === 0 ? 'a free one is taken at the start' : `${place} is free`);
    if (refusal.code === 'EADDRINUSE') {
      if (await isAgora(place)) return ok(`${place} is served by an Agora server`);
      const holder = await holderOf(PORT);
      return fail(
        `${place} is taken by ${holder ?? 'another program'}`,
        'Set PORT to another one, or stop that program.',
      );
    }
    const { code } = refusal;
    const cure =
      code === 'EACCES' ? 'Set PORT to one above 1023.' : 'Set HOST to an address of this machine, or 0.0.0.0 for all.';
    return fail(`${place} cannot be listened on: ${code ?? refusal.message}`, cure);
  },
});

async function isAgora(place: string): Promise<boolean> {
  const url = `http://${place.replace(/^0\.0\.0\.0:/, '127.0.0.1:').replace(/^\[::\]:/, '[::1]:')}/api/v1/health`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000), redirect: 'manual' });
    const { status, timestamp } = (await response.json()) as Record<string, unknown>;
    return status === 'ok' && typeof timestamp === 'string';
  } catch {
    return false;
  }
}

const listening = '0A';

/** The process that listens on a TCP port, as Linux tells; null if it does not, or not to this user. */
async function holderOf(port: number): Promise<string | null> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')),
  );
  const sockets = tables
    .flatMap((table) => table.split('\n').map((line) => line.trim().split(/\s+/)))
    .filter((columns) => columns[1]?.endsWith(`:${hex}`) && columns[3] === listening)
    .map((columns) => `socket:[${columns[9]}]`);
  if (sockets.length === 0) return null;
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      if (!sockets.includes(await readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''))) continue;
      const name = (await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => 'a program')).trim();
      return `${name}, process ${pid}`;
    }
  }
  return null;
}
