import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from 'flyball';
import { readSkills } from 'flyball/adapters/skill-folder';
import { type PolicyBook, type PolicyMaker, type PolicyParts, policyBook } from 'flyball/agents';
import { importAgent } from 'flyball/internal';
import { scriptedCustomerSide } from '../domains/energy-desk/scripted-customer.js';
import type { Condition, ExperimentOptions, SideMaker } from '../experiment/experiment.js';
import type { ExperimentSettings } from '../experiment/settings.js';
import {
  goldAgentSide,
  goldUserSide,
  type ModelSide,
  modelUser,
  policyAgent,
  silentAgentSide,
} from '../experiment/sides.js';
import { POLICY_DOMAINS } from '../policies/policy-domains.js';
import type { Domain } from '../world/environment.js';
import { type ModelSetting, modelSide } from './models.js';
import { openDomain, SHIPPED } from './open-domain.js';
import { servicesFor } from './services.js';
import { tasksNamed } from './tasks-named.js';
import { unknownName } from './unknown-name.js';

/** What an experiment runs, opened from its settings. */
export type Prepared = Pick<ExperimentOptions, 'domain' | 'tasks' | 'conditions' | 'agents' | 'users' | 'judge'>;

type Env = Readonly<Record<string, string | undefined>>;

/** Agents that are no policy: the ceiling and the floor of every measurement. */
export const REFERENCE_AGENTS: Readonly<Record<string, SideMaker>> = { gold: goldAgentSide, silent: silentAgentSide };

export async function prepare(
  settings: ExperimentSettings,
  { data, env }: { readonly data?: string; readonly env: Env },
): Promise<Prepared> {
  const { embedder, reranker: rater } = settings;
  const reranker = rater === undefined ? undefined : await modelSide(rater, 'reranker', { settings, env });
  const services = await servicesFor(settings.retrieval, { embedder, reranker }, env);
  const domain = await openDomain(settings.domain, data === undefined ? {} : { data }, env, services);
  const retrievals = retrievalsOf(domain, settings.retrieval);
  const named = tasksNamed(domain, settings.tasks);
  const tasks = settings.limit === undefined ? named : named.slice(0, settings.limit);
  const opening = { domain, settings, env };
  const models = await modelsOf(settings, opening);
  const book = policyBook(await registered(settings.modules ?? []));
  const agents = agentsOf(settings.agents, { book, models, parts: await partsFor(domain) });
  return {
    domain,
    tasks,
    agents,
    users: { user: await userOf(settings.user, opening) },
    conditions: conditionsOf(settings, retrievals),
    ...(settings.judge === undefined ? {} : { judge: await modelSide(settings.judge, 'judge', opening) }),
  };
}

function retrievalsOf(domain: Domain, wanted: readonly string[]): readonly (string | undefined)[] {
  const unknown = wanted.find((name) => !domain.retrievals.includes(name));
  if (unknown !== undefined)
    throw unknownName(
      'retrieval configuration',
      unknown,
      domain.retrievals,
      `flyball evals list --domain ${domain.name}`,
      domain.name,
    );
  return wanted.length > 0 ? wanted : [domain.defaultRetrieval];
}

/** None is opened where nobody asks one: the gold agent and the silent one think by themselves. */
async function modelsOf(
  settings: ExperimentSettings,
  opening: ModelSetting,
): Promise<ReadonlyMap<string, ModelSide | undefined>> {
  const isAsked = settings.agents.some((name) => !Object.hasOwn(REFERENCE_AGENTS, name));
  const models = new Map<string, ModelSide | undefined>();
  for (const name of settings.models) models.set(name, isAsked ? await modelSide(name, 'agent', opening) : undefined);
  return models;
}

/** Policies that modules register: `export const policies = { mine: (parts) => … }`. */
async function registered(modules: readonly string[]): Promise<Readonly<Record<string, PolicyMaker>>> {
  const all: Record<string, PolicyMaker> = {};
  for (const path of modules) {
    if (!existsSync(path)) throw new ConfigError(`There is no module ${path}. Name the file that registers agents.`);
    const { policies } = await importAgent(path);
    const made = typeof policies === 'object' && policies !== null ? Object.entries(policies) : [];
    if (made.length === 0 || made.some(([, maker]) => typeof maker !== 'function'))
      throw new ConfigError(
        `${path} does not register an agent. Export functions by name: export const policies = { mine: (parts) => policy };`,
      );
    Object.assign(all, policies);
  }
  return all;
}

async function partsFor(domain: Domain): Promise<PolicyParts> {
  const { skills } = await readSkills(join(SHIPPED, 'skills', domain.name));
  return {
    skills: skills.map(({ name, instructions }) => ({ name, text: instructions })),
    ...POLICY_DOMAINS[domain.name],
  };
}

function agentsOf(
  names: readonly string[],
  {
    book,
    models,
    parts,
  }: {
    readonly book: PolicyBook;
    readonly models: ReadonlyMap<string, ModelSide | undefined>;
    readonly parts: PolicyParts;
  },
): Readonly<Record<string, SideMaker>> {
  const known = [...book.names, ...Object.keys(REFERENCE_AGENTS)];
  const made: Record<string, SideMaker> = {};
  for (const name of names) {
    if (!known.includes(name)) throw unknownName('agent', name, known);
    for (const [modelName, by] of models) {
      const maker =
        by === undefined || Object.hasOwn(REFERENCE_AGENTS, name)
          ? REFERENCE_AGENTS[name]
          : policyAgent(book.make(name, parts), by, name === 'governed' ? parts.gate : undefined);
      if (maker !== undefined) made[keyOf(name, modelName)] = { ...maker, implementation: name };
    }
  }
  return made;
}

async function userOf(user: string, opening: ModelSetting & { readonly domain: Domain }): Promise<SideMaker> {
  const { name } = opening.domain;
  if (user === 'gold') return { ...goldUserSide, implementation: 'gold_user' };
  if (user !== 'scripted') {
    return { ...modelUser(await modelSide(user, 'user', opening)), implementation: 'user_simulator' };
  }
  if (name === 'energy_desk') return { ...scriptedCustomerSide, implementation: 'scripted_user' };
  throw new ConfigError(
    `Only energy_desk has scripted users. For ${name}, use --user gold or a model that plays the user.`,
  );
}

function conditionsOf(settings: ExperimentSettings, retrievals: readonly (string | undefined)[]): readonly Condition[] {
  return settings.models.flatMap((model) =>
    settings.agents.flatMap((agent) =>
      retrievals.map((retrieval) => ({
        name: [agent, retrieval, settings.models.length > 1 ? model : undefined]
          .filter((part) => part !== undefined)
          .join('-')
          .replaceAll(/[^\w.-]+/g, '_'),
        agent: keyOf(agent, model),
        user: 'user',
        ...(retrieval === undefined ? {} : { retrieval }),
      })),
    ),
  );
}

/** Under which an agent with a model is registered. */
function keyOf(agent: string, model: string): string {
  return `${agent} on ${model}`;
}
