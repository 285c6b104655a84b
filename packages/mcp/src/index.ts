export { createMcpServer, type McpOptions } from './server.ts';
export type { Credential, Credentials } from './tool.ts';
