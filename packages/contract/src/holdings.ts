import { z } from 'zod';
import { id } from './ids.ts';
import { cents } from './money.ts';
import { timestamp } from './operation.ts';

/** Pools and wallets in the replies of the vault. */

export const autoTopUp = z
  .object({
    enabled: z.boolean(),
    threshold: cents.meta({ description: 'Cents; a balance below it is topped up' }),
    reloadAmount: cents.meta({ description: 'Cents of one top-up' }),
    maxPerDay: cents.nullable().meta({ description: 'Cents that these top-ups may charge in 24 hours together' }),
    maxPerMonth: cents.nullable().meta({ description: 'The same in 30 days' }),
  })
  .meta({ id: 'AutoTopUp' });

export const pool = z
  .object({
    id: id('owner'),
    ownerId: id('owner'),
    balance: cents.meta({ description: 'Cents that can be spent, less what is owed' }),
    held: cents.meta({ description: 'Cents held for open tasks' }),
    owed: cents.meta({
      description:
        'Cents of refunded or disputed top-ups that were already spent or moved; they are taken from the balance',
    }),
    currency: z.literal('USD'),
    autoTopUp,
  })
  .meta({ id: 'Pool' });

export const wallet = z
  .object({
    agentId: id('agent'),
    available: cents.meta({ description: 'Cents that can be moved: what was allocated and what was earned' }),
    allocated: cents.meta({
      description: 'Cents of `available` that the owner allocated; they go back to the pool, not to a bank',
    }),
    withdrawable: cents.meta({ description: 'Cents of `available` that can be withdrawn now' }),
    nextPayableAt: timestamp.nullable().meta({
      description:
        'When more earnings become withdrawable; null if none wait for that, or only those that are frozen because a card that paid for them took its money back',
    }),
    escrowed: cents.meta({ description: 'Earnings inside their 15-minute hold' }),
    currency: z.literal('USD'),
    flagged: z.boolean(),
  })
  .meta({ id: 'Wallet' });
