import type { Model, Sampling } from 'flyball';
import type { ConversationPolicy, GateRules } from 'flyball/agents';
import { goldAgent, goldUser } from '../simulation/gold-party.js';
import { llmUser } from '../simulation/llm-user.js';
import { type Line, scriptedParty, silentAgent } from '../simulation/scripted-party.js';
import { speakerParty } from '../simulation/speaker-party.js';
import { userPrompt } from '../simulation/user-prompt.js';
import { pyOf } from '../tau2/python/plain-values.js';
import type { SideMaker } from './experiment.js';

/** A model that plays one side of a conversation. */
export interface ModelSide {
  readonly model: Model;
  readonly sampling?: Sampling;
}

/** An agent under one of the conversation policies, and behind a gate where one is given. The trial's seed goes to its model. */
export function policyAgent(policy: ConversationPolicy, by: ModelSide, gate?: GateRules): SideMaker {
  return {
    ...(gate === undefined ? {} : { gate }),
    llm: by.model.id,
    llmArgs: pyOf(by.sampling ?? {}),
    make: ({ run, domain, policy: text, tools, seed, note }) => {
      const { agentInstruction: instructions } = domain;
      const speaker = policy({
        model: by.model,
        sampling: { ...by.sampling, seed },
        ...(instructions === undefined ? {} : { instructions }),
        policy: text,
        tools,
      });
      return speakerParty(run, speaker, { onNote: note });
    },
  };
}

/** A user that a model plays by the domain's guidelines and the task's scenario. */
export function modelUser(by: ModelSide): SideMaker {
  return {
    llm: by.model.id,
    llmArgs: pyOf(by.sampling ?? {}),
    make: ({ run, domain, task, tools, seed }) =>
      llmUser({
        run,
        model: by.model,
        sampling: { ...by.sampling, seed },
        setup: userPrompt(domain, task, tools.length > 0),
        tools,
      }),
  };
}

/** The gold agent and the gold user: the ceiling of every measurement. */
export const goldAgentSide: SideMaker = {
  llm: null,
  make: ({ run, task }) => goldAgent(task, { now: () => run.now() }),
};
/** The gold user: performs exactly the actions that the task expects of the user. */
export const goldUserSide: SideMaker = {
  llm: null,
  make: ({ run, task }) => goldUser(task, { now: () => run.now() }),
};

/** The floor. */
export const silentAgentSide: SideMaker = { llm: null, make: ({ run }) => silentAgent({ now: () => run.now() }) };

/** A user that says its lines: the same for every task, or by task. */
export function scriptedUser(script: readonly Line[] | ((taskId: string) => readonly Line[])): SideMaker {
  return {
    llm: null,
    make: ({ run, task }) =>
      scriptedParty(typeof script === 'function' ? script(task.id) : script, { role: 'user', now: () => run.now() }),
  };
}
