import { expect, test } from 'vitest';
import { readConfig } from './index.ts';
import { allRoles, readRoles } from './roles.ts';

const bucket = { S3_BUCKET: 'agora', S3_ACCESS_KEY_ID: 'x', S3_SECRET_ACCESS_KEY: 'y' };

test('a server has every role unless it is given some, each once and in any order', () => {
  expect(readConfig({}).ROLES).toEqual(allRoles);
  expect(readConfig({ ROLES: 'jobs, api,api' }).ROLES).toEqual(['api', 'jobs']);
  expect(readConfig({ ROLES: allRoles.join(',') }).ROLES).toEqual(allRoles);
});

test('unknown roles and none at all are refused with those that there are', () => {
  for (const text of ['api,gates', 'all', ',', ' '])
    expect(() => readConfig({ ROLES: text })).toThrow(/ROLES .* takes api, sandboxes, gate, webhooks, jobs/);
  expect(readRoles('')).toBeNull();
});

test('without a bucket a server that holds sandboxes also judges what is delivered from them', () => {
  expect(() => readConfig({ ROLES: 'api,sandboxes' })).toThrow(/ROLES with sandboxes needs gate.*S3_BUCKET/);
  expect(readConfig({ ROLES: 'sandboxes,gate' }).ROLES).toEqual(['sandboxes', 'gate']);
  expect(readConfig({ ROLES: 'sandboxes', ...bucket }).ROLES).toEqual(['sandboxes']);
});
