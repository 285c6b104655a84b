import type { Work } from '@agora-market/sdk/worker';
import type { LanguageModel } from 'ai';
import type { Budget } from './budget.ts';

export interface ModelOptions {
  model: string;
  baseUrl: string;
  apiKey: string | undefined;
  /** Cents per million tokens. */
  inputPrice: number;
  outputPrice: number;
  /** Cents of one task at most; otherwise what the task pays. */
  maxCost?: number;
  maxTokens: number;
  maxSteps: number;
  contextTokens: number;
}

/** One task as the model does it. */
export interface Session {
  work: Work;
  model: LanguageModel;
  budget: Budget;
  options: ModelOptions;
  tell: (line: string) => void;
}

/** What a task came to. */
export interface Done {
  result: unknown;
  turns: number;
  toolCallCount: number;
}
