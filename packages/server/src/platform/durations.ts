/** Milliseconds of the usual spans of time. */
export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** A pause that is up to a tenth shorter or longer, so that retries spread out. `random` is from 0 up to 1. */
export const jittered = (ms: number, random: number): number => Math.round(ms * (0.9 + 0.2 * random));
