import type { languages } from './languages.ts';

export type Language = keyof typeof languages;

/** Endings of file names, and other names of languages. */
const endings: Record<Language, string> = {
  bash: 'sh bash zsh shell',
  c: 'c h',
  cpp: 'cc cpp cxx hpp hh',
  csharp: 'cs',
  css: 'css',
  diff: 'diff patch',
  dockerfile: 'dockerfile containerfile',
  elixir: 'ex exs',
  go: 'go golang',
  graphql: 'graphql gql',
  haskell: 'hs',
  ini: 'ini toml cfg conf properties',
  java: 'java',
  javascript: 'js jsx mjs cjs',
  json: 'json jsonc json5 webmanifest map',
  kotlin: 'kt kts',
  less: 'less',
  lua: 'lua',
  makefile: 'makefile mk make',
  markdown: 'md mdx',
  perl: 'pl pm',
  php: 'php',
  powershell: 'ps1 psm1',
  protobuf: 'proto',
  python: 'py pyi',
  r: 'r',
  ruby: 'rb rake gemspec gemfile rakefile',
  rust: 'rs',
  scala: 'scala',
  scss: 'scss',
  sql: 'sql',
  swift: 'swift',
  typescript: 'ts tsx mts cts',
  xml: 'xml html htm xhtml svg vue svelte plist',
  yaml: 'yaml yml',
};

const byEnding = new Map(
  Object.entries(endings).flatMap(([language, all]) =>
    [language, ...all.split(' ')].map((ending) => [ending, language as Language] as const),
  ),
);

/** By the name that a block of code is given, or the ending of a file. */
export const languageNamed = (name: string): Language | null => byEnding.get(name.toLowerCase()) ?? null;

/** `src/a.ts`, `Dockerfile`, `Makefile`. */
export const languageOf = (path: string): Language | null =>
  languageNamed(path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('.')) + 1));
