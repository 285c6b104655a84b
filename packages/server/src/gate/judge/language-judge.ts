import type { JudgeOpinion } from '@agora-market/contract';
import { type Clock, type Logger, pause, type Queryable } from '../../platform/index.ts';
import { GateUnavailable } from '../errors.ts';
import { opening } from '../evidence/excerpt.ts';
import { type Allowance, createAllowance } from './allowance.ts';
import { createBreaker } from './breaker.ts';
import { type Brief, type Matter, writeBrief } from './brief.ts';
import { type Answer, ask, type Endpoint, maxAnswerTokens, type Tokens } from './endpoint.ts';

/** Gives an opinion on deliveries that the rules alone leave open. */
export interface LanguageJudge {
  /**
   * Never rejects for a reason of the endpoint's: where there is no opinion, the status says why and the score is null.
   * Rejects with `GateUnavailable` when the server stops or its own records cannot be read: the gate runs again. The
   * tokens count for the owner whose task it is.
   */
  opinionOn(matter: Matter, ownerId: string): Promise<JudgeOpinion>;
}

export interface LanguageJudgeOptions {
  endpoint: Endpoint;
  maxChars: number;
  maxTokensADay: number;
  /** Of these, for tasks of one owner. */
  ownerPercent: number;
  callMs: number;
  totalMs: number;
  clock: Clock;
  log: Logger;
  stopping: AbortSignal;
  /** Where the tokens of a day are counted. */
  db: Queryable;
  /** The first pause before another try; each further one is three times as long. */
  backoffMs?: number;
}

const maxTries = 3;
const atOnce = 8;
const reasonsChars = 2000;
/** Rather too many: most languages and models have three to four characters in a token. */
const charsPerToken = 3;

const stands = 'The deterministic verdict stands.';

interface Turns {
  /** Resolves with whether a turn came within the time; each that came is given back. */
  take(withinMs: number): Promise<boolean>;
  giveBack(): void;
}

function createTurns(total: number, clock: Clock): Turns {
  let free = total;
  const waiting = new Set<() => void>();
  return {
    async take(withinMs) {
      if (free > 0) {
        free -= 1;
        return true;
      }
      return new Promise((resolve) => {
        const admit = () => {
          cancel();
          resolve(true);
        };
        const cancel = clock.after(withinMs, () => {
          waiting.delete(admit);
          resolve(false);
        });
        waiting.add(admit);
      });
    },
    giveBack() {
      const [next] = waiting;
      if (next === undefined) free += 1;
      else {
        waiting.delete(next);
        next();
      }
    },
  };
}

export function createLanguageJudge(options: LanguageJudgeOptions): LanguageJudge {
  const { endpoint, clock, log, totalMs, stopping, db, backoffMs = 500 } = options;
  const breaker = createBreaker();
  const allowance: Allowance = createAllowance({
    perDay: options.maxTokensADay,
    ownerPercent: options.ownerPercent,
    db,
    clock,
    log,
  });
  const turns = createTurns(atOnce, clock);

  const nowMs = () => clock.now().getTime();

  const none = (status: JudgeOpinion['status'], why: string, tokens: Tokens | null = null): JudgeOpinion => {
    return { status, model: endpoint.model, score: null, reasons: `No opinion: ${why}. ${stands}`, tokens };
  };

  /** Asks until there is an answer, the tries are used up or the time is. */
  async function persist(brief: Brief, deadlineMs: number): Promise<Answer> {
    const remaining = () => deadlineMs - nowMs();
    for (let tries = 1; ; tries += 1) {
      const timeoutMs = Math.min(options.callMs, remaining());
      const answer = await ask({ endpoint, brief, timeoutMs, clock, stopping });
      if (!('again' in answer) || !answer.again || tries === maxTries) return answer;
      const waitMs = answer.waitMs ?? backoffMs * 3 ** (tries - 1) * (0.75 + Math.random() / 2);
      // A wait that would use the time up would only end in a worse answer than the one at hand.
      if (waitMs >= remaining()) return answer;
      if (waitMs > 0) await pause(clock, waitMs, stopping);
    }
  }

  function note(answer: Answer): void {
    if ('again' in answer) {
      log.warn({ status: answer.status, why: answer.why }, 'the language-model judge gave no opinion');
      // A refusal of one delivery says nothing about the next.
      if (answer.isOfRequest) breaker.succeeded();
      else if (breaker.failed(nowMs())) log.warn('the language-model judge is left alone for a minute');
    } else breaker.succeeded();
  }

  async function asked(brief: Brief, ownerId: string, deadlineMs: number): Promise<JudgeOpinion> {
    const likely = Math.ceil((brief.system.length + brief.user.length) / charsPerToken);
    const settle = await allowance.reserve(ownerId, likely + maxAnswerTokens);
    if (settle === null)
      return none('over_budget', "the day's tokens for the judge, or this owner's part, are used up");
    if (!breaker.admits(nowMs())) {
      await settle(0);
      return none('paused', 'the judge failed several times in a row and is left alone for a while');
    }
    try {
      const answer = await persist(brief, deadlineMs);
      note(answer);
      if ('again' in answer) {
        // The cost of a call without an answer is unknown; one that timed out was probably paid for.
        await settle(answer.status === 'timed_out' ? likely : 0);
        return none(answer.status, answer.why);
      }
      await settle(answer.tokens === null ? likely : answer.tokens.input + answer.tokens.output);
      if (answer.status !== 'judged') return none(answer.status, answer.why, answer.tokens);
      const reasons = opening(answer.reasons, reasonsChars);
      return { status: 'judged', model: endpoint.model, score: answer.score, reasons, tokens: answer.tokens };
    } catch (error) {
      // As after a time-out.
      await settle(likely);
      breaker.abandoned();
      throw error;
    }
  }

  return {
    async opinionOn(matter, ownerId) {
      const deadlineMs = nowMs() + totalMs;
      const brief = writeBrief(matter, options.maxChars);
      if (!(await turns.take(totalMs))) return none('timed_out', 'its turn did not come in time');
      try {
        return await asked(brief, ownerId, deadlineMs);
      } catch (error) {
        throw new GateUnavailable('The judge could not be asked', error);
      } finally {
        turns.giveBack();
      }
    },
  };
}
