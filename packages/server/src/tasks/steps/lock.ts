import { defineFunction, ledgerLockShared, sqlFile } from '../../platform/index.ts';

defineFunction('steps_lock', sqlFile(import.meta.url, 'lock.sql', { shared: ledgerLockShared }));

/** The statement with which the writer locks the rows of a batch. */
export const stepsLock = 'select steps_lock($1::uuid[], $2::boolean[], $3::uuid[], $4::uuid[])';
