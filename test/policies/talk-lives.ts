import { type Agent, budget, type Entry, type Model, type ModelRequest, type Outcome, type ToolRef } from 'flyball';
import { type ScriptedModel, scriptedModel } from 'flyball/testing';
import { POLICY_DOMAINS } from '../../packages/evals/src/policies/policy-domains.js';
import { conversationPolicy } from '../../packages/flyball/src/agents/policies/policies.js';
import { type Talked, talk } from '../../packages/flyball/src/agents/policies/talk.js';
import type { Journey } from '../crash/carry-on.js';
import { type Doomed, type Lives, throughLives } from '../crash/lives.js';
import { StableWorld } from '../crash/mixed-agent.js';
import { ANN, LOGGED, listing, STATED } from './small-bank.js';
import { offered } from './stage-policies.js';

/** What the person says, message by message. */
const MESSAGES = [STATED, 'Go on.', 'Is it done?'];

/** What the model wants to do, whatever it is told: the write comes first, and again when it is in order. */
const WANTED: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['change_user_email', { user_id: 'a1', new_email: 'new@lee.org' }],
  ['get_user_information_by_id', { user_id: 'a1' }],
  ['log_verification', LOGGED],
  ['change_user_email', { user_id: 'a1', new_email: 'new@lee.org' }],
];

const ANSWERS: Readonly<Record<string, string>> = {
  change_user_email: 'Email changed.',
  get_user_information_by_id: listing(ANN),
  log_verification: 'Verification logged.',
  transfer_to_human_agents: 'Transfer successful.',
};

/** A function of the request alone, as a model is. */
function reply({ messages, toolChoice }: ModelRequest) {
  if (toolChoice === 'none') return 'TASKS:\n1. Change the email\nEND_TASKS\nI am starting.';
  const made = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []));
  const next = WANTED[made.length];
  if (next === undefined) return `Answer ${messages.filter(({ role }) => role === 'user').length}.`;
  return { toolCalls: [{ id: `c${made.length}`, name: next[0], arguments: JSON.stringify(next[1]) }] };
}

/** What outlives the processes of a conversation: the bank, the provider of the model, and how often each was asked. */
export class TalkWorld extends StableWorld {
  readonly asked = new Map<string, number>();
  readonly ran = new Map<string, number>();
  private readonly scripted: ScriptedModel = scriptedModel({ agent: reply }, { repeatedKey: 'same-reply' });

  get model(): Model {
    const generate: Model['generate'] = (request, how) => {
      this.asked.set(how.key, (this.asked.get(how.key) ?? 0) + 1);
      return this.scripted.generate(request, how);
    };
    return { ...this.scripted, generate };
  }

  get tools(): readonly ToolRef[] {
    return Object.entries(ANSWERS).map(([name, answer]) => ({
      ...offered(name),
      effect: 'idempotent',
      execute: async (_args: unknown, { key }: { readonly key: string }) => {
        if (!this.isDead()) this.ran.set(key, (this.ran.get(key) ?? 0) + 1);
        await this.act(name, key, true);
        return answer;
      },
    }));
  }
}

export interface TalkLives extends Omit<Lives, 'outcome'> {
  readonly world: TalkWorld;
  readonly outcome: Outcome<Talked>;
}

/** Takes one conversation under a policy to its end, in as many lives as it takes. */
export async function liveTalk(policy: string, runId: string, lifeOf: (life: number) => Doomed): Promise<TalkLives> {
  const world = new TalkWorld();
  const lived = await throughLives({
    journey: journeyOf(runId),
    agents: { talk: agentFor(policy, world) },
    world,
    lifeOf,
  });
  return { ...lived, world, outcome: lived.outcome as Outcome<Talked> };
}

function agentFor(name: string, { model, tools }: TalkWorld): Agent<unknown, unknown> {
  const parts = { skills: [{ name: 'care', text: 'Verify.' }], ...POLICY_DOMAINS['banking_knowledge'] };
  const policy = conversationPolicy(name, parts);
  const setting = { model, policy: 'Be fair.', tools };
  const gate = name === 'governed' ? { gate: { rules: parts.gate ?? never() } } : {};
  return talk({ speaker: () => policy(setting), tools, ...gate });
}

function never(): never {
  throw new Error('banking has a gate');
}

function journeyOf(runId: string): Journey {
  const asked = new Map<string, number>();
  return {
    runId,
    start: (runtime) => runtime.start('talk', MESSAGES[0], { id: runId, budget: budget({ wallMs: 1e12 }) }),
    answer: ({ effect }) => {
      const nth = asked.get(effect) ?? asked.size + 1; // the same wait gets the same message, in every life
      asked.set(effect, nth);
      const text = MESSAGES[nth];
      return { id: `message ${nth}`, payload: text === undefined ? { end: true } : { text } };
    },
  };
}

/** What the person read, and what was noted about the moves. */
export function readable(entries: readonly Entry[]): readonly unknown[] {
  return entries.flatMap(({ event }) => (event.type === 'note' ? [event.event] : []));
}
