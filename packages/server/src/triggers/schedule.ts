import type { Cron } from 'croner';
import { ConfigError } from 'flyball';
import { failureOf } from 'flyball/internal';
import type { CronTrigger } from './trigger.js';

/** Times of a cron schedule. Holds no timer and reads no clock: it is asked about a time and answers. */
export interface Schedule {
  /** The first time after this one; undefined when there is none any more. */
  next(after: number): number | undefined;
  /** Times after `from` up to and at `until`; undefined when there are none. */
  between(from: number, until: number): Times | undefined;
}

export interface Times {
  readonly last: number;
  /** The one before the last, where there are two. */
  readonly before?: number;
  /** Counted up to `MOST_COUNTED`. */
  readonly count: number;
}

/** Nobody needs to know more exactly how much was missed, and every second of a year would take long to count. */
export const MOST_COUNTED = 1_000;

/**
 * On the day on which clocks go forward, a time that is left out comes at the next one there is: that is croner's. On the
 * day on which they go back, the second of two equal times is left out, unless the schedule is one of every hour, or of
 * more often than that: those go on through both.
 */
export async function openSchedule({ name, schedule, timezone }: CronTrigger): Promise<Schedule> {
  const cron = await cronOf({ name, schedule, timezone });
  const isRepeated = repeatsWithinDay(schedule) ? () => false : secondOfTwo(timezone);
  const next = (after: number): number | undefined => {
    let found = cron.nextRun(new Date(after))?.getTime();
    while (found !== undefined && isRepeated(found)) found = cron.nextRun(new Date(found))?.getTime();
    return found;
  };
  return {
    next,
    between(from, until) {
      const times: number[] = [];
      for (let time = next(from); time !== undefined && time <= until; time = next(time)) {
        times.push(time);
        if (times.length === MOST_COUNTED) return timesOf(lastTwoUpTo(cron, until, isRepeated), MOST_COUNTED);
      }
      return times.length === 0 ? undefined : timesOf(times.slice(-2), times.length);
    },
  };
}

function timesOf(lastTwo: readonly number[], count: number): Times | undefined {
  const [last, before] = lastTwo.toReversed();
  if (last === undefined) return undefined;
  return { last, count, ...(before === undefined ? {} : { before }) };
}

/** croner counts in whole seconds and leaves out the one it is asked about. */
function lastTwoUpTo(cron: Cron, until: number, isRepeated: (time: number) => boolean): readonly number[] {
  const after = new Date(Math.floor(until / 1000) * 1000 + 1000);
  return cron
    .previousRuns(4, after)
    .map((time) => time.getTime())
    .filter((time) => !isRepeated(time))
    .slice(0, 2)
    .sort((a, b) => a - b);
}

/** Every hour or more often: nobody means one of two equal hours by it. */
function repeatsWithinDay(schedule: string): boolean {
  const fields = schedule.trim().split(/\s+/);
  if (schedule.startsWith('@')) return schedule === '@hourly';
  const [minute = '*', hour = '*'] = fields.slice(-5);
  return !/^\d+$/.test(minute) || /^\*(?:\/1)?$/.test(hour);
}

/** Clocks are put back by an hour, and in one place by half of one. */
const PUT_BACK_MS = [3_600_000, 1_800_000];

/** Whether the same time by the clock was there before. */
function secondOfTwo(timezone: string): (time: number) => boolean {
  const clock = new Intl.DateTimeFormat('en-US', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' });
  return (time) => PUT_BACK_MS.some((ms) => clock.format(time - ms) === clock.format(time));
}

async function cronOf({
  name,
  schedule,
  timezone,
}: Pick<CronTrigger, 'name' | 'schedule' | 'timezone'>): Promise<Cron> {
  if (typeof schedule !== 'string' || !isPattern(schedule))
    throw wrong(name, schedule, 'it needs five fields (minute hour day month weekday), or six with seconds first');
  const { Cron: Pattern } = await import('croner');
  try {
    const cron = new Pattern(schedule, { timezone, paused: true });
    if (cron.nextRun(new Date(0)) === null) throw new Error('it never matches a date');
    return cron;
  } catch (error) {
    throw wrong(name, schedule, `${failureOf(error).message} (timezone ${timezone})`);
  }
}

/** croner takes a date, too: a time that comes once is no schedule. */
function isPattern(schedule: string): boolean {
  const fields = schedule.trim().split(/\s+/);
  return schedule.startsWith('@') ? fields.length === 1 : fields.length === 5 || fields.length === 6;
}

function wrong(name: string, schedule: unknown, why: string): ConfigError {
  return new ConfigError(`Trigger "${name}": the schedule ${JSON.stringify(schedule)} cannot be used: ${why}.`);
}
