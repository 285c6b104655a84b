import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientsOf, createInstallation, type Installation } from '../chaos/server-process.ts';
import { makeOwner } from '../support/harness.ts';
import { lockOf, pathOf, type TestPackage, tarball } from '../support/npm-registry.ts';
import { type PackageRegistry, startPackageRegistry } from '../support/package-registry.ts';
import { hire, makePair } from './scene.ts';

/**
 * A private registry that sends on to where it stores its packages, as those of clouds do. That takes https, so the server is
 * a process of its own, which trusts this certificate.
 */

const ours: TestPackage = { name: '@acme/ours', version: '3.0.0', files: { 'index.js': 'exports.word = 7;' } };
const token = 'npm_secret';
const home = mkdtempSync(join(tmpdir(), 'agora-redirects-'));
const [key, certificate] = [join(home, 'key.pem'), join(home, 'certificate.pem')];
execFileSync(
  'openssl',
  ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'].concat([
    '-subj',
    '/CN=storage',
    '-addext',
    'subjectAltName=IP:127.0.0.1',
    '-keyout',
    key,
    '-out',
    certificate,
  ]),
  { stdio: 'ignore' },
);

/** What the place of storage was sent. */
const sent: { url: string; headers: IncomingHttpHeaders }[] = [];
const storage = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, ({ url, headers }, reply) => {
  sent.push({ url: url as string, headers });
  reply.end(tarball(ours));
});
let registry: PackageRegistry;
let server: Installation;

beforeAll(async () => {
  await new Promise<void>((resolve) => storage.listen(0, '127.0.0.1', resolve));
  registry = await startPackageRegistry(new Map(), `Bearer ${token}`);
  server = await createInstallation({
    ...{ NODE_EXTRA_CA_CERTS: certificate, OUTBOUND_ALLOW_LOOPBACK: 'true', SANDBOX_WARM: '0' },
    DEPENDENCY_REGISTRIES: 'npm=http://127.0.0.1:9',
  });
  await server.start();
});
afterAll(async () => {
  await server?.remove();
  await registry?.close();
  storage.closeAllConnections();
  await new Promise((resolve) => storage.close(resolve));
  rmSync(home, { recursive: true });
});

test('an owner’s registry that sends on has its packages taken from there, without its token', async () => {
  const location = `https://127.0.0.1:${(storage.address() as AddressInfo).port}/stored?signature=x`;
  registry.answers.set(pathOf(ours), (_, response) => void response.writeHead(302, { location }).end());
  const pair = await makePair({ owner: ({ credits = 0 } = {}) => makeOwner(clientsOf(server), credits) });
  await pair.buyer.agora.packageRegistries.set({ kind: 'npm', url: registry.url, token });
  const root = { name: 'shop', version: '1.0.0' };
  const files = {
    'package.json': JSON.stringify({ ...root, dependencies: { '@acme/ours': '3.0.0' } }),
    'package-lock.json': lockOf(root, [ours], (each) => ({ ...each, resolved: `${registry.url}${pathOf(ours)}` })),
  };
  const { id } = await hire(pair, { input: { description: 'Say the word.', files } });
  const { sandbox, tasks } = pair.agent.agora;
  await tasks.start(id, { sandboxId: (await sandbox.provision(id)).data.sandboxId });
  expect((await sandbox.get(id)).data.packages).toEqual({ installed: ['node_modules'], lacking: [] });
  const { data } = await sandbox.exec(id, { command: `node -p "require('@acme/ours').word"` });
  expect(data.stdout).toBe('7\n');
  expect(registry.asked).toEqual([pathOf(ours)]);
  expect(sent.map(({ url }) => url)).toEqual(['/stored?signature=x']);
  expect(sent[0]?.headers.authorization).toBeUndefined();
  expect(JSON.stringify(sent)).not.toContain(token);
});
