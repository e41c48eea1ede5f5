import type { Requestor, SpokenMessage } from '../world/message.js';
import type { GoldAction, Task } from '../world/task.js';
import { isResults } from './message-shape.js';
import type { Party } from './party.js';
import { userStops } from './stop-tokens.js';

/**
 * An agent and a user that make the task's gold calls in order, each its own, and then stop. Neither knows what the other
 * does: who speaks has made its calls up to the other's next one, so each side can tell where the list stands.
 */
export function goldParties(task: Task, how: { now(): number }): { readonly agent: Party; readonly user: Party } {
  return { agent: goldAgent(task, how), user: goldUser(task, how) };
}

/** Makes the agent's gold calls. What a right agent has to tell the user, it says when it has made them. */
export function goldAgent(task: Task, how: { now(): number }): Party {
  const list = new GoldList(task, 'assistant');
  const end = ['That is done.', ...(task.criteria?.communicateInfo ?? [])].join(' ');
  return {
    open: () => undefined,
    stops: () => false,
    take: async (incoming) => {
      if (!isResults(incoming)) list.passOthers(); // the user speaks when it has made its calls
      return list.move(how.now()) ?? words('assistant', list.isOver ? end : 'Please do your part.', how.now());
    },
  };
}

/** Makes the user's gold calls, waits for the agent's, and stops when there are none left. */
export function goldUser(task: Task, how: { now(): number }): Party {
  const list = new GoldList(task, 'user');
  const actions = task.criteria?.actions ?? [];
  // an agent that made the last call says how it ended by itself; otherwise it has to be asked
  let isTold = (task.criteria?.communicateInfo ?? []).length === 0 || actions.at(-1)?.requestor === 'assistant';
  return {
    open: () => undefined,
    stops: userStops,
    take: async () => {
      const move = list.move(how.now());
      if (move !== undefined) return move;
      if (list.isOver && isTold) return words('user', '###STOP###', how.now());
      if (list.isOver) isTold = true;
      list.passOthers();
      return words('user', 'Please go on.', how.now());
    },
  };
}

/** One side's place in the list of gold calls. */
class GoldList {
  private readonly actions: readonly GoldAction[];
  private readonly role: Requestor;
  private next = 0;

  constructor(task: Task, role: Requestor) {
    this.actions = task.criteria?.actions ?? [];
    this.role = role;
  }

  get isOver(): boolean {
    return this.next >= this.actions.length;
  }

  /** The call that is next, where it is this side's. */
  move(at: number): SpokenMessage | undefined {
    const action = this.actions[this.next];
    if (action?.requestor !== this.role) return undefined;
    const call = { id: `gold_${this.next++}`, name: action.name, arguments: action.arguments, requestor: this.role };
    return { role: this.role, content: null, calls: [call], cost: 0, at };
  }

  passOthers(): void {
    while (!this.isOver && this.actions[this.next]?.requestor !== this.role) this.next++;
  }
}

function words(role: Requestor, content: string, at: number): SpokenMessage {
  return { role, content, calls: [], cost: 0, at };
}
