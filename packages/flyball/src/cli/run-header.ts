import { AXES, type CountedAxis } from '../core/budget.js';
import type { Entry } from '../core/events.js';
import type { RunRecord } from '../ports/engine.js';
import type { AxisUse, RunSummary } from '../views/summary.js';
import { outcomeText } from '../views/timeline-sentences.js';
import { actLines } from './act-lines.js';
import { amountText, duration, plural, sentence, shorten } from './amounts.js';
import { answerText } from './answer-text.js';
import { questionsOf } from './answers.js';
import { goOnCommand } from './chat/chat-name.js';
import type { CommandLine } from './command-line.js';
import { printable } from './printable.js';
import type { Color, Paint, Screen } from './screen.js';
import { liveOwner } from './workplace.js';

export interface Shown {
  readonly record: RunRecord;
  readonly summary: RunSummary;
  readonly entries: readonly Entry[];
  readonly command: CommandLine;
  /** Set when the state is that of an earlier entry: then nothing is asked of the reader. */
  readonly asOf?: { readonly seq: number; readonly generation: number };
}

const STATUS_COLORS: Readonly<Record<string, Color>> = {
  done: 'green',
  degraded: 'green',
  failed: 'red',
  stalled: 'red',
  bounded: 'yellow',
  blocked: 'yellow',
  suspended: 'cyan',
  paused: 'cyan',
};

/** What went wrong, and what to do about it. */
const TOLD_WHOLE: ReadonlySet<string> = new Set(['outcome', 'rollback', 'stalled']);

/** What a reader wants to know before the story: how it stands, what it spent, what it needs from them. */
export function headerLines(shown: Shown, { paint, width }: Pick<Screen, 'paint' | 'width'>): readonly string[] {
  const { record, summary, asOf } = shown;
  const status = asOf === undefined ? record.status : summary.status;
  return [
    `${paint('bold', `Run ${record.id}`)}  ${paint(STATUS_COLORS[status] ?? 'bold', status)}${
      asOf === undefined ? '' : `, as of entry ${asOf.generation === 0 ? '' : `${asOf.generation}:`}${asOf.seq}`
    }`,
    ...facts(shown).map(
      ([name, text]) =>
        `  ${paint('dim', name.padEnd(8))} ${TOLD_WHOLE.has(name) ? sentence(text) : shorten(text, width - 12)}`,
    ),
    ...budgetLines(summary, paint),
    ...(asOf === undefined ? needs(shown, { paint }) : []),
  ];
}

function facts({ record, summary }: Shown): readonly (readonly [string, string])[] {
  const { outcome, fork } = summary;
  const attempts = summary.attempts > 1 ? `, ${plural(summary.attempts, 'attempt')}` : '';
  const takeovers = summary.takeovers > 0 ? ` (${plural(summary.takeovers, 'crash')} survived)` : '';
  return [
    [
      'agent',
      `${record.agent}, version ${record.version}${record.source === undefined ? '' : `, from ${record.source}`}`,
    ],
    ['for', `${record.subject} (tenant ${record.tenant})`],
    [
      'time',
      `started ${new Date(record.createdAt).toISOString()}, active for ${duration(summary.activeMs)}${attempts}${takeovers}`,
    ],
    ...(fork === undefined
      ? []
      : [['fork', `of ${fork.run} after entry ${fork.seq}, ${fork.live ? 'live' : 'effects simulated'}`] as const]),
    ...(outcome === undefined ? [] : [['outcome', outcomeText(outcome)] as const]),
    ...(outcome !== undefined && 'value' in outcome ? [['value', answerText(outcome.value)] as const] : []),
    ...(outcome === undefined ? [] : actLines(outcome).map((line, at) => [at === 0 ? 'actions' : '', line] as const)),
    ...(summary.rollback === undefined ? [] : [['rollback', rollbackText(summary.rollback)] as const]),
    ...(record.attention === undefined ? [] : [['stalled', record.attention] as const]),
  ];
}

function rollbackText({ entries, attention }: NonNullable<RunSummary['rollback']>): string {
  const each = entries.map(({ name, status }) => `${name} ${status}`).join(', ');
  return attention === undefined ? each : `${each} (${attention})`;
}

