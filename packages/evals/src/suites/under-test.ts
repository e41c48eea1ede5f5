import type { Model, Run, Sampling, ToolRef } from 'flyball';
import type { ConversationPolicy } from 'flyball/agents';
import { canonicalJson, sha256 } from 'flyball/internal';
import type { Party } from '../simulation/party.js';
import { speakerParty } from '../simulation/speaker-party.js';
import type { Environment } from '../world/environment.js';

/** What decides how an agent behaves. What is simulated has to be what is in production, to the last of these. */
export interface AgentConfiguration {
  readonly policy: string;
  readonly setup: string;
  readonly model: string;
  readonly sampling?: Sampling;
  readonly tools: readonly Pick<ToolRef, 'name' | 'description' | 'inputJsonSchema'>[];
}

/** The hash of a configuration: two agents with the same hash are the same agent. */
export function configurationHash({ policy, setup, model, sampling = {}, tools }: AgentConfiguration): string {
  const offered = tools.map(({ name, description, inputJsonSchema = null }) => [name, description, inputJsonSchema]);
  return sha256(canonicalJson({ policy, setup, model, sampling, tools: offered }));
}

/** What an agent under test is given for one simulation. */
export interface AgentSetting {
  readonly run: Run;
  /** What the world offers. */
  readonly tools: readonly ToolRef[];
  /** The world's policy text. */
  readonly policy: string;
  readonly seed: number;
}

/** The agent whose behavior is measured: the whole of it, as it is in production. */
export interface AgentUnderTest {
  readonly model: string;
  make(setting: AgentSetting): {
    readonly party: Party;
    readonly configuration: string;
    /** Where its calls are made, if guards of its own stand around them. */
    readonly run?: Run;
  };
}

/** An agent under one of the conversation policies. The seed goes to its model and is no part of its configuration. */
export function speakerAgent(
  policy: ConversationPolicy,
  by: { readonly model: Model; readonly sampling?: Sampling; readonly instructions?: string },
): AgentUnderTest {
  return {
    model: by.model.id,
    make: ({ run, tools, policy: text, seed }) => {
      const sampling = { ...by.sampling, seed };
      const speaker = policy({ ...by, sampling, policy: text, tools });
      const configuration = configurationHash({
        policy: speaker.policy,
        setup: speaker.setup,
        model: by.model.id,
        ...(by.sampling === undefined ? {} : { sampling: by.sampling }),
        tools,
      });
      return { party: speakerParty(run, speaker), configuration };
    },
  };
}

/** Tools and data that stand in for the real ones, made fresh for every run. */
export interface WorldSim {
  /** Names what its answers depend on. */
  readonly pin: string;
  open(scenario: string, seed: number): Environment;
}
