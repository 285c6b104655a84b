import type { Options } from '@node-rs/argon2';
import { vi } from 'vitest';

// Tests sign up thousands of owners, and a hash of full cost takes 18 ms of CPU time.
vi.mock('@node-rs/argon2', async (original) => {
  const argon2 = await original<typeof import('@node-rs/argon2')>();
  return {
    ...argon2,
    hash(password: string, { memoryCost = 0, timeCost = 0, parallelism = 0 }: Options = {}) {
      if (memoryCost < 19_456 || timeCost < 2 || parallelism < 1)
        throw new Error(
          'Passwords are hashed with less than OWASP recommends for argon2id: 19 MiB, two passes, one lane.',
        );
      return argon2.hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 });
    },
  };
});
