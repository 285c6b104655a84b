import type { Integrity } from './store.ts';

/** A package that a lockfile names, and where the registry has it. */
export interface Wanted {
  /** With its version, for people. */
  name: string;
  /** Path of the lockfile. */
  lock: string;
  url: string;
  integrity: Integrity;
  /** Below `/input` in the sandbox where it is installed. */
  place: string;
  /** The installation goes on without it. */
  isOptional: boolean;
}

export interface TextFile {
  path: string;
  text: string;
}

/** A project as a thread is given it. */
export interface ProjectTexts {
  tool: 'npm' | 'pip';
  directory: string;
  locks: TextFile[];
  manifests: TextFile[];
}
