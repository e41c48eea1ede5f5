import { FlyballError } from 'flyball';
import type { SimCall, SimMessage, SpokenMessage, ToolMessage } from '../world/message.js';
import { costOf } from './cost.js';
import { checkHistory, checkSpoken, datedHistory } from './history.js';
import { hasWords, isCall, visibleToAgent, visibleToUser } from './message-shape.js';
import type { Course, Incoming, Limits, Party, Termination } from './party.js';
import { userStops } from './stop-tokens.js';

/** The first message of every conversation, said by the agent. */
export const GREETING = 'Hi! How can I help you today?';

export interface ConversationParts {
  readonly agent: Party;
  readonly user: Party;
  /** Makes a call in the environment: at once in memory, or through a run that keeps what it answered. Dated here. */
  respond(call: SimCall): Promise<ToolMessage>;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly limits: Limits;
  /** What was said before; the environment has been brought there already. */
  readonly history?: readonly SimMessage[] | null;
}

type Role = 'agent' | 'user' | 'env';

/**
 * Who speaks to whom, in half duplex. Invariants:
 * 1. One step is one move: a party's message, or all calls of one message answered.
 * 2. Limits are looked at after every step unless the environment moves next, so a call is always answered; and also
 *    when the conversation is over already, so a stop on the last allowed step counts as out of steps.
 * 3. Errors are counted over both sides and the whole conversation.
 */
export class Conversation {
  private readonly parts: ConversationParts;
  private readonly spoken: SimMessage[] = [];
  private readonly startedAt: number;
  private termination: Termination | undefined;
  private from: Role = 'agent';
  private to: Role = 'user';
  private last: Incoming | undefined;
  private stepCount = 0;
  private errorCount = 0;

  constructor(parts: ConversationParts) {
    this.parts = parts;
    this.startedAt = parts.now();
  }

  get steps(): number {
    return this.stepCount;
  }

  get errors(): number {
    return this.errorCount;
  }

  /** Everything said so far, in the order in which it was said. */
  get messages(): readonly SimMessage[] {
    return this.spoken;
  }

  async run(): Promise<Course> {
    await this.begin();
    while (this.termination === undefined) {
      await this.step();
      this.checkLimits();
    }
    if (this.to === 'env' && this.termination !== 'agent_error' && this.termination !== 'user_error')
      throw new FlyballError('REPLY_INVALID', 'The conversation was ended by a message that calls a tool.');
    return this.course(this.termination);
  }

  private async begin(): Promise<void> {
    const history = this.parts.history ?? [];
    if (history.length > 0) this.goOnFrom(datedHistory(history, this.startedAt));
    else if (this.parts.limits.solo === true) await this.beginAlone();
    else this.greet();
    this.enforceProtocol();
  }

  private greet(): void {
    const greeting: SpokenMessage = { role: 'assistant', content: GREETING, calls: [], cost: 0, at: this.parts.now() };
    this.parts.user.open([]);
    this.parts.agent.open([greeting]);
    this.spoken.push(greeting);
    this.pass(greeting, 'agent', 'user');
  }

  private async beginAlone(): Promise<void> {
    const { agent, user } = this.parts;
    if (agent.begin === undefined)
      throw new FlyballError('CONFIG_INVALID', 'This agent cannot work alone: it has no first move of its own.');
    user.open([]);
    agent.open([]);
    const first = await agent.begin();
    this.spoken.push(first);
    this.pass(first, 'agent', isCall(first) ? 'env' : 'user');
    if (agent.stops(first)) {
      this.to = 'user';
      this.termination = 'agent_stop';
    } else if (!isCall(first)) this.termination = 'agent_error';
  }

