export { withArguments } from './arguments.ts';
export { type Secrets, secretOf } from './credentials.ts';
export { mcpExchange } from './http.ts';
export { createMcpServer, type McpOptions } from './server.ts';
export { serveMcpOnStdio } from './stdio.ts';
