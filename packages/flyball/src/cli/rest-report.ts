import type { ErrorCode } from '../core/errors.js';
import type { Entry } from '../core/events.js';
import type { Outcome, RollbackReport, Waiting } from '../core/outcome.js';
import { outcomeText } from '../views/timeline-sentences.js';
import { withoutPrivate } from '../views/without-private.js';
import { actLines } from './act-lines.js';
import { amountText, plural } from './amounts.js';
import { answerText } from './answer-text.js';
import { agentOf, questionsOf } from './answers.js';
import { goOnCommand } from './chat/chat-name.js';
import type { CommandLine } from './command-line.js';
import { printable } from './printable.js';
import { resumeLarger } from './run-header.js';
import type { Screen } from './screen.js';

export interface Rested {
  readonly runId: string;
  readonly outcome: Outcome<unknown>;
  readonly entries: readonly Entry[];
  readonly command: CommandLine;
}

/** The last words of a command that ran something: how the run stands, and what the reader can do about it. */
export function reportRest(screen: Screen, rested: Rested): void {
  const { runId } = rested;
  const outcome = withoutPrivateParts(rested);
  const next = nextCommands(rested);
  const status = outcome.stop === 'suspended' && outcome.paused === true ? 'paused' : outcome.stop;
  screen.data({ kind: 'rest', run: runId, status, outcome, next });
  screen.line();
  for (const line of restLines(rested, screen)) screen.line(line);
  const acts = actLines(outcome);
  if (acts.length > 0) screen.line('  Actions:');
  for (const line of acts) screen.line(`    ${printable(line)}`);
  for (const line of nextLine(outcome)) screen.line(line);
  for (const command of next) screen.line(`    ${screen.paint('cyan', command)}`);
}

function restLines({ runId, outcome, entries, command }: Rested, { paint }: Screen): readonly string[] {
  const spent = usageText(outcome);
  switch (outcome.stop) {
    case 'done':
    case 'degraded':
      return [
        `${paint('green', '✓')} ${paint('bold', runId)} is ${printable(outcomeText(outcome))}${spent}`,
        indented(answerText(outcome.value)),
      ];
    case 'suspended': {
      if (outcome.paused === true) return [`${paint('cyan', '‖')} ${paint('bold', runId)} is paused. Resume it with:`];
      const about = questionsOf({ runId, waiting: outcome.waiting, entries, command }).map(
        (question) => question.about,
      );
      const what = about.length === 0 ? 'is waiting for a set time' : printable(about.join('; '));
      const isAsleep = outcome.waiting.every(({ kind }) => kind === 'sleep');
      const next = isAsleep ? 'A server continues it then. Without a server, continue with:' : 'Answer with:';
      return [`${paint('cyan', '…')} ${paint('bold', runId)} ${what}. No process is running. ${next}`];
    }
    case 'bounded':
      return [
        `${paint('yellow', '■')} ${paint('bold', runId)} ${printable(outcomeText(outcome))}${spent}`,
        ...partialLine(outcome.partial),
      ];
    case 'blocked':
      return [
        `${paint('yellow', '■')} ${paint('bold', runId)} is ${printable(outcomeText(outcome))}${spent}`,
        ...partialLine(outcome.partial),
      ];
    case 'cancelled':
    case 'failed':
      return [
        `${paint(outcome.stop === 'failed' ? 'red' : 'yellow', '■')} ${paint('bold', runId)} ${printable(outcomeText(outcome))}${spent}`,
        ...partialLine(outcome.partial),
        ...rollbackLines(outcome.rollback),
      ];
  }
}

/** Announces the commands that follow. */
function nextLine(outcome: Outcome<unknown>): readonly string[] {
  if (outcome.stop === 'bounded') return ['  To continue with a larger budget:'];
  return isModelFailure(outcome) ? ['  To check which models are available:'] : [];
}

function nextCommands({ runId, outcome, entries, command }: Rested): readonly string[] {
  const run = { id: runId, agent: agentOf(entries) };
  if (outcome.stop === 'bounded') return [resumeLarger(run, { outcome }, command)];
  if (isModelFailure(outcome)) return [command('doctor')];
  if (outcome.stop !== 'suspended') return [];
  if (outcome.paused === true || outcome.waiting.length === 0) return [goOnCommand(run, command)];
  return questionsOf({ runId, waiting: outcome.waiting, entries, command }).flatMap(({ commands }) => commands);
}

const MODEL_FAILURES: readonly ErrorCode[] = ['MODEL_UNAVAILABLE', 'MODEL_REJECTED', 'CIRCUIT_OPEN'];

function isModelFailure(outcome: Outcome<unknown>): boolean {
  return outcome.stop === 'failed' && MODEL_FAILURES.includes(outcome.failure.code);
}

function usageText({ usage }: Outcome<unknown>): string {
  if (usage === undefined) return '';
  const parts = [
    ...(usage.modelCalls > 0
      ? [`${plural(usage.modelCalls, 'model call')}, ${amountText('costUsd', usage.costUsd)}`]
      : []),
    ...(usage.toolCalls > 0 ? [plural(usage.toolCalls, 'tool call')] : []),
  ];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** As it may be shown: an outcome that comes straight from the run still has the requests and arguments of private parts. */
function withoutPrivateParts({ outcome, entries }: Rested): Outcome<unknown> {
  const shown = withoutPrivate(entries);
  if (outcome.stop === 'suspended') return { ...outcome, waiting: outcome.waiting.map((one) => waitShown(one, shown)) };
  if (outcome.acts === undefined) return outcome;
  const end = shown.findLast(({ event }) => event.type === 'run-end')?.event;
  const { acts: _acts, actsLeftOut: _leftOut, ...rest } = outcome;
  if (end?.type !== 'run-end' || end.outcome.acts === undefined) return rest;
  const { acts, actsLeftOut } = end.outcome;
  return actsLeftOut === undefined ? { ...rest, acts } : { ...rest, acts, actsLeftOut };
}

function waitShown(waiting: Waiting, shown: readonly Entry[]): Waiting {
  const start = shown.findLast(({ event }) => event.type === 'wait-start' && event.id === waiting.effect)?.event;
  const { request: _request, ...rest } = waiting;
  return start?.type === 'wait-start' && start.request !== undefined ? { ...rest, request: start.request } : rest;
}

function partialLine(partial: unknown): readonly string[] {
  const text = partial === undefined ? '' : answerText(partial);
  return text === '' ? [] : [indented(`so far: ${text}`)];
}

/** Several lines stand deeper than all that follows: what the run did is told below its answer, and no answer can tell it. */
function indented(text: string): string {
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => `${lines.length === 1 ? '  ' : ' '.repeat(6)}${line}`).join('\n');
}

function rollbackLines(report: RollbackReport | undefined): readonly string[] {
  if (report === undefined) return [];
  const lines = [
    ...report.entries.map(
      ({ name, effect, status, note }) => `${name} (${effect}): ${status}${note === undefined ? '' : `, ${note}`}`,
    ),
    ...(report.attention === undefined ? [] : [report.attention]),
  ];
  return lines.map((line) => `  ${printable(line)}`);
}
