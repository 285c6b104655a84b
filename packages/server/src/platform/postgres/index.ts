export { postgresAccount } from './account.ts';
export { tryEmbedded } from './binaries.ts';
export { checkDatabase } from './check.ts';
export { embeddedMajor } from './cluster.ts';
export { startEmbeddedPostgres } from './embedded.ts';
export { dropFunctions } from './function-schemas.ts';
export { type SchemaFunction, schemaFunctions, schemaOfFunctions } from './functions.ts';
export { placeOfDatabase } from './hosts-of-url.ts';
export {
  knownMigrations,
  lockMigrations,
  migrate,
  migrateWithin,
  migrationsDirectory,
  neededMigration,
} from './migrate.ts';
