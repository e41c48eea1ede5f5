import type { Session } from '../core/session.js';
import type { ToolRef, TrifectaLeg } from '../core/tool.js';
import { type Use, usesIn, usesOf } from '../core/use.js';
import { estimateTextTokens } from '../tools/measure-tools.js';
import { toolSpecOf } from '../tools/tool-spec.js';
import {
  type AgentFacts,
  describedBy,
  type SegmentFacts,
  type System,
  seatedSessions,
  type ToolFacts,
} from './subject.js';

/** What an agent says about itself beside its patterns: its sessions with their tools, and what its definition names. */
export function systemOf(name: string, agent: unknown): System {
  const use = describedBy(agent);
  const sessions = use === undefined ? [] : usesIn(use).flatMap(seatedSessions);
  const tools = toolsOf(sessions);
  const servers = serversOf(tools);
  return {
    agents: { [name]: { ...definitionOf(agent), ...lengthOf(sessions) } },
    ...(tools.length === 0 ? {} : { tools: tools.map(factsOf), schemaShare: Math.max(...sessions.map(shareOf)) }),
    ...(servers.length === 0 ? {} : { servers }),
    ...(sessions.length === 0 ? {} : { segments: sessions.map(segmentOf) }),
  };
}

/** The smallest window of the models of some agents. */
export function windowOf(agents: readonly unknown[]): number | undefined {
  const uses = agents.map(describedBy).filter((use) => use !== undefined);
  const windows = uses
    .flatMap(usesIn)
    .flatMap(seatedSessions)
    .map(({ model }) => model.capabilities.window);
  return windows.length === 0 ? undefined : Math.min(...windows);
}

/** The budget that an agent brings along. */
export function budgetOf(agent: unknown): { readonly modelCalls?: number; readonly width?: number } {
  const given = fieldOf(agent, 'budget') ?? {};
  const number = (key: 'modelCalls' | 'width') => {
    const value = fieldOf(given, key);
    return typeof value === 'number' ? { [key]: value } : {};
  };
  return { ...number('modelCalls'), ...number('width') };
}

const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;

/** What `defineAgent` was told, where it was made by it. */
function definitionOf(agent: unknown): AgentFacts {
  const spec = fieldOf(agent, 'spec');
  const text = (key: 'owner' | 'policy' | 'description', value: unknown) =>
    typeof value === 'string' ? { [key]: value } : {};
  return {
    ...text('owner', fieldOf(fieldOf(spec, 'ownership'), 'owner')),
    ...text('policy', fieldOf(spec, 'policy')),
    ...text('description', fieldOf(spec, 'description')),
  };
}

function lengthOf(sessions: readonly Session<unknown>[]): AgentFacts {
  if (sessions.length === 0) return {};
  return { instructionTokens: Math.max(...sessions.map(({ setup }) => estimateTextTokens(setup))) };
}

function toolsOf(sessions: readonly Session<unknown>[]): readonly ToolRef[] {
  const all = sessions.flatMap(({ tools = [] }) => tools);
  return [...new Map(all.map((tool) => [tool.name, tool])).values()];
}

const LEGS: Readonly<Record<TrifectaLeg, NonNullable<ToolFacts['legs']>[number]>> = {
  'private-data': 'private',
  'untrusted-content': 'untrusted',
  outbound: 'outbound',
};

function factsOf(tool: ToolRef): ToolFacts {
  const effect = typeof tool.effect === 'string' ? tool.effect : tool.effect.class;
  return {
    name: tool.name,
    effect,
    asks: effect === 'irreversible',
    ...(tool.legs === undefined ? {} : { legs: tool.legs.map((leg) => LEGS[leg]) }),
    ...programOf(tool),
  };
}

/** How it runs programs, where it is known to. */
function programOf(tool: ToolRef): Pick<ToolFacts, 'runs' | 'sandboxed' | 'lists'> {
  const uses = usesOf(tool);
  const isShell = uses.some(({ id }) => id === 'I4');
  if (isShell || uses.some(({ id }) => id === 'V8'))
    return { runs: 'arguments', sandboxed: has(uses, 'V8'), lists: 'allowed' };
  return takesCommandLine(tool) ? { runs: 'shell-string' } : {};
}

const has = (uses: readonly Use[], id: Use['id']): boolean =>
  uses.some((use) => use.id === id || use.provides.includes(id));

/** A command line is a text of its own: `{ command: 'rm -rf /' }`. A text among given words is none. */
function takesCommandLine({ name, touches, inputJsonSchema }: ToolRef): boolean {
  const properties = fieldOf(inputJsonSchema, 'properties');
  const isText = ['command', 'cmd', 'commandLine', 'script'].some((key) => {
    const property = fieldOf(properties, key);
    return fieldOf(property, 'type') === 'string' && fieldOf(property, 'enum') === undefined;
  });
  return (
    isText && (touches !== undefined || /(^|[_-])(sh|bash|shell|exec|execute|terminal|command|cmd)($|[_-])/i.test(name))
  );
}

