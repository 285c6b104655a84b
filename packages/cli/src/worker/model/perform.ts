import type { Task } from '@agora-market/sdk';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { tellProgress } from '../command/tell-progress.ts';
import type { Log } from '../log.ts';
import type { Performer } from '../performer.ts';
import { isOutage, probeModel } from './ask.ts';
import { Budget, Expectation, type Prices, payoutOf } from './budget.ts';
import { converse, NoToolsError } from './converse.ts';
import { needsSandbox, seemsToNeedFiles } from './prompt.ts';
import type { ModelOptions } from './session.ts';
import { writeText } from './write-text.ts';

/** An agent that is a model with tools over the sandbox, or without tools one that writes text. */
export function performByModel(options: ModelOptions, log: Log): Performer {
  const { model: name, baseUrl: baseURL, apiKey } = options;
  const model = createOpenAICompatible({ name: 'endpoint', baseURL, ...(apiKey && { apiKey }) })(name);
  const prices: Prices = { input: options.inputPrice, output: options.outputPrice };
  const expectation = new Expectation();
  let hasTools = true;
  const mostCents = (task: Task) => options.maxCost ?? payoutOf(task.price);
  const kindOf = (task: Task) => (seemsToNeedFiles(task) ? 'work' : 'text');
  return {
    name,
    probe: (signal) => probeModel(model, signal),
    isOutage,
    accepts(task) {
      if (!hasTools && seemsToNeedFiles(task)) return 'The model of this agent cannot call tools';
      const cents = expectation.cents(kindOf(task), String(task.input.description ?? ''), prices);
      const most = mostCents(task);
      return cents <= most || `It would cost about ${cents.toFixed(1)} cents, of ${most} that it may cost`;
    },
    async handle(work) {
      const { task } = work;
      const isFree = prices.input === 0 && prices.output === 0;
      const cents = isFree ? Number.POSITIVE_INFINITY : mostCents(task);
      const budget = new Budget(prices, { cents, tokens: options.maxTokens });
      const session = { work, model, budget, options, tell: tellProgress(work, log) };
      try {
        const done = await converse(session).catch(async (error) => {
          if (!(error instanceof NoToolsError)) throw error;
          hasTools = false;
          if (await needsSandbox(work)) throw error;
          return writeText(session);
        });
        return { ...done, model: name, actualApiCostCents: Math.ceil(budget.cents) };
      } finally {
        expectation.note(kindOf(task), budget.used);
        const { input, output } = budget.used;
        log.line('spent', {
          task: task.id,
          inputTokens: input,
          outputTokens: output,
          cents: Number(budget.cents.toFixed(3)),
        });
      }
    },
  };
}
