export { startEmbeddedPostgres } from './embedded.ts';
export { migrate, migrationsDirectory, type SchemaFunction } from './migrate.ts';
