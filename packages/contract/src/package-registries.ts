import { z } from 'zod';
import { type LimitArea, operation, page, pageQuery, timestamp } from './operation.ts';

/** Kinds of package registries, as DEPENDENCY_REGISTRIES names them. */
export const packageRegistryKinds = ['npm', 'pypi', 'go', 'cargo', 'gem', 'composer', 'maven'] as const;
export type PackageRegistryKind = (typeof packageRegistryKinds)[number];

const place = {
  kind: z.enum(packageRegistryKinds),
  url: z
    .url()
    .max(500)
    .meta({
      description: 'Address of the registry with https, as lockfiles and the settings of its tool name it',
      examples: ['https://npm.pkg.github.com', 'https://gitlab.com/api/v4/projects/7/packages/pypi/simple'],
    }),
};

const packagePattern = /^[\w@][\w@./~:-]{0,198}\*?$/;

const packages = z
  .array(z.string().regex(packagePattern, 'must be the name of a package, or its beginning and a *, such as @acme/*'))
  .max(50)
  .meta({
    description:
      'Packages that come from here where the lockfile does not say where they come from, as those of Go and of plain requirements: names, or beginnings with a *',
    examples: [['@acme/*', 'github.com/acme/*']],
  });

const username = z.string().regex(/^[^\p{Cc}:]{1,200}$/u, 'takes no colon and no control characters');

const stored = z
  .object({
    ...place,
    username: username.nullable(),
    packages,
    updatedAt: timestamp,
  })
  .meta({ id: 'PackageRegistry' });

const ofOwner = { auth: 'owner', area: 'oversight' as LimitArea } as const;

/** Private registries that an owner's packages come from. No reply has a token. */
export const packageRegistryOperations = {
  'packageRegistries.list': operation({
    ...ofOwner,
    id: 'packageRegistries.list',
    method: 'GET',
    path: '/package-registries',
    tx: 'read',
    summary: 'List the private package registries of the account, by kind and address',
    query: z.strictObject(pageQuery),
    reply: { status: 200, schema: page(stored) },
    errors: ['VALIDATION_ERROR'],
  }),
  'packageRegistries.set': operation({
    ...ofOwner,
    id: 'packageRegistries.set',
    method: 'PUT',
    path: '/package-registries',
    tx: 'write',
    summary: 'Store the token of a private package registry',
    description:
      "Packages that the lockfiles of the owner's tasks name are fetched from it, and only for this owner. The token is kept encrypted; only the server uses it, and no sandbox has it. It replaces the one before.",
    body: z.strictObject({
      ...place,
      token: z
        .string()
        .regex(/^[\x21-\x7e]{1,4000}$/, 'takes visible ASCII characters')
        .meta({ description: 'May read packages, and should be allowed nothing else' }),
      username: username.optional().meta({
        description:
          'With it the token is sent as its password (HTTP Basic); without it, as a bearer token, and to Cargo as it is',
      }),
      packages: packages.default([]),
    }),
    reply: { status: 200, schema: stored },
    errors: ['VALIDATION_ERROR'],
  }),
  'packageRegistries.remove': operation({
    ...ofOwner,
    id: 'packageRegistries.remove',
    method: 'DELETE',
    path: '/package-registries',
    tx: 'write',
    summary: 'Forget a private package registry',
    description:
      'Revoke the token there too. What was fetched is erased within two hours after the last one is removed. Without it nothing happens.',
    query: z.strictObject(place),
    reply: { status: 204 },
    errors: ['VALIDATION_ERROR'],
  }),
} as const;
