import type { lookup } from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPublicAddress } from './addresses.ts';
import { OutboundRefused, openOutbound, urlProblem } from './client.ts';

describe('addresses', () => {
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.168.0.1',
    '198.19.0.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::808:808',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'localhost',
    '',
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false));

  it.each([
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.1',
    '172.15.0.1',
    '172.32.0.1',
    '198.20.0.1',
    '223.255.255.255',
    '2606:4700::1111',
    '2a00:1450:4001::200e',
    '64:ff9b::808:808',
    '64:ff9b::8.8.8.8',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));
});

describe('URLs', () => {
  it.each([
    ['https://example.com/a.git', false, null],
    ['https://localhost/a.git', false, null],
    ['http://example.com/a.git', false, 'must be an https URL'],
    ['http://example.com/a.git', true, 'must be an https URL'],
    ['http://127.0.0.1:1/a', true, null],
    ['http://[::1]:1/a', true, null],
    ['http://localhost:1/a', true, null],
    ['http://127.0.0.1/a', false, 'must be an https URL'],
    ['https://127.0.0.1/a', false, 'must be a public address'],
    // The parser turns every spelling of an address into the usual one.
    ['https://2130706433/a', false, 'must be a public address'],
    ['https://0x7f.1/a', false, 'must be a public address'],
    ['https://[::ffff:127.0.0.1]/a', false, 'must be a public address'],
    ['https://[::ffff:127.0.0.1]/a', true, 'must be a public address'],
    ['https://10.0.0.1/a', true, 'must be a public address'],
    ['https://user:secret@example.com/a', false, 'must not carry credentials'],
    ['https://example.com/a#b', false, 'must not have a fragment'],
    ['file:///etc/passwd', true, 'must be an https URL'],
    ['ssh://git@example.com/a', true, 'must be an https URL'],
    ['ext::sh -c true', true, 'must be an https URL'],
    ['/srv/git/a', true, 'must be an absolute URL'],
  ])('%s with loopback %s: %s', (url, allowLoopback, problem) => {
    expect(urlProblem(url, { allowLoopback })).toBe(problem);
  });
});

describe('connections', () => {
  let server: Server;
  let port = 0;
  let hits = 0;
  beforeAll(async () => {
    server = createServer((_, response) => {
      hits += 1;
      response.end('x'.repeat(2000));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => server.close());

  const resolvingTo = (...addresses: string[]) =>
    ((_name: string, _options: unknown, done: (error: null, found: unknown) => void) => {
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    }) as unknown as typeof lookup;
  const get = async (url: string, settings: Partial<Parameters<typeof openOutbound>[0]>) => {
    const outbound = openOutbound({ allowLoopback: false, maxReplyBytes: 10_000, ...settings });
    try {
      const { body } = await outbound.request(url);
      return await body.text();
    } catch (error) {
      return error;
    } finally {
      await outbound.close();
    }
  };

  it('refuse a literal and every name that resolves to a private address, and send nothing', async () => {
    hits = 0;
    const url = (host: string) => `http://${host}:${port}/`;
    expect(await get(url('127.0.0.1'), {})).toBeInstanceOf(OutboundRefused);
    expect(await get(url('[::ffff:127.0.0.1]'), {})).toBeInstanceOf(OutboundRefused);
    expect(await get(url('localhost'), {})).toBeInstanceOf(OutboundRefused);
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '169.254.169.254', '10.0.0.1']) {
      expect(await get(url('rebind.example'), { lookup: resolvingTo(address) })).toBeInstanceOf(OutboundRefused);
    }
    expect(await get(url('rebind.example'), { lookup: resolvingTo('10.0.0.1'), allowLoopback: true })).toBeInstanceOf(
      OutboundRefused,
    );
    expect(hits).toBe(0);
  });

  it('reach this machine where the development switch allows it', async () => {
    const lookup = resolvingTo('10.0.0.1', '127.0.0.1');
    expect(await get(`http://a.example:${port}/`, { lookup, allowLoopback: true })).toHaveLength(2000);
  });

  it('end a reply that is larger than its cap', async () => {
    const error = await get(`http://127.0.0.1:${port}/`, { allowLoopback: true, maxReplyBytes: 1999 });
    expect(error).toMatchObject({ code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
  });
});
