import { expect, test } from 'vitest';
import { placeOfRedis } from './redis-url.ts';

test.each([
  ['redis://db:6380/2', { mode: 'one', hosts: 'db:6380', isTls: false, url: 'redis://db:6380/2' }],
  ['rediss://:p%40ss@db', { mode: 'one', hosts: 'db', isTls: true, password: 'p@ss', url: 'rediss://:p%40ss@db' }],
  [
    'redis+sentinel://ann:hush@s1:1,s2,[::1]:3/main/4?sentinelPassword=x',
    {
      ...{ mode: 'sentinel', hosts: 's1:1, s2, [::1]:3', isTls: false, username: 'ann', password: 'hush' },
      nodes: [
        { host: 's1', port: 1 },
        { host: 's2', port: 26379 },
        { host: '::1', port: 3 },
      ],
      ...{ name: 'main', db: 4, sentinelPassword: 'x' },
    },
  ],
  [
    'rediss+cluster://:hush@c1,c2:7001/',
    {
      ...{ mode: 'cluster', hosts: 'c1, c2:7001', isTls: true, password: 'hush' },
      nodes: [
        { host: 'c1', port: 6379 },
        { host: 'c2', port: 7001 },
      ],
    },
  ],
])('%s says where Redis is', (url, place) => {
  expect(placeOfRedis(url)).toEqual(place);
});

test.each([
  'http://db:6379',
  'redis://',
  'redis://one,two',
  'redis+sentinel://s1,s2',
  'redis+sentinel://s1,/main',
  'redis+sentinel://s1:port/main',
  'redis+sentinel://s1/main/first',
  'redis+cluster://c1/1',
  'redis+other://c1',
])('%s does not', (url) => {
  expect(placeOfRedis(url)).toBeNull();
});
