import { expect, it } from 'vitest';
import { loggedReads } from '../../packages/evals/src/domains/discovery/logged-reads.js';
import { dataFolder } from '../../packages/evals/src/files/data-folder.js';
import { bankingKnowledge } from '../../packages/evals/src/tau2/banking-knowledge/index.js';
import { parseJson } from '../../packages/evals/src/tau2/python/json.js';
import type { PyValue } from '../../packages/evals/src/tau2/python/value.js';
import type { DataFolder, Environment } from '../../packages/evals/src/world/environment.js';
import { benchmarkDomain, taskOf } from './domains.js';
import { tau2, withTau2 } from './tau2-data.js';

const FOLDER = 'domains/banking_knowledge';
const SIDES = { assistant: 'agent', user: 'user' } as const;

/** The benchmark's folder in which some files say something else; undefined takes one away. */
function changed(files: Readonly<Record<string, string | undefined>>): DataFolder {
  const real = dataFolder(tau2().data);
  return {
    place: real.place,
    read: async (path) => (path in files ? files[path] : real.read(path)),
    list: async (path) => {
      const own = Object.keys(files).filter((file) => file.startsWith(`${path}/`));
      return [...new Set([...(await real.list(path)), ...own.map((file) => file.slice(path.length + 1))])].sort();
    },
  };
}

async function toolsJson(): Promise<string> {
  return (await dataFolder(tau2().data).read(`${FOLDER}/tools.json`)) ?? '';
}

async function said(env: Environment, name: string, args: Record<string, PyValue>): Promise<string> {
  const requestor = env.user?.has(name) === true ? 'user' : 'assistant';
  const call = { id: '1', name, requestor, arguments: new Map(Object.entries(args)) } as const;
  return (await env.respond(call)).content;
}

