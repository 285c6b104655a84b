import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A relay to a socket that delays every byte each way: `delay.js PATH MS`. Tells its parent its port. */
const [path, ms] = process.argv.slice(2) as [string, string];

const pipe = (from: Socket, to: Socket) => {
  from.on('data', (bytes) => setTimeout(() => to.writable && to.write(bytes), Number(ms)));
  from.on('close', () => setTimeout(() => to.destroy(), Number(ms)));
  from.on('error', () => to.destroy());
};

const server = createServer({ noDelay: true }, (near) => {
  const far = connect({ path });
  pipe(near, far);
  pipe(far, near);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
