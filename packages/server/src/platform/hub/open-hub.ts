import { systemClock } from '../clock.ts';
import type { Config } from '../config/config.ts';
import { encryption } from '../http/encryption.ts';
import type { Logger } from '../log.ts';
import { natsWire } from './nats-wire.ts';
import { postgresWire } from './postgres-wire.ts';
import { createSharedHub, type SharedHub } from './shared-hub.ts';

interface Settings {
  config: Pick<Config, 'NATS_URL' | 'AGORA_ENCRYPTION_KEY' | 'AGORA_DATA_DIR'>;
  databaseUrl: string;
  log: Logger;
}

/** The hub of the settings: wake-ups go through NATS where it is named, else through the database. */
export function openHub({ config, databaseUrl, log }: Settings): SharedHub {
  const { NATS_URL } = config;
  if (NATS_URL === undefined) return createSharedHub(postgresWire(databaseUrl), log, systemClock);
  // A name that only the servers of this installation know: others may use the same NATS.
  const subject = `agora.${encryption(config).digest('hub').toString('hex').slice(0, 32)}`;
  return createSharedHub(natsWire(NATS_URL, subject), log, systemClock);
}
