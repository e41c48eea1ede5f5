import type { Composition } from 'flyball/catalogue';
import { seat, use } from './systems.js';

/**
 * Three agent systems that many people build from public tutorials, as compositions of ours. Patterns that are not built
 * yet are described by hand.
 */
const worker = (name: string, tools: number) =>
  use('R4', 'reAct', { params: { maxIterations: 10 }, parts: { worker: seat(name, tools), window: [] } });

/** A supervisor routes one shared message list between workers that all read it. */
const supervisor: Composition = {
  agents: {
    supervisor: use('O6', 'orchestrator', {
      params: { maxRounds: 10 },
      parts: {
        planner: seat('supervisor'),
        workers: [worker('researcher', 2), worker('coder', 1)],
        editor: seat('supervisor'),
      },
    }),
  },
  system: {
    agents: {
      supervisor: { owner: 'tutorial', role: 'planner' },
      researcher: { owner: 'tutorial', role: 'worker', readsParentHistory: true },
      coder: { owner: 'tutorial', role: 'worker', readsParentHistory: true },
    },
    tools: [
      { name: 'web_search', effect: 'pure', legs: ['untrusted', 'outbound'], mapsErrors: true },
      { name: 'fetch_page', effect: 'pure', legs: ['untrusted', 'outbound'], mapsErrors: true },
      { name: 'python', effect: 'idempotent', runs: 'code', sandboxed: false, mapsErrors: true },
    ],
  },
};

/** Three copies of one model argue for two rounds, and a fourth decides. */
const debate: Composition = {
  agents: {
    debate: use('O12', 'debate', {
      params: { rounds: 2 },
      parts: { debaters: [seat('one'), seat('two'), seat('three')], judge: seat('judge') },
      predicted: { min: 7, max: 7 },
    }),
  },
  budget: { modelCalls: 10 },
};

/** A planner writes queries, a searcher reads the web for each of them in turn, a writer makes a report. */
const research: Composition = {
  agents: {
    research: use('O2', 'sequence', {
      parts: {
        steps: [
          use('S1', 'zeroShot', { parts: { answerer: seat('planner') } }),
          worker('searcher', 1),
          use('S1', 'zeroShot', { parts: { answerer: seat('writer') } }),
        ],
      },
    }),
  },
  system: {
    tools: [{ name: 'web_search', effect: 'pure', legs: ['untrusted', 'outbound'], mapsErrors: true }],
    steps: [{ name: 'search 2', needs: ['plan'], after: 'search 1' }],
    crossings: { input: false, result: false, output: false },
  },
};

export const systems = { supervisor, debate, research } as const;

/** The same worker with a window that is pruned, in a context of its own, behind a shield. */
const keptWorker = (name: string, tools: number) =>
  use('O17', 'isolated', {
    parts: {
      agent: use('R4', 'reAct', {
        params: { maxIterations: 10 },
        parts: { worker: seat(name, tools), window: [use('K7', 'pruning')] },
      }),
    },
  });
const shield = use('V6', 'injectionShield');
const seams = { tools: shield };

/** Every change that the linter proposes for the supervisor. */
const supervisorChanged: Composition = {
  agents: {
    supervisor: use('O6', 'orchestrator', {
      params: { maxRounds: 10 },
      parts: {
        planner: seat('supervisor'),
        workers: [keptWorker('researcher', 2), keptWorker('coder', 1)],
        editor: seat('supervisor'),
        ...seams,
      },
    }),
  },
  system: {
    agents: {
      supervisor: { owner: 'tutorial', role: 'planner' },
      researcher: { owner: 'tutorial', role: 'worker', readsParentHistory: false },
      coder: { owner: 'tutorial', role: 'worker', readsParentHistory: false },
    },
    tools: (supervisor.system?.tools ?? []).map((tool) =>
      tool.name === 'python' ? { ...tool, sandboxed: true } : tool,
    ),
  },
};

const debateChanged: Composition = {
  ...debate,
  agents: {
    debate: use('O12', 'debate', {
      params: { rounds: 2 },
      parts: {
        debaters: [seat('one'), seat('two'), seat('three')],
        judge: seat('judge', 0, 'another-provider/model'),
      },
      predicted: { min: 7, max: 7 },
    }),
  },
};

/** Queries and notes have a shape that is checked, searches run at once, and guards stand where text crosses. */
const checked = (name: string) =>
  use('V20', 'validated', {
    parts: {
      agent: use('S1', 'zeroShot', { parts: { answerer: use('S6', 'shaped', { parts: { session: seat(name) } }) } }),
    },
  });
const researchChanged: Composition = {
  agents: {
    research: use('O2', 'sequence', {
      parts: {
        steps: [
          checked('planner'),
          use('O4', 'mapReduce', { params: { maxWorkers: 5 }, parts: { worker: keptWorker('searcher', 1) } }),
          checked('writer'),
        ],
        ...seams,
        guards: use('V5', 'guardrails'),
      },
    }),
  },
  system: {
    tools: research.system?.tools ?? [],
    crossings: { input: true, result: true, output: true },
  },
};

/** The same systems after the changes that the linter names. */
export const changed = {
  supervisor: supervisorChanged,
  debate: debateChanged,
  research: researchChanged,
} as const;
