import type { ToolCall } from 'flyball';
import { beforeAll, expect, it } from 'vitest';
import { dataFolder } from '../../../packages/evals/src/files/index.js';
import { bankingKnowledge } from '../../../packages/evals/src/tau2/banking-knowledge/index.js';
import { bankingGate } from '../../../packages/evals/src/tau2/policies/banking-gate.js';
import type { Domain, Environment } from '../../../packages/evals/src/world/environment.js';
import type { Task } from '../../../packages/evals/src/world/task.js';
import type { MoveNote } from '../../../packages/flyball/src/agents/policies/conversation-policy.js';
import { governed } from '../../../packages/flyball/src/agents/policies/governed.js';
import { tau2, withTau2 } from '../tau2-data.js';
import { conversation, goldCall, scripted } from './stage-domains.js';

type Refused = Extract<MoveNote, { readonly kind: 'refused' }>;

/** A call, the user's turn, or more calls that follow from what was read. */
type Step = ToolCall | 'user' | ((read: string) => readonly ToolCall[]);

const ACCOUNTS = 'get_all_user_accounts_by_user_id_3847';
const CARDS = 'get_debit_cards_by_account_id_7823';
const TRANSACTIONS = 'get_bank_account_transactions_9173';

let reads = 0;
const read = (name: string, args: unknown): ToolCall => ({
  id: `read_${++reads}`,
  name,
  arguments: JSON.stringify(args),
});
const unlock = (name: string): ToolCall => read('unlock_discoverable_agent_tool', { agent_tool_name: name });
const through = (name: string, args: unknown): ToolCall =>
  read('call_discoverable_agent_tool', { agent_tool_name: name, arguments: JSON.stringify(args) });

/** What a right agent looks at once it knows whom it serves: their cards and accounts, and what is on each. */
function inventory(user: unknown): readonly Step[] {
  return [
    read('get_credit_card_accounts_by_user', { user_id: user }),
    read('get_credit_card_transactions_by_user', { user_id: user }),
    ...[ACCOUNTS, CARDS, TRANSACTIONS].map(unlock),
    through(ACCOUNTS, { user_id: user }),
    (listed) =>
      [...(listed.split('On credit cards:')[0] ?? '').matchAll(/account_id: (\S+)\n[\s\S]*?class: (\w+)/g)].flatMap(
        ([, id, kind]) => [
          through(TRANSACTIONS, { account_id: id }),
          ...(kind?.endsWith('checking') === true ? [through(CARDS, { account_id: id })] : []),
        ],
      ),
  ];
}

/**
 * The gold calls of a task as a model makes them: the agent's in order, with the lookup that a right agent makes before
 * it logs whom it verified, and its look at what they have afterwards. (Gold paths list no reads that leave no trace, so
 * these are in none of them.)
 */
function goldPath(task: Task): Step[] {
  return (task.criteria?.actions ?? []).flatMap((action, at): readonly Step[] => {
    if (action.requestor === 'user') return ['user'];
    const id = action.arguments.get('user_id');
    const lookup = { id: `look_${at}`, name: 'get_user_information_by_id', arguments: JSON.stringify({ user_id: id }) };
    const call = goldCall(action, `gold_${at}`);
    if (action.name !== 'log_verification') return [call];
    const isRecord = action.arguments.get('name') !== id; // a recovery code stands in every field and shows nobody
    return isRecord ? [lookup, call, ...inventory(id)] : [lookup, call];
  });
}

async function playGold(domain: Domain, task: Task, gate = bankingGate) {
  const path = goldPath(task);
  const users = (task.criteria?.actions ?? []).filter(({ requestor }) => requestor === 'user');
  let next = 0;
  const model = scripted((request) => {
    const told = request.messages.at(-1);
    if (told?.role === 'tool' && told.content.startsWith('Refused')) return 'I cannot do that.';
    const step = path[next];
    if (typeof step === 'function') path.splice(next, 1, ...step(told?.content ?? ''));
    const made = path[next++];
    return typeof made === 'object' ? { toolCalls: [made] } : 'Please go on.';
  });
  const answer = async (environment: Environment) => {
    // whatever the user does at this point of the gold path is done before they speak
    while (path[next - 1] === 'user' || path[next] === 'user') {
      const action = users.shift();
      if (action !== undefined) await swallowed(() => environment.make(action));
      if (path[next] !== 'user') break;
      next += 1;
    }
    return next < path.length ? 'Go on.' : undefined;
  };
  const seen = await conversation({
    domain,
    task,
    retrieval: 'golden_retrieval',
    model: () => model,
    policy: governed({ skills: [{ name: 'care', text: 'Verify.' }], gate }),
    maxMoves: 400,
    answer,
  });
  return {
    seen,
    refused: seen.notes.filter((note): note is Refused => note.kind === 'refused'),
    isOver: next >= path.length,
  };
}

async function swallowed(body: () => unknown): Promise<void> {
  try {
    await body();
  } catch {
    // a gold call may fail, as the reference has it
  }
}

async function goldHash(domain: Domain, task: Task): Promise<string | null> {
  const environment = domain.environment({ task, retrieval: 'golden_retrieval' });
  await environment.setState(task.initialState, { strict: true });
  for (const action of task.criteria?.actions ?? []) await swallowed(() => environment.make(action));
  return environment.hashes().agent;
}

withTau2('governed on the gold paths of banking_knowledge', () => {
  let domain: Domain;
  beforeAll(async () => {
    domain = await bankingKnowledge.load(dataFolder(tau2().data));
  });

  it('refuses nothing except in the four tasks that write before anybody is verified, and leads to the gold databases [R5-TALK-GOV-GOLD]', async () => {
    const refusals = new Map<string, readonly string[]>();
    for (const task of domain.tasks) {
      const { seen, refused, isOver } = await playGold(domain, task);
      if (refused.length > 0)
        refusals.set(
          task.id,
          refused.map(({ rule, call }) => `${rule} ${call.name}`),
        );
      expect(isOver, task.id).toBe(true);
      if (refused.length === 0) expect(seen.environment.hashes().agent, task.id).toBe(await goldHash(domain, task));
    }
    expect(domain.tasks).toHaveLength(97);
    expect(Object.fromEntries(refusals)).toEqual({
      task_015: ['verification give_discoverable_user_tool'],
      task_032: Array.from({ length: 3 }, () => 'verification call_discoverable_agent_tool'),
      task_033: Array.from({ length: 2 }, () => 'verification call_discoverable_agent_tool'),
      task_035: ['verification call_discoverable_agent_tool'],
    });
    expect(new Set(refusals.keys())).toEqual(domain.compliance.exempt);
  });

  it('lets those four pass too where a bank opens their tools in the rules [R5-TALK-GOV-GOLD]', async () => {
    const open = ['get_referral_link', 'initial_transfer_to_human_agent_*', 'emergency_*_transfer_*'];
    for (const task of domain.tasks.filter(({ id }) => domain.compliance.exempt.has(id))) {
      const { refused } = await playGold(domain, task, { ...bankingGate, open });
      expect(refused, task.id).toEqual([]);
    }
  });
});
