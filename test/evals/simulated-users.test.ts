import {
  type ExperimentOptions,
  goldAgentSide,
  goldUserSide,
  type Persona,
  personaUserSide,
  ruleUserSide,
  runExperiment,
  type SimulationRecord,
  scriptedUser,
} from '@flyball/evals';
import { memoryEngine } from 'flyball';
import { autoClock, scriptedModel, testHost } from 'flyball/testing';
import { expect, it, onTestFinished } from 'vitest';
import { counterDomain, sumTask } from './counter-domain.js';

/** The same task with different users, each in an experiment of its own. */
async function withUser(user: ExperimentOptions['users'][string]): Promise<SimulationRecord> {
  const clock = autoClock({ idleTurns: 40 });
  onTestFinished(() => clock.stop());
  const domain = counterDomain(1);
  const { results } = await runExperiment({
    domain,
    tasks: domain.tasks,
    trials: 1,
    seed: 300,
    conditions: [{ name: 'one', agent: 'gold', user: 'user' }],
    agents: { gold: goldAgentSide },
    users: { user },
    runtime: { engine: memoryEngine(), clock, host: testHost(`life-${Math.random()}`, new Set()) },
    concurrency: 1,
  });
  const simulation = results.get('one')?.simulations[0];
  if (simulation === undefined) throw new Error('nothing was simulated');
  return simulation;
}

const said = ({ messages }: SimulationRecord): readonly (string | null)[] =>
  messages.flatMap(({ role, content }) => (role === 'user' ? [content] : []));

it('plays the users of tasks by turns, by rules and by the gold path [R5-USER-SCRIPTED]', async () => {
  const byTurns = await withUser(scriptedUser([{ text: 'Count for me.' }, { text: '###STOP###' }]));
  const byRules = await withUser(
    ruleUserSide({
      opening: 'Count for me.',
      rules: [{ id: 'done', hears: 'that is done', say: '###STOP###' }],
      otherwise: 'Go on.',
    }),
  );
  const byGold = await withUser(goldUserSide);
  expect(said(byTurns)).toEqual(['Count for me.', '###STOP###']);
  expect(said(byRules)).toEqual(['Count for me.', '###STOP###']);
  expect(said(byGold)).toEqual(['Please go on.', '###STOP###']);
  for (const { reward, termination } of [byTurns, byRules, byGold])
    expect([reward?.reward, termination]).toEqual([1, 'user_stop']);
});

it('has a model play them as a persona, which is told the scenario and not the gold path [R5-USER-MODEL]', async () => {
  const persona: Persona = { name: 'Mara', verbosity: 'terse' };
  const model = scriptedModel({ user: ['Count.', '###STOP###'] });
  const { reward } = await withUser(personaUserSide({ model }, persona));
  expect(reward?.reward).toBe(1);
  const seen = JSON.stringify(model.requests);
  expect(seen).toContain('You are Mara.');
  expect(seen).toContain('Have 2 counted.');
  for (const action of sumTask(1).criteria?.actions ?? []) expect(seen).not.toContain(action.actionId);
  expect(seen).not.toContain('amount');
});