const BAR_LENGTH = 20;

function budgetLines(summary: RunSummary, paint: Paint): readonly string[] {
  const used = AXES.filter((axis) => summary.usage[axis].spent > 0 || summary.usage[axis].possibly !== undefined);
  if (used.length === 0) return [`  ${paint('dim', 'budget'.padEnd(8))} nothing spent`];
  return used.map((axis, index) => {
    const title = (index === 0 ? 'budget' : '').padEnd(8);
    return `  ${paint('dim', title)} ${axis.padEnd(12)} ${bar(summary.usage[axis], paint)} ${useText(axis, summary.usage[axis])}`;
  });
}

function bar({ spent, limit }: AxisUse, paint: Paint): string {
  const share = limit === undefined || limit === 0 ? (spent > 0 ? 1 : 0) : spent / limit;
  const full = Math.min(BAR_LENGTH, Math.floor(share * BAR_LENGTH + 1e-9));
  const text = `${'█'.repeat(full)}${'░'.repeat(BAR_LENGTH - full)}`;
  return paint(share >= 1 ? 'red' : share >= 0.8 ? 'yellow' : 'green', text);
}

export function useText(axis: CountedAxis, { spent, limit, possibly }: AxisUse): string {
  const of = limit === undefined ? amountText(axis, spent) : `${amountText(axis, spent)} of ${amountText(axis, limit)}`;
  return possibly === undefined
    ? of
    : `${of} (and possibly ${amountText(axis, possibly)} for calls that were cut off and runs that are not joined)`;
}

function needs(shown: Shown, { paint }: Pick<Screen, 'paint'>): readonly string[] {
  const { record, summary, entries, command } = shown;
  const ask = (about: string, commands: readonly string[], grounds: readonly string[] = []): readonly string[] => [
    `  ${paint('dim', 'next'.padEnd(8))} ${printable(about)}`,
    ...grounds.map((line) => `           ${sentence(line)}`),
    ...commands.map((text) => `           ${paint('cyan', text)}`),
  ];
  // what no file started this command cannot load: whoever started it has to let it go on
  const isOurs = record.source !== undefined;
  const go = (about: string, next: string): readonly string[] =>
    isOurs ? ask(about, [next]) : ask(`${about}; the program that started it has to continue it`, []);
  const goOn = goOnCommand(record, command);
  switch (record.status) {
    case 'suspended':
      if (summary.waiting.length === 0) return go(timeText(shown), goOn);
      return questionsOf({ runId: record.id, waiting: summary.waiting, entries, command }).flatMap((question, at) =>
        summary.waiting[at]?.kind === 'sleep'
          ? go(question.about, goOn)
          : ask(question.about, question.commands, question.grounds),
      );
    case 'paused':
      return go('paused', goOn);
    case 'bounded':
      return go('out of budget', resumeLarger(record, summary, command));
    case 'stalled':
      return go('stalled; fix the cause first', goOn);
    case 'running':
    case 'pending': {
      const owner = liveOwner(record);
      if (owner !== undefined) return ask(`process ${owner.pid} on ${owner.host} is running it`, []);
      const why = record.owner === undefined ? 'no process is running it' : `its process ${record.owner.pid} is gone`;
      return go(why, goOn);
    }
    default:
      return [];
  }
}

/** A run can wait for time alone: until it may examine whether an effect of a lost owner happened. */
function timeText({ record, summary }: Shown): string {
  const open = summary.open.find(({ verb }) => verb === 'call' || verb === 'step');
  const why = open === undefined ? '' : ` to find out whether ${open.name} happened`;
  return record.wakeAt === undefined ? 'waiting' : `wakes at ${new Date(record.wakeAt).toISOString()}${why}`;
}

/** Twice the bound that stopped it: a proposal to edit, not a recommendation. */
export function resumeLarger(
  run: { readonly id: string; readonly agent: string | undefined },
  { outcome }: Pick<RunSummary, 'outcome'>,
  command: CommandLine,
): string {
  if (outcome?.stop !== 'bounded') return goOnCommand(run, command);
  const larger = `${outcome.bound}=${outcome.limit === 0 ? 1 : outcome.limit * 2}`;
  return goOnCommand(run, command, '--budget', larger);
}
