import { setTimeout as pause } from 'node:timers/promises';
import { TestRestate, whyNoRestate } from '../restate/server.js';
import { fleet, type Kind, killing, some, staged, WORKERS } from './kind.js';
import type { Stage, Told } from './stage.js';

/** Restate says whose turn it is; the journals are on PostgreSQL as everywhere. */
async function dispatched(nodes: number, work: (stage: Stage, restate: TestRestate) => Promise<void>): Promise<Told> {
  const restate = await TestRestate.start(nodes);
  try {
    return await staged((stage) => work(stage, restate), { restate: { url: restate.urls, admin: restate.admins } });
  } finally {
    await restate.remove();
  }
}

/** A node dies and comes back, one after the other. Meanwhile a worker that has lost a run may not know it yet. */
async function killingNodes(stage: Stage, restate: TestRestate, faults: number): Promise<void> {
  await fleet(WORKERS, () => stage.worker());
  while (stage.faults < faults) {
    const node = stage.faults % restate.size;
    await stage.acts();
    await pause(some(0, 100));
    stage.storm();
    await restate.kill(node);
    stage.faults += 1;
    if (restate.size > 1) await pause(some(100, 500)); // the others go on without it
    await restate.revive(node);
    await pause(some(300, 600));
    await stage.calm();
  }
}

const workerKilled: Kind = {
  name: 'restate-worker-killed',
  about: 'SIGKILL of one of three workers that Restate calls, and another is started',
  why: whyNoRestate,
  run: (faults) => dispatched(1, (stage) => killing(stage, faults, () => stage.worker())),
};

const onlyNode: Kind = {
  name: 'restate-killed',
  about: 'SIGKILL of the only node of Restate, which is started again',
  why: whyNoRestate,
  run: (faults) => dispatched(1, (stage, restate) => killingNodes(stage, restate, faults)),
};

const oneOfThree: Kind = {
  name: 'restate-node-killed',
  about: 'SIGKILL of one of three nodes of Restate, which is started again',
  why: whyNoRestate,
  run: (faults) => dispatched(3, (stage, restate) => killingNodes(stage, restate, faults)),
};

export const restateKinds: readonly Kind[] = [workerKilled, onlyNode, oneOfThree];
