/** When a schedule runs, as the form has it: a usual rhythm, or cron as it is typed. */
export interface Times {
  rhythm: 'hourly' | 'daily' | 'weekdays' | 'weekly' | 'cron';
  /** `HH:MM` */
  at: string;
  /** 0 is Sunday. */
  weekday: string;
  cron: string;
  timeZone: string;
}

export const rhythms = [
  ['hourly', 'Every hour'],
  ['daily', 'Every day'],
  ['weekdays', 'From Monday to Friday'],
  ['weekly', 'Once a week'],
  ['cron', 'Custom (cron)'],
] as const;

export const weekdayNames = [
  ['1', 'Monday'],
  ['2', 'Tuesday'],
  ['3', 'Wednesday'],
  ['4', 'Thursday'],
  ['5', 'Friday'],
  ['6', 'Saturday'],
  ['0', 'Sunday'],
] as const;

export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The five fields that the server takes. */
export function cronOf({ rhythm, at, weekday, cron }: Times): string {
  if (rhythm === 'cron') return cron.trim();
  const [hour, minute] = at.split(':').map(Number) as [number, number];
  if (rhythm === 'hourly') return `${minute || 0} * * * *`;
  const days = { daily: '*', weekdays: '1-5', weekly: weekday }[rhythm];
  return `${minute || 0} ${hour || 0} * * ${days}`;
}

/** The form as these five fields would have been typed. */
export function timesOf(cron: string, timeZone: string): Times {
  const typed: Times = { rhythm: 'cron', at: '09:00', weekday: '1', cron, timeZone };
  const read = /^(\d{1,2}) (\d{1,2}|\*) \* \* (\*|1-5|[0-6])$/.exec(cron);
  if (read === null) return typed;
  const [, minute, hour, days] = read as unknown as [string, string, string, string];
  const at = (hours: string) => `${hours.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (hour === '*') return days === '*' ? { ...typed, rhythm: 'hourly', at: at('0') } : typed;
  if (days === '*') return { ...typed, rhythm: 'daily', at: at(hour) };
  if (days === '1-5') return { ...typed, rhythm: 'weekdays', at: at(hour) };
  return { ...typed, rhythm: 'weekly', at: at(hour), weekday: days };
}

/** `Monday at 09:00`, or cron itself where it is none of the usual rhythms. */
export function timesText(cron: string): string {
  const { rhythm, at, weekday } = timesOf(cron, 'UTC');
  if (rhythm === 'hourly') return `every hour at :${at.slice(3)}`;
  if (rhythm === 'daily') return `every day at ${at}`;
  if (rhythm === 'weekdays') return `Monday to Friday at ${at}`;
  if (rhythm === 'weekly') return `${weekdayNames.find(([day]) => day === weekday)?.[1]}s at ${at}`;
  return cron;
}

/** A time on the clock of a time zone. */
export const timeIn = (timeZone: string, at: string): string =>
  new Intl.DateTimeFormat(navigator.language, {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
    timeZone,
  }).format(new Date(at));
