/** One line of figures in Prometheus' text format. */
export interface Sample {
  name: string;
  labels: string;
  value: number;
  help: string;
}

/** Reads Prometheus' text format. Lines that are no samples are left out. */
export function samplesOf(text: string): Sample[] {
  const help = new Map<string, string>();
  const samples: Sample[] = [];
  for (const line of text.split('\n')) {
    const about = /^# HELP (\S+) (.*)$/.exec(line);
    if (about) help.set(about[1]!, about[2]!);
    const sample = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (!sample) continue;
    const [, name = '', labels = '', value = ''] = sample;
    const family = name.replace(/_(bucket|sum|count)$/, '');
    samples.push({ name, labels, value: numberOf(value), help: help.get(name) ?? help.get(family) ?? '' });
  }
  return samples;
}

const numberOf = (text: string): number =>
  text === '+Inf' ? Number.POSITIVE_INFINITY : text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text);