  /** The last message is what its receiver hears next; everything before it, both may already know. */
  private goOnFrom(history: readonly SimMessage[]): void {
    checkHistory(history);
    const last = history.at(-1);
    if (last === undefined) return;
    this.spoken.push(...history);
    const { agent, user } = this.parts;
    const receiver = receiverOf(last);
    const before = (to: Role): readonly SimMessage[] => (receiver === to ? history.slice(0, -1) : history);
    agent.open(before('agent').filter(visibleToAgent));
    user.open(before('user').filter(visibleToUser));
    if (last.role === 'tool') this.pass([last], 'env', receiver);
    else this.pass(last, last.role === 'assistant' ? 'agent' : 'user', isCall(last) ? 'env' : receiver);
    if (last.role === 'assistant' && agent.stops(last)) this.termination = 'agent_stop';
    if (last.role === 'user' && userStops(last)) this.termination = 'user_stop';
  }

  private async step(): Promise<void> {
    if (this.to === 'user') await this.userMoves();
    else if (this.to === 'agent') await this.agentMoves();
    else await this.environmentMoves();
    this.enforceProtocol();
    this.stepCount++;
  }

  private async userMoves(): Promise<void> {
    const message = await this.parts.user.take(this.heard());
    checkSpoken(message);
    if (userStops(message)) this.termination = 'user_stop';
    this.spoken.push(message);
    this.pass(message, 'user', isCall(message) ? 'env' : 'agent');
  }

  private async agentMoves(): Promise<void> {
    const { agent, limits } = this.parts;
    const message = await agent.take(this.heard());
    checkSpoken(message);
    const stops = agent.stops(message);
    if (stops) this.termination = 'agent_stop';
    this.spoken.push(message);
    this.pass(message, 'agent', isCall(message) ? 'env' : 'user');
    if (limits.solo === true && !isCall(message) && !stops) this.termination = 'agent_error';
  }

  private async environmentMoves(): Promise<void> {
    const { calls } = this.heard() as SpokenMessage;
    if (calls.length === 0)
      throw new FlyballError('REPLY_INVALID', 'A message has an empty list of calls.', { retryable: true });
    const results: ToolMessage[] = [];
    for (const call of calls) {
      const result = { ...(await this.parts.respond(call)), at: this.parts.now() };
      if (result.error) this.errorCount++;
      results.push(result);
    }
    this.spoken.push(...results);
    this.pass(results, 'env', this.from);
  }

  private heard(): Incoming {
    if (this.last === undefined) throw new FlyballError('CONFIG_INVALID', 'The conversation has not begun.');
    return this.last;
  }

  private pass(message: Incoming, from: Role, to: Role): void {
    this.last = message;
    this.from = from;
    this.to = to;
  }

  private enforceProtocol(): void {
    if (this.parts.limits.enforceProtocol !== true || this.from === 'env') return;
    const message = this.heard() as SpokenMessage;
    const isBroken = isCall(message) === hasWords(message) || this.speaksAlone(message);
    if (isBroken) this.termination = this.from === 'agent' ? 'agent_error' : 'user_error';
  }

  private speaksAlone(message: SpokenMessage): boolean {
    const { agent, limits } = this.parts;
    return limits.solo === true && this.from === 'agent' && hasWords(message) && !agent.stops(message);
  }

  private checkLimits(): void {
    if (this.to === 'env') return;
    const { maxSteps, maxErrors, timeoutMs } = this.parts.limits;
    if (this.stepCount >= maxSteps) this.termination = 'max_steps';
    if (this.errorCount >= maxErrors) this.termination = 'too_many_errors';
    if (this.termination !== undefined || timeoutMs === undefined) return;
    if (this.parts.now() - this.startedAt >= timeoutMs) this.termination = 'timeout';
  }

  private course(termination: Termination): Course {
    const messages = [...this.spoken].sort((a, b) => a.at - b.at);
    return {
      messages,
      termination,
      steps: this.stepCount,
      errors: this.errorCount,
      agentCost: costOf(messages, 'assistant'),
      userCost: costOf(messages, 'user'),
    };
  }
}

/** Simulates a conversation between an agent and a user until one of them ends it or a limit is reached. */
export function simulate(parts: ConversationParts): Promise<Course> {
  return new Conversation(parts).run();
}

function receiverOf(last: SimMessage): 'agent' | 'user' {
  if (last.role === 'tool') return last.requestor === 'assistant' ? 'agent' : 'user';
  return last.role === 'assistant' ? 'user' : 'agent';
}
