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
