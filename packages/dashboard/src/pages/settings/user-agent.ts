const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;
const systems = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;

const named = (rows: readonly (readonly [RegExp, string])[], text: string) =>
  rows.find(([pattern]) => pattern.test(text))?.[1];

/** `Chrome on Linux`, as far as a program says what it is; else the first words that it says. */
export function programName(userAgent: string | null): string {
  if (!userAgent) return 'A program that does not say its name';
  const [browser, system] = [named(browsers, userAgent), named(systems, userAgent)];
  if (browser) return system ? `${browser} on ${system}` : browser;
  return userAgent.slice(0, 60);
}
