import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { energyDesk } from '../../../packages/evals/src/domains/energy-desk/energy-desk.js';
import { scriptedCustomer } from '../../../packages/evals/src/domains/energy-desk/scripted-customer.js';
import { scriptedDesk } from '../../../packages/evals/src/domains/energy-desk/scripted-desk.js';
import { dataFolder } from '../../../packages/evals/src/files/index.js';
import { POLICY_DOMAINS } from '../../../packages/evals/src/policies/policy-domains.js';
import { simulate } from '../../../packages/evals/src/simulation/orchestrator.js';
import { speakerParty } from '../../../packages/evals/src/simulation/speaker-party.js';
import type { Domain } from '../../../packages/evals/src/world/environment.js';
import type { Task } from '../../../packages/evals/src/world/task.js';
import type { MoveNote } from '../../../packages/flyball/src/agents/policies/conversation-policy.js';
import { conversationPolicy } from '../../../packages/flyball/src/agents/policies/policies.js';
import { askingRun, scripted, toolsOf } from './stage-domains.js';

let domain: Domain;
beforeAll(async () => {
  domain = await energyDesk.load(dataFolder(fileURLToPath(new URL('../../../packages/evals/data', import.meta.url))));
});

/** A right course of a task, as its script has it, under a policy: how it ends and what happened inside. */
async function rightCourse(task: Task, policy: string) {
  const environment = domain.environment({ task });
  await environment.setState(task.initialState, { strict: true });
  const model = scripted(scriptedDesk([task]));
  const parts = { skills: [{ name: 'care', text: 'Verify.' }], ...POLICY_DOMAINS['energy_desk'] };
  const speaker = conversationPolicy(policy, parts)({ model, policy: environment.policy, tools: toolsOf(environment) });
  const notes: MoveNote[] = [];
  const run = Object.assign(Object.create(askingRun), { now: () => 0 });
  const course = await simulate({
    agent: speakerParty(run, speaker, { onNote: (note) => notes.push(note) }),
    user: scriptedCustomer(task, { now: () => 0 }),
    respond: (call) => environment.respond(call),
    now: () => 0,
    limits: { maxSteps: 200, maxErrors: 10 },
  });
  return { notes, ended: course.termination, hash: environment.hashes().agent };
}

async function goldHash(task: Task): Promise<string | null> {
  const environment = domain.environment({ task });
  await environment.setState(task.initialState, { strict: true });
  for (const action of task.criteria?.actions ?? []) await environment.make(action);
  return environment.hashes().agent;
}

describe('energy_desk', () => {
  it('is left alone by the gate of governed: no call of a right course is refused, and all lead to the gold databases [R5-TALK-GOV-GOLD]', async () => {
    for (const task of domain.tasks) {
      const { notes, ended, hash } = await rightCourse(task, 'governed');
      expect(notes, task.id).toEqual([]);
      expect(ended, task.id).toBe('user_stop');
      expect(hash, task.id).toBe(await goldHash(task));
    }
  });

  it.each(['baseline', 'declarative', 'imperative'])(
    'is brought to its gold databases under %s too [R5-TALK-INTERFACE]',
    async (policy) => {
      for (const task of domain.tasks) {
        const { ended, hash } = await rightCourse(task, policy);
        expect(ended, task.id).toBe('user_stop');
        expect(hash, task.id).toBe(await goldHash(task));
      }
    },
  );
});
