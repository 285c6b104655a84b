/** What the door and the server agree on. The door runs alone in its image, so it imports nothing but this and Node. */

/**
 * TLS with a key that only this Pod's door and the server process that made the Pod have. Neither has a certificate, so no
 * clock matters, and nothing has to be stored or renewed. Node takes such keys up to TLS 1.2.
 */
export const DOOR_TLS = {
  minVersion: 'TLSv1.2',
  maxVersion: 'TLSv1.2',
  ciphers: 'ECDHE-PSK-CHACHA20-POLY1305',
} as const;

export const DOOR_PORT = 8443;
export const DOOR_VARIABLES = { key: 'AGORA_DOOR_KEY', patienceMs: 'AGORA_DOOR_PATIENCE_MS' } as const;

/** The socket at which the sandbox agent calls; it has no file, and only the network of the Pod knows it. */
export const INNER_DOOR = 'agora/door';

/** In the image of the door: its program, and what is laid into a sandbox. */
export const DOOR_HOME = '/opt/agora';
/** The sandbox agent, as an unconfined one of the door's own. */
export const LAYER = [`${DOOR_HOME}/lay/agent`, 'agora-input', '0', '0', '0'] as const;

/** Whom a connection is for: the sandbox agent, of which there is one ever, or one that lays inputs. */
export type DoorGuest = 'sandbox' | 'input';

/** After so long without a sign of life, a connection whose other end does not answer any more is given up. */
export const KEEP_ALIVE_MS = 10_000;