withTau2('the domain banking_knowledge', () => {
  it('has the 97 tasks by name, their documents and who may write before anybody is verified', async () => {
    const domain = await benchmarkDomain('banking_knowledge');
    const ids = domain.tasks.map(({ id }) => id);
    expect(ids).toHaveLength(97);
    expect(ids).toEqual(ids.toSorted());
    expect(domain.taskSets.get('base')).toEqual(ids);
    expect(domain.leftOut).toEqual([]);
    expect(domain.documents?.size).toBe(698);
    expect(domain.userGuidelines(true)).not.toBe(domain.userGuidelines(false));
    expect([...domain.compliance.exempt]).toEqual(['task_015', 'task_032', 'task_033', 'task_035']);
    expect(domain.compliance.verification).toBe('log_verification');
    expect(domain.compliance.writes.size).toBe(8);
  });

  it('offers 14 base and 6 user tools and answers to 44 + 4 more [R5-DOMAIN-BANKING-TOOLS]', async () => {
    const domain = await benchmarkDomain('banking_knowledge');
    const env = domain.environment({ retrieval: 'no_knowledge' });
    expect(env.agent.schemas).toHaveLength(14);
    expect(env.user?.schemas).toHaveLength(6);
    const tools = JSON.parse(await toolsJson()) as Record<string, Record<string, { mutates_state: boolean }>>;
    for (const [side, key, count] of [
      ['assistant', 'agent_discoverable', 44],
      ['user', 'user_discoverable', 4],
    ] as const) {
      const hidden = Object.entries(tools[key] ?? {});
      const kit = env[SIDES[side]];
      expect(hidden).toHaveLength(count);
      for (const [name, tool] of hidden) {
        expect([name, kit?.has(name), kit?.mutates(name)]).toEqual([name, true, tool.mutates_state]);
        expect(kit?.schemas.some((schema) => schema.name === name)).toBe(false);
      }
    }
    await env.close?.();
  });

  it('shows schemas and descriptions as tools.json has them [R5-DOMAIN-BANKING-DATA]', async () => {
    const text = await toolsJson();
    const tools = text.replaceAll('Temporarily freeze a debit card.', 'Put a card on ice.');
    const words = tools.replace('"Get all referrals made by a user.', '"Who was brought here by a user?');
    expect(words).not.toBe(text);
    const domain = await bankingKnowledge.load(changed({ [`${FOLDER}/tools.json`]: words }));
    const env = domain.environment({ retrieval: 'no_knowledge' });
    const shown = JSON.parse(words) as { agent_toolkits: Record<string, { schemas: { function: unknown }[] }> };
    const plain = shown.agent_toolkits['KnowledgeToolsPlain']?.schemas.map((schema) => schema.function);
    expect(env.agent.schemas).toEqual(plain);
    expect(JSON.stringify(env.agent.schemas)).toContain('Who was brought here');
    const unlocked = await said(env, 'unlock_discoverable_agent_tool', { agent_tool_name: 'freeze_debit_card_3892' });
    expect(unlocked).toContain('Description: Put a card on ice.');
    await env.close?.();
  });

  it('refuses a tools.json of another revision, naming the tool [R5-DOMAIN-BANKING-DATA]', async () => {
    const text = await toolsJson();
    const load = (tools: string | undefined): Promise<unknown> =>
      bankingKnowledge.load(changed({ [`${FOLDER}/tools.json`]: tools }));
    await expect(load(text.replaceAll('freeze_debit_card_3892', 'freeze_debit_card_9999'))).rejects.toThrow(
      /freeze_debit_card_9999 is unknown here/,
    );
    await expect(load(text.replace('"name": "new_rewards_earned"', '"name": "points"'))).rejects.toThrow(
      /update_transaction_rewards_3847 has the parameters \(transaction_id, points\) there/,
    );
    await expect(load('{}')).rejects.toThrow(/agent_toolkits: expected an object/);
    await expect(load(undefined)).rejects.toThrow(/There is no domains\/banking_knowledge\/tools.json/);
  });

  it('leaves out a task that cannot be read and says which', async () => {
    const files = { [`${FOLDER}/tasks/task_001.json`]: '{"id": ', [`${FOLDER}/tasks/task_zzz.json`]: '{"id": 5}' };
    const domain = await bankingKnowledge.load(changed(files));
    expect(domain.tasks).toHaveLength(96);
    expect(domain.leftOut).toEqual([
      `${FOLDER}/tasks/task_001.json: Expecting value: line 1 column 8 (char 7)`,
      expect.stringMatching(/task_zzz\.json: .*user_scenario: expected an object/),
    ]);
  });

  it('logs a read only where the gold path of the task makes it', async () => {
    const domain = await benchmarkDomain('banking_knowledge');
    const task = taskOf(domain, 'task_078');
    const gold = loggedReads(task);
    const read = 'get_all_user_accounts_by_user_id_3847';
    expect(gold.has(read)).toBe(true);
    expect(loggedReads(undefined).size).toBe(0);
    const hashes: (string | null)[] = [];
    for (const options of [{ task, retrieval: 'no_knowledge' }, { retrieval: 'no_knowledge' }]) {
      const env = domain.environment(options);
      const before = env.hashes().agent;
      await said(env, 'unlock_discoverable_agent_tool', { agent_tool_name: read });
      expect(env.hashes().agent).toBe(before);
      await said(env, 'call_discoverable_agent_tool', { agent_tool_name: read, arguments: '{"user_id": "x"}' });
      hashes.push(env.hashes().agent === before ? null : env.hashes().agent);
      await env.close?.();
    }
    expect(hashes).toEqual([expect.any(String), null]);
  });

  it('gives every simulation a database of its own, shared by its two sides', async () => {
    const domain = await benchmarkDomain('banking_knowledge');
    const [one, other] = [domain, domain].map(({ environment }) => environment({ retrieval: 'no_knowledge' }));
    const fresh = other?.hashes().agent;
    if (one !== undefined) await said(one, 'request_human_agent_transfer', {});
    expect(one?.hashes().agent).toBe(one?.hashes().user);
    expect(one?.hashes().agent).not.toBe(fresh);
    expect(other?.hashes().agent).toBe(fresh);
    const patch = { agentData: null, userData: parseJson('{"users": {"notes": "x"}}'), actions: null, history: null };
    await other?.setState(patch, { strict: true });
    expect(other?.hashes().agent).toBe(other?.hashes().user);
    expect(other?.hashes().agent).not.toBe(fresh);
  });
});
