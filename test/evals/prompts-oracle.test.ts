import { readFileSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { TAU2_AGENT_INSTRUCTION } from '../../packages/evals/src/domains/agent-instruction.js';
import { userToolNames } from '../../packages/evals/src/experiment/user-tools.js';
import { dataFolder } from '../../packages/evals/src/files/index.js';
import { userPrompt } from '../../packages/evals/src/simulation/user-prompt.js';
import { bankingKnowledge } from '../../packages/evals/src/tau2/banking-knowledge/index.js';
import { type Knowledge, loadKnowledge } from '../../packages/evals/src/tau2/banking-knowledge/knowledge/index.js';
import { lengthOf } from '../../packages/evals/src/tau2/python/text.js';
import type { Domain } from '../../packages/evals/src/world/environment.js';
import { setupText } from '../../packages/flyball/src/agents/policies/setup-text.js';
import { sha256 } from '../../packages/flyball/src/core/canonical.js';
import { tau2, withTau2 } from './tau2-data.js';

interface Recorded {
  readonly sha256: string;
  readonly chars: number;
  readonly text?: string | null;
}

interface RecordedPrompts {
  readonly variants: Readonly<Record<string, Recorded>>;
  readonly golden_retrieval_per_task: Readonly<Record<string, Recorded & { readonly docs: readonly string[] }>>;
  readonly golden_examples: Readonly<Record<string, string>>;
  readonly agent_instruction: string;
  readonly agent_system_prompt_template: string;
  readonly user_system_prompts: Readonly<Record<string, Recorded & { readonly has_tools: boolean }>>;
  readonly user_system_prompt_example: Readonly<Record<string, string>>;
}

withTau2('the prompts of the banking domain, against the recordings', () => {
  let recorded: RecordedPrompts;
  let knowledge: Knowledge;
  let domain: Domain;
  beforeAll(async () => {
    recorded = JSON.parse(readFileSync(`${tau2().oracle}/banking_prompts.json`, 'utf8')) as RecordedPrompts;
    const data = dataFolder(tau2().data);
    [knowledge, domain] = await Promise.all([loadKnowledge(data), bankingKnowledge.load(data)]);
  });

  function same(text: string, { sha256: hash, chars, text: whole }: Recorded, name: string): void {
    if (typeof whole === 'string') expect(text, name).toBe(whole);
    expect({ chars: lengthOf(text), hash: sha256(text) }, name).toEqual({ chars, hash });
  }

  it('assembles the policy of every configuration byte for byte [R5-DOMAIN-RETRIEVAL]', () => {
    const names = Object.keys(recorded.variants);
    expect(names).toHaveLength(19);
    expect(knowledge.retrievals.slice(0, 20).sort()).toEqual([...names, 'golden_retrieval'].sort());
    for (const [name, each] of Object.entries(recorded.variants))
      same(knowledge.setup({ retrieval: name }).policy, each, name);
  });

  it("puts a task's own documents into its policy, in their order [R5-DOMAIN-RETRIEVAL]", () => {
    const tasks = Object.entries(recorded.golden_retrieval_per_task);
    expect(tasks).toHaveLength(97);
    for (const [id, each] of tasks) {
      const task = domain.tasks.find((one) => one.id === id);
      expect(task?.requiredDocuments).toEqual(each.docs);
      const setup = knowledge.setup({ retrieval: 'golden_retrieval', ...(task === undefined ? {} : { task }) });
      same(setup.policy, each, id);
      expect(setup.infoPolicy).toContain('task-specific');
    }
    for (const [id, text] of Object.entries(recorded.golden_examples)) {
      const task = domain.tasks.find((one) => one.id === id);
      const setup = { retrieval: 'golden_retrieval', ...(task === undefined ? {} : { task }) };
      expect(domain.environment(setup).policy).toBe(text);
    }
  });

  it('gives the agent instruction and policy in the form of the benchmark [R5-DOMAIN-RETRIEVAL]', () => {
    const { policy } = knowledge.setup({ retrieval: 'bm25' });
    expect(TAU2_AGENT_INSTRUCTION).toBe(recorded.agent_instruction);
    const wanted = recorded.agent_system_prompt_template
      .replace('{agent_instruction}', () => recorded.agent_instruction)
      .replace('{domain_policy}', () => policy);
    expect(setupText({ instructions: TAU2_AGENT_INSTRUCTION, policy })).toBe(wanted);
  });

  it('tells every simulated user the same as the benchmark does [R5-DOMAIN-RETRIEVAL]', () => {
    const users = Object.entries(recorded.user_system_prompts);
    expect(users).toHaveLength(97);
    for (const [id, each] of users) {
      const task = domain.tasks.find((one) => one.id === id);
      expect(task, id).toBeDefined();
      if (task === undefined) continue;
      const hasTools = userToolNames(domain.environment({ task }), task).size > 0;
      expect(hasTools, id).toBe(each.has_tools);
      same(userPrompt(domain, task, hasTools), each, id);
      const example = recorded.user_system_prompt_example[id];
      if (example !== undefined) expect(userPrompt(domain, task, each.has_tools)).toBe(example);
    }
  });
});
