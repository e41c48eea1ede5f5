import type { Model, Run, Sampling, ToolRef } from 'flyball';
import { ConfigError } from 'flyball';
import type { SideMaker } from '../experiment/experiment.js';
import { type ModelSide, modelUser } from '../experiment/sides.js';
import { llmUser } from '../simulation/llm-user.js';
import type { Party } from '../simulation/party.js';
import { type Line, scriptedParty } from '../simulation/scripted-party.js';
import { type Persona, withPersona } from './persona.js';
import { type RuleScript, readRules, ruleUser } from './rule-user.js';
import { type UserView, viewPrompt } from './user-view.js';

/** What a user of a scenario is made from: its own part of the scenario, and a door to the world. */
export interface UserSetting {
  readonly run: Run;
  readonly view: UserView;
  /** What the user itself may call. */
  readonly tools: readonly ToolRef[];
  readonly seed: number;
}

/** A kind of user. `pin` names what its behavior depends on: with another one, results are not comparable. */
export interface UserSim {
  readonly pin: string;
  make(setting: UserSetting): Party;
}

/** Says its lines, whatever it hears: by scenario. */
export function turnUser(scripts: Readonly<Record<string, readonly Line[]>>): UserSim {
  return {
    pin: 'scripted by turns',
    make: ({ run, view }) => scriptedParty(ownOf(scripts, view.id, 'lines'), { role: 'user', now: () => run.now() }),
  };
}

/** Answers by rules what it hears: by scenario. */
export function listeningUser(scripts: Readonly<Record<string, RuleScript>>): UserSim {
  for (const script of Object.values(scripts)) readRules(script);
  return {
    pin: 'scripted by rules',
    make: ({ run, view }) => ruleUser(ownOf(scripts, view.id, 'rules'), { now: () => run.now() }),
  };
}

/** A model plays the persona and pursues the goal. */
export function personaUser(by: { readonly model: Model; readonly sampling?: Sampling }): UserSim {
  return {
    pin: by.model.id,
    make: ({ run, view, tools, seed }) =>
      llmUser({ run, model: by.model, sampling: { ...by.sampling, seed }, setup: viewPrompt(view), tools }),
  };
}

/** The users of an experiment's tasks under rules: the same for every task, or by task. */
export function ruleUserSide(script: RuleScript | ((taskId: string) => RuleScript)): SideMaker {
  if (typeof script !== 'function') readRules(script);
  return {
    llm: null,
    make: ({ run, task }) =>
      ruleUser(typeof script === 'function' ? script(task.id) : script, { now: () => run.now() }),
  };
}

/** A model plays the users of an experiment's tasks, as people of this kind. */
export function personaUserSide(by: ModelSide, persona: Persona): SideMaker {
  const plain = modelUser(by);
  return { ...plain, make: (setting) => plain.make({ ...setting, task: withPersona(setting.task, persona) }) };
}

function ownOf<T>(scripts: Readonly<Record<string, T>>, id: string, what: string): T {
  const script = Object.hasOwn(scripts, id) ? scripts[id] : undefined;
  if (script === undefined)
    throw new ConfigError(
      `The user has no ${what} for scenario ${id}. Available: ${Object.keys(scripts).join(', ') || 'none'}.`,
    );
  return script;
}
