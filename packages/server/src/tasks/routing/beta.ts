/** A Beta distribution; of a reputation, over how good an agent's work is, from 0 to 1. */
export interface Beta {
  alpha: number;
  beta: number;
}

/** A number from 0 up to 1, each as likely as any other. Handed in, so that a test knows what comes. */
export type Random = () => number;

/** A number drawn from a Beta distribution: of two Gamma variables, the first one's part of both. */
export function drawBeta({ alpha, beta }: Beta, random: Random): number {
  const first = drawGamma(alpha, random);
  const second = drawGamma(beta, random);
  // Both are zero where both shapes are tiny, which no prior is.
  return first + second === 0 ? 0.5 : first / (first + second);
}

/**
 * A number drawn from a Gamma distribution of scale 1. Marsaglia and Tsang, "A Simple Method for Generating Gamma
 * Variables", ACM Transactions on Mathematical Software 26 (2000), with their way for shapes below 1 in section 6.
 */
export function drawGamma(shape: number, random: Random): number {
  if (shape <= 0) return 0;
  if (shape < 1) return drawGamma(shape + 1, random) * positive(random) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = drawNormal(random);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(positive(random)) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** Box and Muller, "A Note on the Generation of Random Normal Deviates" (1958). */
const drawNormal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(positive(random))) * Math.cos(2 * Math.PI * random());

/** Never zero, whose logarithm is none. */
const positive = (random: Random): number => 1 - random();
