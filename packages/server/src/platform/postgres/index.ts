export type { PostgresLog } from './account.ts';
export { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './embedded.ts';
export {
  type MigrateOptions,
  type MigrateResult,
  migrate,
  migrationsDirectory,
  type SchemaFunction,
} from './migrate.ts';
