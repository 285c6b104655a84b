import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A line to the database that can be cut, so that whoever uses it finds nobody there, or held, so that nothing said on
 * it arrives until it is let go.
 */
export async function databaseLine(databaseUrl: string) {
  const far = new URL(databaseUrl);
  const open = new Map<Socket, Socket>();
  let isHeld = false;
  const relay = createServer((near) => {
    const host = decodeURIComponent(far.hostname);
    // An embedded PostgreSQL listens on a socket in a directory, which its address has in place of a host.
    const port = Number(far.port || 5432);
    const there = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    for (const [from, to] of [
      [near, there],
      [there, near],
    ] as const) {
      open.set(from, to);
      from
        .on('error', () => to.destroy())
        .on('close', () => {
          open.delete(from);
          to.destroy();
        });
      if (!isHeld) from.pipe(to);
    }
  });
  const listen = (port: number) => new Promise<void>((resolve) => relay.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = relay.address() as AddressInfo;
  const near = new URL(databaseUrl);
  near.hostname = '127.0.0.1';
  near.port = String(port);
  return {
    url: near.href,
    cut: () => {
      relay.close();
      for (const socket of open.keys()) socket.destroy();
    },
    mend: () => listen(port),
    hold: () => {
      isHeld = true;
      for (const [from, to] of open) from.unpipe(to);
    },
    letGo: () => {
      isHeld = false;
      for (const [from, to] of open) from.pipe(to);
    },
  };
}
