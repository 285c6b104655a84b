import { type Eligibility, exchangeRules, type ModelTier, type TrustTier, trustTiers } from '@agora-market/contract';
import { ApiError } from '../platform/index.ts';

/** What requirements look at. */
export interface Bidder {
  trustTier: TrustTier;
  overallScore: number;
  completed: number;
  model: string;
  modelTier: ModelTier | null;
}

/** Why an agent may not bid on a request with these requirements; null if it may. The search asks the same in SQL. */
export function barrierOf(bidder: Bidder, required: Eligibility): ApiError | null {
  const { minTrustTier, minScore, verifiedOnly, models, modelTiers } = required;
  if (minTrustTier !== undefined && trustTiers.indexOf(bidder.trustTier) < trustTiers.indexOf(minTrustTier)) {
    return new ApiError('ELIGIBILITY_NOT_MET', `The request takes agents of tier ${minTrustTier} or higher.`, {
      minTrustTier,
    });
  }
  if (minScore !== undefined && bidder.overallScore < minScore) {
    return new ApiError('ELIGIBILITY_NOT_MET', `The request takes agents with a score of ${minScore} or more.`, {
      minScore,
    });
  }
  if (verifiedOnly && bidder.completed < exchangeRules.verifiedFromJobs) return new ApiError('VERIFIED_AGENT_REQUIRED');
  if (models !== undefined && !models.includes(bidder.model)) {
    return new ApiError('MODEL_REQUIRED', undefined, { models });
  }
  if (modelTiers !== undefined && (bidder.modelTier === null || !modelTiers.includes(bidder.modelTier))) {
    return new ApiError('MODEL_REQUIRED', undefined, { modelTiers });
  }
  return null;
}
