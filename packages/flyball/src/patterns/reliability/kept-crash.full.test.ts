import {
  type Agent,
  createRuntime,
  done,
  type Entry,
  memoryEngine,
  memoryStore,
  type Runtime,
  type Store,
} from 'flyball';
import { checkpointOf, keptTools, sandboxed, toolReview, traceOf } from 'flyball/patterns';
import { assertSame, exercise, type Outside, type Scenario } from 'flyball/testing';
import { tool, toolset, toolUse } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bubblewrapSandbox, detectBubblewrap } from '../../adapters/sandbox-bubblewrap/index.js';
import type { Sandbox, SandboxResult } from '../../ports/sandbox.js';
import { spansIn } from '../../views/trace.js';

const found = await detectBubblewrap();
if (!found.available) process.stdout.write(`Skipped the crashes around a program in bubblewrap: ${found.why}.\n`);

/** Plays the scenario with crashes at every write. */
async function holds(name: string, open: Scenario['open'], more: Partial<Scenario> = {}): Promise<void> {
  const scenario: Scenario = { name, open, input: 'Go.', ends: { stop: 'done' }, ...more };
  const report = await exercise(scenario, { engine: memoryEngine });
  assertSame(report);
  expect(report.plays).toBeGreaterThan(20);
}

/**
 * Runs each job once: the clock of a scenario moves while a process runs, which would look like a program that takes
 * minutes.
 */
function once(sandbox: Sandbox): Sandbox {
  const results = new Map<string, Promise<SandboxResult>>();
  const run: Sandbox['run'] = (job, how) => {
    const key = JSON.stringify(job.stages);
    const result = results.get(key) ?? sandbox.run(job, how);
    results.set(key, result);
    return result;
  };
  return { name: sandbox.name, describe: () => sandbox.describe(), run };
}

/** A store that outlives the process, whose every change is an act: the process can die between the change and its answer. */
function actingStore(outside: Outside): Store {
  const store = outside.keep('store', memoryStore);
  return {
    ...store,
    propose: async (at, change) => {
      const made = await store.propose(at, change);
      await outside.act('propose', { key: change.id });
      return made;
    },
    commit: async (at, proposal, now) => {
      const made = await store.commit(at, proposal, now);
      await outside.act('commit', { key: proposal });
      return made;
    },
  };
}

describe('ends the same after a crash at every write, with parts that act:', () => {
  it.skipIf(!found.available)('a program in a sandbox [V8.crash]', async () => {
    const sandbox = once(await bubblewrapSandbox());
    const counts = sandboxed(
      {
        name: 'count',
        description: 'Counts letters. Not for words.',
        effect: 'idempotent',
        output: z.number(),
        command: ({ text }: { text: string }) => ({ argv: ['sh', '-c', `printf %s ${text} | wc -c`] }),
      },
      { sandbox },
    );
    const how = { key: 'before', signal: new AbortController().signal };
    const words = ['one', 'three'];
    for (const text of words) expect(await counts.execute({ text }, how)).toBe(text.length);
    const counting =
      (outside: Outside): Agent<string, unknown> =>
      async (run) => {
        const acting = {
          ...counts,
          execute: async (args: { text: string }, given: typeof how) => {
            await outside.act(`count ${args.text}`, given);
            return counts.execute(args, given);
          },
        };
        const seen: unknown[] = [];
        for (const text of words) seen.push((await run.call(acting, { text })).content);
        return done(seen);
      };
    await holds('sandboxed', (life, outside) =>
      createRuntime({ ...life, agents: { agent: counting(outside) as Agent<unknown, unknown> } }),
    );
  });

  /** Acts, and reads what its own journal shows by then. A fork has only its own part of it. */
  const reading =
    (look: (entries: readonly Entry[], id: string) => unknown): Scenario['open'] =>
    (life, outside) => {
      const agent: Agent<unknown, unknown> = async (run) => {
        for (const what of ['a', 'b'])
          await run.step('save', what, (it, how) => outside.act(`save ${it}`, how), 'idempotent');
        const shown = await run.step(
          'look',
          null,
          async () => look(await runtime.entries(run.id), run.id),
          'idempotent',
        );
        await run.step('keep', shown, (_it, how) => outside.act('keep', how), 'idempotent');
        return done(shown);
      };
      const runtime: Runtime = createRuntime({ ...life, agents: { agent } });
      return runtime;
    };

  it('a checkpoint of what was done [V10.crash]', async () => {
    const open = reading((entries, id) => {
      const { completedActions, outputsSoFar } = checkpointOf(id, entries);
      const ended = completedActions.map(({ name, status }) => `${name} ${status}`);
      return { done: ended, outputs: outputsSoFar.length };
    });
    await holds('checkpointOf', open, { changesInForks: true });
  });

  it('a review that drops tools, and the tools that are kept after it [V13.9]', async () => {
    const loadable = ['look_up', 'send_mail', 'old_report'].map((name) =>
      tool({
        name,
        description: `Does ${name}. Not for more.`,
        input: z.object({}),
        effect: 'pure',
        execute: async () => name,
      }),
    );
    const record = async () => Array.from({ length: 3 }, () => toolUse(toolset(loadable), ['look_up']));
    const reviewing =
      (outside: Outside): Agent<string, unknown> =>
      async (run) => {
        const parts = { name: 'clerk', store: actingStore(outside), record };
        const reviewed = await toolReview(parts, { everyRuns: 3 })(run, null);
        const kept = await keptTools(run, parts, loadable);
        for (const { name } of kept)
          await run.step('load', name, (it, how) => outside.act(`load ${it}`, how), 'idempotent');
        return done([reviewed.stop === 'done' && reviewed.value.dropped, kept.map(({ name }) => name)]);
      };
    await holds(
      'toolReview',
      (life, outside) => createRuntime({ ...life, agents: { agent: reviewing(outside) as Agent<unknown, unknown> } }),
      {
        ends: { stop: 'done', says: ['["old_report","send_mail"],["look_up"]'] },
        people: () => ({ payload: { verdict: 'approve' }, from: 'rita' }),
        changesInForks: true, // a fork finds what its parent decided
      },
    );
  });

  it('a trace of what was done [V14.crash]', async () => {
    const open = reading((entries, id) =>
      spansIn(traceOf(id, entries))
        .filter(({ kind, name }) => kind === 'step' && name !== 'step look')
        .map(({ name, status }) => `${name} ${status}`),
    );
    await holds('traceOf', open, { changesInForks: true });
  });
});
