/** A worker that is killed: taker.js <json>. Each claims to be a machine of its own where it is told to. */
import { setTimeout as pause } from 'node:timers/promises';
import { postgresEngine } from '@flyball/postgres';
import { type RestateOptions, restateDispatcher } from '@flyball/restate';
import { createRuntime, done, nodeHost, type Run } from 'flyball';

interface Given {
  readonly url: string;
  readonly schema: string;
  readonly isApart: boolean;
  readonly restate?: RestateOptions;
}

const { url, schema, isApart, restate } = JSON.parse(process.argv[2] ?? '{}') as Given;
const walk = async (run: Run) => {
  for (let n = 0; n < 1e6; n++) await run.step('walk', n, () => pause(5), 'idempotent');
  return done(null);
};
const here = nodeHost();
const me = { ...here.owner(), host: `machine-${process.pid}`, id: `machine-${process.pid}` };
const host = isApart ? { owner: () => me, isGone: () => false } : here;
const engine = await postgresEngine({ url, schema, onNotice: () => undefined });
const dispatcher = restate === undefined ? {} : { dispatcher: restateDispatcher(restate) };
createRuntime({ engine, host, agents: { walk }, options: { maxResumes: 1_000 }, ...dispatcher });
await dispatcher.dispatcher?.ready();
console.log('ready');
process.stdin.resume().on('end', () => process.exit(0));
