/**
 * A process that mends the repository of repository-agent.ts, from its beginning or from where another one was killed,
 * and dies of SIGKILL where its job says so:
 *
 *   node repository-process.js <job as JSON>
 */
import { budget, createRuntime, type EventType, systemClock } from 'flyball';
import { type SqliteEngine, sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { processSandbox } from 'flyball/adapters/sandbox-process';
import { repositoryLoop, TASK, type Way } from './repository-agent.js';

export interface RepositoryJob {
  readonly path: string;
  readonly root: string;
  readonly undoFolder: string;
  readonly way: Way;
  /** How far its clock is ahead: nothing in doubt is looked at before its deadline has passed. */
  readonly aheadMs?: number;
  /** At the first commit that holds such an entry of an effect of this name in this scope: inside its transaction, or when it is durable. */
  readonly dieAt?: {
    readonly entry: EventType;
    readonly scope: string;
    readonly name: string;
    readonly when: 'before' | 'after';
  };
}

const RUN = 'shop';

interface Body {
  readonly type: string;
  readonly id?: string;
  readonly name?: string;
}

async function engineFor({ path, dieAt }: RepositoryJob): Promise<SqliteEngine> {
  let isNear = false;
  const die = (when: 'before' | 'after'): void => {
    if (isNear && dieAt?.when === when) process.kill(process.pid, 'SIGKILL');
  };
  const engine = await sqliteEngine({
    path,
    pollMs: 10,
    hooks: { beforeCommit: () => die('before'), afterCommit: () => die('after') },
  });
  const meant = new Set<string>();
  const isMeant = ({ type, id = '', name }: Body): boolean => {
    if (dieAt === undefined || !id.includes(dieAt.scope)) return false;
    if (name === dieAt.name) meant.add(id); // the end of an effect does not repeat its name
    return type === dieAt.entry && meant.has(id);
  };
  return {
    ...engine,
    append(claim, batch) {
      for (const { body } of batch.entries) isNear = isMeant(JSON.parse(body) as Body) || isNear;
      return engine.append(claim, batch);
    },
  };
}

const job = JSON.parse(process.argv[2] ?? '') as RepositoryJob;
const engine = await engineFor(job);
const { root, undoFolder, way, aheadMs = 0 } = job;
const { store } = engine;
const { loop } = repositoryLoop({ root, undoFolder, way, store, sandbox: processSandbox(), timeoutMs: 120_000 });
const clock = systemClock();
const runtime = createRuntime({
  engine,
  agents: { loop },
  clock: { ...clock, now: () => clock.now() + aheadMs },
  options: { pollMs: 20 },
});
const handle =
  (await engine.get(RUN)) === undefined
    ? await runtime.start('loop', TASK, { id: RUN, budget: budget({ iterations: 200, modelCalls: 200 }) })
    : await runtime.resume(RUN);
const outcome = await handle.finished();
const entries = await runtime.entries(RUN);
process.stdout.write(`${JSON.stringify({ outcome, entries })}\n`);
await runtime.close();
await engine.close();
process.exit(0);
