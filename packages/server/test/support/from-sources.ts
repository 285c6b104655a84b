/** Options with which Node runs a program of this project from its sources. */
export const fromSources = [
  '--experimental-strip-types',
  '--disable-warning=ExperimentalWarning',
  '--conditions=agora-source',
];
