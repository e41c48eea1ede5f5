import { ConfigError } from '../../core/errors.js';
import { type CountText, estimateTextTokens, measureTools } from '../../tools/measure-tools.js';
import { selectTools } from '../../tools/select-tools.js';
import { admitTools, type ToolBudget, USUAL } from '../../tools/tool-budget.js';
import type { DefinedTool } from '../../tools/tool-definition.js';

/** What the schemas of one server take of every request. */
export type SchemaBand = 'cheap' | 'moderate' | 'heavy' | 'over';

/** How many tools of MCP servers are accepted. */
export interface AdmissionOptions {
  /** How many tools one request may show; 15 go unwarned and more than 40 are refused where absent. */
  readonly budget?: ToolBudget;
  /** Of the model that is asked, in tokens. Where absent, shares of it are not looked at. */
  readonly window?: number;
  readonly countText?: CountText;
  /** `refuse` where absent: too many tools are a mistake that somebody should mend with `include`. */
  readonly whenOver?: 'refuse' | 'prune';
  /** What tools are for: where they are pruned, those that share words with it come first. */
  readonly task?: string;
}

export interface ServerTools {
  readonly server: string;
  readonly tools: readonly DefinedTool[];
}

export interface Admitted {
  readonly tools: readonly DefinedTool[];
  /** Names of those for which there was no room. */
  readonly left: readonly string[];
  readonly warnings: readonly string[];
}

const MODERATE = 5_000;
const HEAVY = 20_000;
const MOST_OF_ONE = 55_000;
const MOST_OF_ALL = 60_000;

export function bandOf(tokens: number): SchemaBand {
  if (tokens > MOST_OF_ONE) return 'over';
  if (tokens >= HEAVY) return 'heavy';
  return tokens >= MODERATE ? 'moderate' : 'cheap';
}

export function schemaTokens(tools: readonly DefinedTool[], countText: CountText = estimateTextTokens): number {
  return measureTools(tools, countText, Number.MAX_SAFE_INTEGER).tokens;
}

/** Which tools an agent may be given: all, as many as fit, or none with the reason why. */
export function admitServers(servers: readonly ServerTools[], options: AdmissionOptions = {}): Admitted {
  const whole = judge(servers, options);
  if (whole.why === undefined) return { tools: all(servers), left: [], warnings: whole.warnings };
  if (options.whenOver !== 'prune')
    throw new ConfigError(
      `The tools of MCP servers exceed their budget: ${whole.why} Name the ones you need with include, or prune them with whenOver: 'prune'.`,
    );
  const kept = pruned(servers, options);
  const left = all(servers).filter((tool) => !kept.has(tool));
  const rest = servers.map(({ server, tools }) => ({ server, tools: tools.filter((tool) => kept.has(tool)) }));
  const names = left.map(({ name }) => name);
  const warning = `${names.length} tools were left out: ${whole.why}`;
  return { tools: all(rest), left: names, warnings: [warning, ...judge(rest, options).warnings] };
}

function all(servers: readonly ServerTools[]): readonly DefinedTool[] {
  return servers.flatMap(({ tools }) => tools);
}

interface Judgement {
  readonly why?: string;
  readonly warnings: readonly string[];
}

function judge(servers: readonly ServerTools[], { budget = USUAL, window, countText }: AdmissionOptions): Judgement {
  const sizes = servers.map(({ server, tools }) => ({ server, tokens: schemaTokens(tools, countText) }));
  const total = sizes.reduce((sum, { tokens }) => sum + tokens, 0);
  const over = sizes.find(({ tokens }) => bandOf(tokens) === 'over');
  const heavy = sizes.filter(({ tokens }) => bandOf(tokens) === 'heavy');
  const measured = measureTools(all(servers), countText ?? estimateTextTokens, window ?? Number.MAX_SAFE_INTEGER);
  const admission = admitTools(measured, budget);
  const warnings = [
    ...heavy.map(({ server, tokens }) => `The schemas of ${server} take ${tokens} tokens of every request.`),
    ...admission.warnings,
  ];
  if (over !== undefined)
    return {
      warnings,
      why: `the schemas of ${over.server} take ${over.tokens} tokens, and at most ${MOST_OF_ONE} may.`,
    };
  if (total > MOST_OF_ALL)
    return { warnings, why: `all schemas take ${total} tokens, and at most ${MOST_OF_ALL} may.` };
  return admission.ok ? { warnings } : { warnings, why: admission.why };
}

/** The best of them, by the task or in the order in which servers list them, while each limit still holds. */
function pruned(servers: readonly ServerTools[], options: AdmissionOptions): ReadonlySet<DefinedTool> {
  const { budget = USUAL, window = Number.MAX_SAFE_INTEGER, countText, task } = options;
  const tools = all(servers);
  const ranked =
    task === undefined ? [] : selectTools(task, tools, tools.length).map(({ tool }) => tool as DefinedTool);
  const serverOf = new Map(servers.flatMap(({ server, tools: own }) => own.map((tool) => [tool, server] as const)));
  const spent = new Map<string, number>();
  const kept = new Set<DefinedTool>();
  let left = Math.min(MOST_OF_ALL, budget.maxShare * window);
  for (const tool of new Set([...ranked, ...tools])) {
    const tokens = schemaTokens([tool], countText);
    const server = serverOf.get(tool) ?? '';
    const ofServer = (spent.get(server) ?? 0) + tokens;
    if (kept.size >= budget.refuseAbove || tokens > left || ofServer > MOST_OF_ONE) continue;
    kept.add(tool);
    spent.set(server, ofServer);
    left -= tokens;
  }
  return kept;
}
