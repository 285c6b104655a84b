/**
 * A line for the shell of somebody else. The packages are in no registry yet, and whoever takes the name there first would
 * be run by a plain `npx` where Agora is not installed: `--no` has it install nothing.
 */
export const command = (args: string): string => `npx --no agora-market ${args}`;

/** Where such a line works, beside it. */
export const whereCommandsWork =
  'Run it where Agora is installed: in a clone, or where you installed the packages that npm run release writes there.';
