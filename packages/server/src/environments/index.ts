export { createEnvironments, type EnvironmentStart, type Environments } from './environments.ts';
export { type Tool, toolsIn, toolsOfProjects, versionCommands } from './ordinary-tools.ts';
