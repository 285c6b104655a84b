import { expect, test } from 'vitest';
import { cronOf, timesOf, timesText } from './times.ts';

test('cron is told in words where it is a usual rhythm, and the form makes the same of it', () => {
  const told: Record<string, string> = {
    '0 * * * *': 'every hour at :00',
    '30 8 * * *': 'every day at 08:30',
    '5 17 * * 1-5': 'Monday to Friday at 17:05',
    '0 9 * * 0': 'Sundays at 09:00',
    '0 9 1 * *': '0 9 1 * *',
    '*/15 * * * *': '*/15 * * * *',
    '0 * * * 1': '0 * * * 1',
  };
  for (const [cron, text] of Object.entries(told)) {
    expect(timesText(cron)).toBe(text);
    expect(cronOf(timesOf(cron, 'UTC'))).toBe(cron);
  }
});
