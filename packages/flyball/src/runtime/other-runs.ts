import { refuseDamaged } from '../core/damaged-record.js';
import { FlyballError } from '../core/errors.js';
import { endedSignal, type OtherRun, sourceOf, starterIn } from '../core/other-runs.js';
import type { RunRecord } from '../ports/engine.js';
import { effectContext } from './effect-context.js';
import { load, readAll, readPart } from './load.js';
import { cancel, signal } from './messages.js';
import { missingRun } from './missing-run.js';
import { startRun } from './new-runs.js';
import type { OtherRunsHost, Reaching } from './reach.js';
import { restOf } from './rest-of.js';
import { type Opened, recordOf } from './run-handles.js';
import { stateAfter } from './state-fold.js';
import { isOfStorage } from './stopped-here.js';

export function otherRunsOf(opened: Opened): OtherRunsHost {
  const { settings } = opened;
  return {
    async start({ runId, tenant, subject, starter: known }, { id, agent, input, budget, key }) {
      const starter = { ...known, key, root: await rootOf(opened, runId) };
      const options = { id, budget, tenant, subject, source: sourceOf(runId), starter };
      try {
        // its code is not inside the effect that starts it
        await effectContext.exit(() => startRun(opened, agent, input, options));
      } catch (error) {
        if (codeOf(error) !== 'RUN_EXISTS') throw error;
        const there = await recordOf(opened, id);
        // started before a crash; one that somebody else put there is not it
        if (there.source !== options.source || there.agent !== agent || there.tenant !== tenant) throw error;
      }
    },
    async send(by, to, { name, payload, id }) {
      const record = await reached(opened, by, to);
      const sent = { from: sourceOf(by.runId), id, mayAnswer: false };
      await signal(opened, to, name, payload, sent, by.starter.askers).catch(async (error: unknown) => {
        // sent before a crash, and the run has ended since
        if (codeOf(error) !== 'ALREADY_TERMINAL' || !(await hasGot(opened, record, id))) throw error;
      });
    },
    async look(by, at, told) {
      const { status } = await reached(opened, by, at);
      const found = async (): Promise<OtherRun> => {
        if (!isOver(status) && !(told && status === 'running')) return { status };
        const outcome = await restOf(settings.engine, at);
        return outcome.stop === 'suspended' ? { status } : { status: outcome.stop, outcome };
      };
      // in this order: whoever had a part in what is found has asked by then
      return { found: await found(), askers: await askersOf(opened, at) };
    },
    async cancel(by, run, id) {
      const record = await reached(opened, by, run);
      if (starterIn(record.source) !== by.runId)
        throw new FlyballError('DENIED', `Run ${run} was not started by ${by.runId}, so it cannot cancel it.`);
      if (isOver(record.status) && record.status !== 'bounded') return;
      const why = `the run that started it, ${by.runId}, called it off`;
      await cancel(opened, run, { by: sourceOf(by.runId), why, id }).catch((error: unknown) => {
        if (codeOf(error) !== 'ALREADY_TERMINAL') throw error;
      });
    },
    async ended({ id, source, fork }, { generation, seq }) {
      const starter = fork === undefined ? starterIn(source) : undefined;
      if (starter === undefined) return;
      const told = { from: sourceOf(id), id: `${endedSignal(id)}:${generation}.${seq}`, mayAnswer: false };
      // nobody speaks by it: what the end is, a look tells, and who asked for that
      await signal(opened, starter, endedSignal(id), null, told, []).catch((error: unknown) => {
        // it is not given back then: whoever takes it up tells again
        if (isOfStorage(error)) throw error;
        const isGone = ['ALREADY_TERMINAL', 'RUN_NOT_FOUND'].includes(codeOf(error) ?? '');
        // whoever waits looks again by itself after a while
        if (!isGone) settings.onProblem(error, `telling ${starter} that ${id} has ended`);
      });
    },
  };
}

/** The run at the top of those that started one another: whoever was started knows it from its first entry. */
async function rootOf(opened: Opened, runId: string): Promise<string> {
  const [first] = await readPart(opened.settings.engine, await recordOf(opened, runId), { limit: 1 });
  return first?.event.type === 'run-start' ? (first.event.starter?.root ?? runId) : runId;
}

/** A message with this id came: the run heard it, or it is in its inbox. */
async function hasGot({ settings: { engine } }: Opened, record: RunRecord, id: string): Promise<boolean> {
  if ((await engine.inbox(record.id, 0)).some((message) => message.id === id)) return true;
  const entries = await readAll(engine, record);
  return entries.some(({ event }) => event.type === 'wait-end' && event.signal === id);
}

/** Who has asked by now for what a run does. Whoever looks keeps it: later the run may have been removed. */
async function askersOf(opened: Opened, runId: string): Promise<readonly string[]> {
  const { engine } = opened.settings;
  const record = await recordOf(opened, runId);
  if (record.status === 'stalled') return []; // it tells no more than that, and may have a journal that cannot be read
  return stateAfter((await load(engine, record, record.generation)).entries).askers;
}

/** A run of the same tenant and subject; any other is not there. */
async function reached(opened: Opened, { tenant, subject }: Reaching, runId: string): Promise<RunRecord> {
  const { engine } = opened.settings;
  const record = await engine.get(runId);
  if (record === undefined) throw await missingRun(engine, runId, tenant);
  refuseDamaged(record);
  if (record.tenant !== tenant || record.subject !== subject)
    throw new FlyballError('RUN_NOT_FOUND', `There is no run ${runId}.`);
  return record;
}

/** It has an outcome. A run at a bound can be resumed by a person; whoever joins it is told of the bound. */
function isOver(status: RunRecord['status']): boolean {
  return ['done', 'degraded', 'blocked', 'cancelled', 'failed', 'bounded'].includes(status);
}

function codeOf(error: unknown): string | undefined {
  return (error as { readonly code?: string } | undefined)?.code;
}
