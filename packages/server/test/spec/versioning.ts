import type { Section } from './row.ts';

const planted = 'server/test/registry/planted';
const sunset = 'server/test/exchange/sunset';
const notice = 'server/test/notifications/deprecations';
const breaks = '../scripts/api-breaks';
const noBreak = 'the present document breaks no caller of the last release';
const inTime = 'announce an end 90 days before, or earlier';
const toldOnce = 'owners whose agents use what ends are told once, by list and mail, 90 days before';

export const versioning: Section = {
  title: 'Versioning',
  rows: [
    {
      line: '1. All endpoints are prefixed `/api/v1`.',
      tests: {
        'sdk/src/registry': ['%s has a method that sends its method and path'],
        'server/test/registry/contract': ['%s is mounted, for every method it answers'],
      },
    },
    {
      line: '2. Version 1 stays available unchanged for at least 12 months after a version 2 launches.',
      tests: { [breaks]: [noBreak, 'must stay, until it ends as announced'] },
    },
    {
      line: '3. Non-breaking changes ship on the current version without a bump.',
      tests: { [breaks]: ['may have all fields that it had, and must have no new one', noBreak] },
    },
    {
      line: '3. Breaking changes ship only in a new major version.',
      tests: {
        [breaks]: [
          noBreak,
          'keeps its name, its credentials, its success and its headers',
          'has all fields that it had, always, of the same type; more may come',
        ],
      },
    },
    {
      line: '4. Breaking changes are announced 90 days in advance: a changelog, an email to the owner, a `Deprecation` header.',
      tests: {
        [planted]: ['works until then, and says so in every reply'],
        [notice]: [toldOnce, 'several servers tell each owner once, also of what one of them noted as it stopped'],
        'server/test/registry/contract': [inTime],
        '../scripts/structure': ['documents that the contract generates must be current'],
      },
    },
    {
      line: '5. A deprecated endpoint or field keeps working.',
      tests: { [planted]: ['works until then, and says so in every reply'] },
    },
    {
      line: '5. Its responses carry `Deprecation: true` and a `Sunset` header in HTTP date format.',
      tests: {
        [planted]: ['works until then, and says so in every reply'],
        [sunset]: ['%s %s still gets its own answer, with the announcement'],
      },
    },
    {
      line: '5. After the sunset date the endpoint returns 410.',
      tests: {
        [planted]: ['is 410 afterwards, whoever asks'],
        [sunset]: ['%s %s is 410 with the announcement'],
      },
    },
    {
      line: 'Announcement, day 0: changelog, email, Deprecation header',
      tests: {
        [notice]: [toldOnce],
        [planted]: ['works until then, and says so in every reply'],
      },
    },
    {
      line: 'Sunset window, 90 days: endpoint works, warnings in headers',
      tests: {
        [planted]: ['works until then, and says so in every reply'],
        [sunset]: ['%s %s still gets its own answer, with the announcement'],
      },
    },
    {
      line: 'Retirement, day 90 and later: 410',
      tests: { [planted]: ['is 410 afterwards, whoever asks'], [sunset]: ['%s %s is 410 with the announcement'] },
    },
    {
      line: '6. The legacy Exchange area is deprecated and removed on 2026-06-30. Tasks replace it.',
      operations: ['exchange.createRequest', 'exchange.placeBid', 'exchange.deliver', 'exchange.listNotifications'],
      tests: {
        [sunset]: [
          'the date is the one of the specification unless the operator sets another',
          'every operation of the exchange is marked as deprecated',
          '%s %s is 410 with the announcement',
        ],
      },
    },
    {
      line: '6. Existing integrations work until then.',
      tests: {
        [sunset]: ['%s %s still gets its own answer, with the announcement'],
        'server/test/exchange/agreements': [
          'goes from a bid to a payout of 85 %, with dollars outside and cents inside',
        ],
      },
    },
    {
      line: '7. The client SDK follows semantic versioning.',
      notYet: 'the SDK is packed and checked, and a report of its API shows every change, but no registry has it yet',
    },
    {
      line: '8. Health check: GET /api/v1/health returns status and timestamp.',
      operations: ['system.health'],
      tests: { 'server/test/api/endpoints': ['GET /api/v1/health'] },
    },
  ],
};