/** Tokens of all schemas of a session as a share of the window of its model. */
function shareOf({ tools = [], model }: Session<unknown>): number {
  const { window } = model.capabilities;
  return window > 0 ? tools.reduce((sum, tool) => sum + tokensOf(tool), 0) / window : 0;
}

const tokensOf = (tool: ToolRef): number => estimateTextTokens(JSON.stringify(toolSpecOf(tool)));

/** Tools of MCP servers have the name of theirs among their tags. */
function serversOf(tools: readonly ToolRef[]): NonNullable<System['servers']> {
  const tokens = new Map<string, number>();
  for (const tool of tools) {
    const tags = fieldOf(tool, 'tags');
    const tag = (Array.isArray(tags) ? tags : []).find((each) => String(each).startsWith('mcp:'));
    if (tag === undefined) continue;
    const server = String(tag).slice('mcp:'.length);
    tokens.set(server, (tokens.get(server) ?? 0) + tokensOf(tool));
  }
  return [...tokens].map(([name, counted]) => ({ name, tokens: counted }));
}

/** A date alone may well be meant: what is true since then. A time of day or an id is of one call. */
const TIME_OR_ID = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/i;

function segmentOf({ name, setup }: Session<unknown>): SegmentFacts {
  return { name, varies: 'never', text: setup, ...(TIME_OR_ID.test(setup) ? { holdsTimeOrId: true } : {}) };
}

/** Which crossings have a guard of the host. What nobody guards is open where something is known to cross there. */
function crossingsOf(seams: unknown, tools: readonly ToolFacts[]): NonNullable<System['crossings']> {
  const guarded = (...names: readonly string[]): boolean =>
    names.some((name) => {
      const own = fieldOf(seams, name);
      return Array.isArray(own) && own.length > 0;
    });
  const crosses = {
    input: false,
    call: tools.some(({ effect }) => effect !== 'pure'),
    result: tools.some(({ legs = [] }) => legs.includes('untrusted')),
    output: false,
  };
  const has = {
    input: guarded('input'),
    call: guarded('tool.pre', 'tool.exec'),
    result: guarded('tool.post'),
    output: guarded('output'),
  };
  return Object.fromEntries(
    (['input', 'call', 'result', 'output'] as const)
      .filter((name) => has[name] || crosses[name])
      .map((name) => [name, has[name]]),
  );
}

/** Whether the host chooses for each request which tools it carries. */
function choosesIn(seams: unknown): boolean {
  const loads = fieldOf(seams, 'tools.load');
  return Array.isArray(loads) && loads.length > 0;
}

/** What was read off several agents, as one. */
function readTogether(systems: readonly System[]): System {
  const shares = systems.flatMap(({ schemaShare = [] }) => schemaShare);
  const byName = <T extends { readonly name: string }>(list: readonly T[]): readonly T[] => [
    ...new Map(list.map((each) => [each.name, each])).values(),
  ];
  const tools = byName(systems.flatMap((each) => each.tools ?? []));
  const servers = byName(systems.flatMap((each) => each.servers ?? []));
  const segments = systems.flatMap((each) => each.segments ?? []);
  return {
    agents: Object.assign({}, ...systems.map(({ agents }) => agents)) as NonNullable<System['agents']>,
    ...(tools.length === 0 ? {} : { tools }),
    ...(segments.length === 0 ? {} : { segments }),
    ...(servers.length === 0 ? {} : { servers }),
    ...(shares.length === 0 ? {} : { schemaShare: Math.max(...shares) }),
  };
}

/** What is known: what was read off some agents and the seams around them, under what was stated. */
export function knownSystem(read: readonly System[], seams: unknown, stated: System = {}): System {
  const known = readTogether(read);
  const crossings = crossingsOf(seams, known.tools ?? []);
  const { agents = {}, tools = [] } = stated;
  const facts = Object.fromEntries(
    Object.entries(agents).map(([name, own]) => [name, { ...known.agents?.[name], ...own }]),
  );
  const all = new Map((known.tools ?? []).map((tool) => [tool.name, tool]));
  for (const tool of tools) all.set(tool.name, { ...all.get(tool.name), ...tool });
  return {
    ...known,
    ...(choosesIn(seams) ? { discovers: true } : {}),
    crossings,
    ...stated,
    agents: { ...known.agents, ...facts },
    ...(all.size === 0 && stated.tools === undefined ? {} : { tools: [...all.values()] }),
  };
}
