/** The keys of all advisory locks but those of owners, for their credentials and shares, which are hashes. */
export const advisoryKeys = { ledger: 4151, hosts: 4152, trees: 4153, migrations: 4_726_117 } as const;

/** The statement that takes such a lock to the end of its transaction. */
export const advisoryLock = (what: keyof typeof advisoryKeys) => `select pg_advisory_xact_lock(${advisoryKeys[what]})`;
