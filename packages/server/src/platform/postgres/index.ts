export { checkDatabase } from './check.ts';
export { startEmbeddedPostgres } from './embedded.ts';
export { migrate, migrationsDirectory, type SchemaFunction } from './migrate.ts';
