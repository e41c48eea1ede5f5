import { beforeAll, describe, expect, it } from 'vitest';
import { scriptOf } from '../../packages/evals/src/domains/energy-desk/task-script.js';
import type { Domain } from '../../packages/evals/src/world/environment.js';
import type { Task } from '../../packages/evals/src/world/task.js';
import { answer, desk, goldOf, shipped, toolOf } from './energy-desk-stage.js';

const FOLDER = 'domains/energy_desk';
const SUFFIXED = /\b[a-z]+(?:_[a-z]+)*_\d{4}\b/g;
const SNAKE = /\b[a-z]+(?:_[a-z0-9]+)+\b/g;
const RULE = /\b[A-Z]{2,4}-\d{1,2}\b/g;

interface Discoverable {
  readonly tool_type: string;
  readonly signature: readonly { readonly name: string }[];
}

interface ToolFile {
  readonly agent_toolkits: Record<string, { readonly tool_order: readonly string[] }>;
  readonly user_tools: { readonly tool_order: readonly string[] };
  readonly agent_discoverable: Record<string, Discoverable>;
  readonly user_discoverable: Record<string, Discoverable>;
}

describe('the documents of energy_desk', () => {
  let domain: Domain;
  let tools: ToolFile;
  let database: string;
  let documents: ReadonlyMap<string, { readonly title: string; readonly content: string }>;

  beforeAll(async () => {
    domain = await desk();
    documents = domain.documents ?? new Map();
    tools = JSON.parse((await shipped.read(`${FOLDER}/tools.json`)) ?? '');
    database = (await shipped.read(`${FOLDER}/db.json`)) ?? '';
  });

  const discoverable = (): Record<string, Discoverable> => ({
    ...tools.agent_discoverable,
    ...tools.user_discoverable,
  });
  const textsOf = (ids: readonly string[]): string => ids.map((id) => documents.get(id)?.content ?? '').join('\n');

  it('are many, with one title each, beside enough tools to be discovered in them [R5-DOMAIN-OWN]', () => {
    expect(documents.size).toBeGreaterThanOrEqual(60);
    expect(new Set([...documents.values()].map(({ title }) => title)).size).toBe(documents.size);
    expect(Object.keys(tools.agent_discoverable).length).toBeGreaterThanOrEqual(16);
    expect(Object.keys(tools.user_discoverable).length).toBeGreaterThanOrEqual(2);
    expect(tools.user_tools.tool_order.length).toBeGreaterThanOrEqual(3);
    expect(tools.agent_toolkits['KnowledgeToolsPlain']?.tool_order.length).toBeGreaterThanOrEqual(12);
  });

  it('name only tools, parameters and codes that exist [R5-DOMAIN-OWN]', () => {
    const known = `${JSON.stringify(tools)}\n${database}`;
    const unknown = [...documents].flatMap(([id, { content }]) =>
      (content.match(SNAKE) ?? [])
        .filter((word) => !new RegExp(`\\b${word}\\b`).test(known))
        .map((word) => `${id}: ${word}`),
    );
    expect(unknown).toEqual([]);
    const named = new Set([...documents.values()].flatMap(({ content }) => content.match(SUFFIXED) ?? []));
    expect([...named].filter((name) => !Object.hasOwn(discoverable(), name))).toEqual([]);
  });

  it('explain every discoverable tool with all its parameters, and only where customers do not look [R5-DOMAIN-OWN]', () => {
    for (const [name, { signature }] of Object.entries(discoverable())) {
      const naming = [...documents.values()].filter(({ content }) => content.includes(name));
      const explained = naming.some(({ content }) => signature.every((parameter) => content.includes(parameter.name)));
      expect([name, explained]).toEqual([name, true]);
      expect([name, naming.filter(({ title }) => !title.startsWith('(Internal)'))]).toEqual([name, []]);
    }
  });

  it('print every rule code in bold at its rule [R5-DOMAIN-OWN]', () => {
    const defined = [...documents.values()].flatMap(({ content }) =>
      [...content.matchAll(/\*\*([A-Z]{2,4}-\d{1,2})(?:\.\*\*|\*\*)/g)].map(([, code]) => code ?? ''),
    );
    const used = new Set([...documents.values()].flatMap(({ content }) => content.match(RULE) ?? []));
    expect([...used].filter((code) => !defined.includes(code))).toEqual([]);
  });

  it('hold what each task asks for, in the ones that it requires [R5-DOMAIN-OWN]', () => {
    for (const task of domain.tasks) {
      expect([task.id, task.requiredDocuments.filter((id) => !documents.has(id))]).toEqual([task.id, []]);
      const text = textsOf(task.requiredDocuments);
      const missing = needsOf(task).filter((fact) => !text.includes(fact));
      expect([task.id, missing]).toEqual([task.id, []]);
    }
  });

  it('are needed: no task can do without the documents that name its tools [R5-DOMAIN-OWN]', () => {
    const open = [...documents.values()].filter(({ title }) => !title.startsWith('(Internal)'));
    const publicText = open.map(({ content }) => content).join('\n');
    for (const task of domain.tasks) {
      const hidden = goldOf(task)
        .map(toolOf)
        .filter((name) => /_\d{4}$/.test(name));
      expect([task.id, hidden.filter((name) => publicText.includes(name))]).toEqual([task.id, []]);
    }
  });

  it('are found by words: the searches of a right course show every tool that it uses [R5-DOMAIN-OWN]', async () => {
    const world = domain.environment({ retrieval: 'bm25' });
    for (const task of domain.tasks) {
      const shown: string[] = [];
      for (const move of scriptOf(task).moves) {
        if ('search' in move) shown.push(await answer(world, 'KB_search', { query: move.search }));
      }
      const hidden = goldOf(task).map(toolOf);
      const unseen = hidden.filter((name) => /_\d{4}$/.test(name) && !shown.some((text) => text.includes(name)));
      expect([task.id, unseen]).toEqual([task.id, []]);
    }
  });

  it('are not given away by prompts and scenarios [R5-DOMAIN-OWN]', async () => {
    const names = (await shipped.list(`${FOLDER}/prompts`)).filter((name) => name.endsWith('.md'));
    const parts = (await shipped.list(`${FOLDER}/prompts/components`)).map((name) => `components/${name}`);
    const prompts = await Promise.all([...names, ...parts].map((name) => shipped.read(`${FOLDER}/prompts/${name}`)));
    const guidelines = [domain.userGuidelines(false), domain.userGuidelines(true)];
    for (const text of [...prompts, ...guidelines]) {
      expect(text).not.toMatch(SUFFIXED);
      expect(text).not.toMatch(RULE);
      expect(text).not.toMatch(/£\d|cus_\d/);
    }
    for (const { id, instructions } of domain.tasks) {
      expect([id, String(instructions).match(SUFFIXED)]).toEqual([id, null]);
      expect([id, String(instructions).match(/\b(?:cus|sp|mtr|con|bill|tar)_\w+/)]).toEqual([id, null]);
    }
  });

  it('keep the customers apart: each task has its own, whose words no other begins with [R5-DOMAIN-OWN]', () => {
    const openings = domain.tasks.map((task) => scriptOf(task).beats[0]);
    expect(new Set(openings.map((beat) => JSON.stringify(beat))).size).toBe(domain.tasks.length);
    const lines = domain.tasks.map(({ instructions }) => String(instructions).split('\n')[0]);
    expect(new Set(lines).size).toBe(domain.tasks.length);
  });
});

/** Tools, rule codes, reasons and tariffs of the gold path, and the facts that the task names. */
function needsOf(task: Task): readonly string[] {
  const facts = task.record.get('facts');
  const codes = goldOf(task).flatMap((action) => {
    const args = [action.arguments.get('rule'), action.arguments.get('request'), action.arguments.get('reason')];
    const inner = String(action.arguments.get('arguments') ?? '').match(/"(tar_\w+)"/)?.[1];
    const tool = toolOf(action);
    return [...args, inner, /_\d{4}$/.test(tool) ? tool : undefined].filter((one) => typeof one === 'string');
  });
  return [...codes, ...(Array.isArray(facts) ? facts.map(String) : [])];
}
