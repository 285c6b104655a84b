// The districts declare the SQL functions that live beside their callers when they are loaded.
import './registry/index.ts';
import './vault/index.ts';
import './tasks/index.ts';
import './webhooks/index.ts';

export { schemaFunctions, schemaOfFunctions } from './platform/index.ts';
