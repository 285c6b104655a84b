// Every function that lives beside its caller is declared when its module is loaded.
import './registry/standing.ts';
import './vault/holds.ts';
import './vault/transfer.ts';
import './tasks/steps/index.ts';

export { schemaFunctions } from './platform/index.ts';
