import { simulate } from './run.ts';

/**
 * All that moves money, as chance will have it: owners, agents, an operator, sweeps, a processor that fails, repeats
 * itself, pays twice, sends refunds back and tells late, and processes that die between any two writes. After every step
 * the books are audited. A failure names its seed and step: SIMULATION_SEED=<seed> SIMULATION_STEPS=<step> leads there
 * again. SIMULATION_SEEDS=<number> sets the number of seeds.
 */
export async function simulateSeeds(usual: {
  seeds: number;
  steps: number;
}): Promise<{ counts: Map<string, number>; isWhole: boolean }> {
  const { SIMULATION_SEED: given, SIMULATION_STEPS = usual.steps, SIMULATION_SEEDS } = process.env;
  const steps = Number(SIMULATION_STEPS);
  const seeds = Number(SIMULATION_SEEDS ?? (given === undefined ? usual.seeds : 1));
  const counts = await simulate({ firstSeed: Number(given ?? 1), seeds, steps });
  const lines = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, times]) => `${what.padEnd(56)} ${times}`);
  console.log(`${seeds} simulation seeds of ${steps} steps pass\n${lines.join('\n')}`);
  return { counts, isWhole: seeds >= 50 && steps >= 2_000 };
}
