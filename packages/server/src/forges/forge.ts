import type { IncomingHttpHeaders } from 'node:http';
import type { ForgeKind } from '@agora-market/contract';
import type { PullChanges } from '../tasks/index.ts';

/**
 * What the intake and pull requests need of a forge. How one forge answers stands in its folder: `github/`, `gitea/`,
 * `gitlab/`. What is asked, and when, stands in `intake/` and `pulls/` and is the same for all.
 */

/** Which forge; its address is empty for the one GitHub that the operator has chosen. */
export interface Place {
  forge: ForgeKind;
  baseUrl: string;
}

/** An owner's way to a forge. */
export interface Access {
  forge: ForgeKind;
  /** Where its pages and repositories are, without a slash at the end. */
  root: string;
  token: string;
  /** The account that speaks with this token. */
  login: string;
  /** The installation of the operator's GitHub App that the token is for; null for a token of the owner's own. */
  installation: number | null;
}

/** A webhook's message as it came. */
export interface Delivery {
  headers: IncomingHttpHeaders;
  rawBody: string;
}

/** An issue or a pull request; which of both, where a forge numbers them apart. */
export interface Spot {
  number: number;
  isPull: boolean;
}

/** Where something is said: at an issue or a pull request, at a line of one, or in a review of one. */
export type CommentKind = 'comment' | 'line' | 'review';

/** Where a webhook says that something is asked for. What is asked, and by whom, the forge is asked later. */
export interface Told {
  deliveryId: string;
  repository: string;
  spot: Spot;
  /** Null for a label. */
  comment: { id: number; kind: CommentKind } | null;
}

export interface Person {
  name: string;
  /** By which the forge is asked about it. */
  key: string;
}

export interface Remark {
  by: Person | null;
  body: string;
  /** The line of a file that it is about, in words. */
  place?: string;
}

/** The last time that a label was put on an issue. */
export interface Labelling {
  by: Person;
  /** Another one each time. */
  id: number;
}

export interface IssueAt {
  title: string;
  body: string;
  url: string;
  isOpen: boolean;
  isPull: boolean;
  labels: string[];
}

export interface PullAt {
  isOpen: boolean;
  branch: string;
  /** The branch is in the same repository, and in no fork of it. */
  isOwn: boolean;
}

export interface Branch {
  name: string;
  /** On top of which the changes come. */
  commit: string;
  message: string;
  /** When the commit was made; the same in each try. */
  at: Date;
  changes: PullChanges;
}

export interface NewPull {
  branch: string;
  base: string;
  title: string;
  body: string;
  isDraft: boolean;
  /** Otherwise no workflow runs for it, as far as its title has a say in that. */
  runChecks: boolean;
}

/** A line of a changed file, with what was found there. */
export interface Annotation {
  path: string;
  line: number;
  message: string;
}

export interface Verdict {
  /** Of the task: the same verdict is told once. */
  taskId: string;
  title: string;
  summary: string;
  url: string;
  annotations: Annotation[];
}

/** A repository as the connected account sees it. What is not there, or not any more, is null. */
export interface RepositoryAt {
  defaultBranch(): Promise<string>;
  /** Whether somebody may push to it. */
  mayWrite(person: Person): Promise<boolean>;
  issue(spot: Spot): Promise<IssueAt | null>;
  pull(number: number): Promise<PullAt | null>;
  comment(spot: Spot, comment: NonNullable<Told['comment']>): Promise<Remark | null>;
  /** Those since then, or the newest, oldest first, as far as anybody may read them who reads the issue. */
  comments(spot: Spot, since: Date | null): Promise<Remark[]>;
  /** Null where the forge does not say. */
  labelling(spot: Spot, label: string): Promise<Labelling | null>;
  file(path: string, ref: string): Promise<Buffer | null>;
  /** The files below a directory, by their paths from the root; more than so many are left out. */
  filesBelow(path: string, ref: string, most: number): Promise<string[] | null>;
  commitOf(branch: string): Promise<string | null>;
  say(spot: Spot, body: string): Promise<void>;
  /** Shows at a commit what the gate has found. */
  tellVerdict(commit: string, verdict: Verdict): Promise<void>;
  /** The URL of the pull request, open or not. */
  pullOf(branch: string, base: string): Promise<string | null>;
  /**
   * Makes a branch with one commit, and gives its id. One of the name stays as it is: null where it has another commit by
   * now, and nobody knows which was made.
   */
  makeBranch(branch: Branch): Promise<string | null>;
  /** Gives the URL. */
  openPull(pull: NewPull): Promise<string>;
}

export interface Listed {
  fullName: string;
  isPrivate: boolean;
  defaultBranch: string;
}

export interface Forge {
  /** Whose token it is. */
  loginOf(access: Omit<Access, 'login'>): Promise<string>;
  /** The repository by its full name as the forge writes it. */
  find(access: Access, repository: string): Promise<{ fullName: string; canWrite: boolean } | null>;
  list(access: Access, page: number, pageSize: number): Promise<{ found: Listed[]; hasNext: boolean }>;
  at(access: Access, repository: string, signal: AbortSignal): RepositoryAt;
  /** Whether the message comes from who knows the secret. */
  isSigned(secret: string, delivery: Delivery): boolean;
  /** Where the message says that something is asked for; null for all else. */
  read(delivery: Delivery): Told | null;
}

/** A line of a file in words. */
export const placeOfLine = (path: string, line: number | null | undefined): string =>
  line ? `${path}, line ${line}` : path;

/** The label that asks for a task. */
export const wantedLabel = 'agora';
/** How a comment begins that asks for something. */
export const command = '/agora';
