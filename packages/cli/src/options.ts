import { Option } from 'commander';

/** Options that several commands have, each declared here alone. */
export const jsonOption = () => new Option('--json', 'print one JSON document, and errors as JSON on stderr');
export const reasonOption = (forWhom: string) =>
  new Option('--reason <text>', `why, for ${forWhom}`).makeOptionMandatory();
export const byOption = () =>
  new Option('--by <name>', 'who does it, for the audit trail; default: the user of the machine');
export const urlOption = () =>
  new Option('--url <address>', 'the server; default: AGORA_URL, the profile, http://127.0.0.1:4000');
export const profileOption = () =>
  new Option('--profile <name>', 'a profile of `agora profiles`; default: the one in use');

/** As commander hands them to a command. */
export interface JsonOption {
  json?: boolean;
}
export interface ServerOptions extends JsonOption {
  url?: string;
  profile?: string;
}
