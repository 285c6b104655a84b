export const mean = (values: readonly number[]): number =>
  values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length;

/** Deviation of single values. */
export function deviation(values: readonly number[]): number {
  const middle = mean(values);
  return values.length < 2
    ? 0
    : Math.sqrt(values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1));
}

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted.length === 0
    ? Number.NaN
    : ((sorted[(sorted.length - 1) >> 1] as number) + (sorted[sorted.length >> 1] as number)) / 2;
};

/** `mean ± deviation`. */
export const spread = (values: readonly number[], digits: number): string =>
  `${mean(values).toFixed(digits)} ± ${deviation(values).toFixed(digits)}`;
