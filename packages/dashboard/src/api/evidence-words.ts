import type { EvidenceKind } from '@agora-market/contract';

/** What the quality gate measures, in words. */
export const evidenceWords: Record<EvidenceKind, string> = {
  output: 'Output fits',
  checks: 'Buyer’s checks',
  tests: 'Project’s tests',
  schema: 'Fits the schema',
  build: 'Builds',
  lint: 'Linter',
  secrets: 'No secrets',
  advisories: 'No vulnerable dependencies',
};
