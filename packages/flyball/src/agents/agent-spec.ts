import type { Budget } from '../core/budget.js';
import type { Price, Sampling } from '../core/model.js';
import type { Proofs, WhenUnproven } from '../core/proofs.js';
import type { JsonSchema } from '../core/schema.js';
import type { ToolLoopSettings } from '../loops/tool-loop/config.js';
import type { AutonomySettings } from '../tools/autonomy/profile.js';
import type { AutonomyLevel } from '../tools/governance/autonomy-level.js';

export type { AutonomyLevel };

/** An agent as data, as in a YAML file. Every field is used in the system prompt or enforced as a limit. */
export interface AgentSpec {
  /** Letters, digits, `_`, `-` and `.`. */
  readonly name: string;
  readonly version?: string;
  /** Who it is, in one or two sentences. */
  readonly description: string;
  readonly role?: string;
  /** What it can do. */
  readonly capabilities?: readonly string[];
  /** How it has to work. */
  readonly constraints?: readonly string[];
  /** What it must never do. */
  readonly guardrails?: readonly string[];
  readonly ownership?: Ownership;
  readonly dependencies?: readonly Dependency[];
  readonly autonomy?: AutonomyLevel;
  /** The autonomy budget of the agent: limits, what happens beyond them, and when to stop. */
  readonly autonomyProfile?: ProfileSpec;
  readonly inputs?: Fields;
  readonly outputs?: Fields;
  /** A JSON Schema of the output, instead of `outputs`. */
  readonly outputSchema?: JsonSchema;
  /** What proves a value of an output field: `{ decision: { refunded: 'refund' } }` needs a completed call of `refund`. */
  readonly proofs?: Proofs;
  /** What happens to an answer that is still unproven after the last re-ask; `fail` by default. */
  readonly whenUnproven?: WhenUnproven;
  /** `provider/model`, or a role that the model router knows. */
  readonly model?: string;
  /** USD per million tokens, for a model without a known price. Use 0 for a free model. */
  readonly price?: Price;
  /** Prices by `provider/model`, for a role with fallbacks. */
  readonly prices?: Readonly<Record<string, Price>>;
  readonly sampling?: Sampling;
  readonly budget?: Partial<Budget>;
  /** Names of registered tools. */
  readonly tools?: readonly string[];
  /** The most tools it may have: 15 by default. From more of them a model chooses worse. */
  readonly maxTools?: number;
  /** What built-in tools can access. By default, they can only read the agent's folder. */
  readonly access?: Access;
  /** A policy file, relative to the definition. */
  readonly policy?: string;
  /** A JSON file with `mcpServers`, relative to the definition: their tools are called `server__tool` in `tools`. */
  readonly mcp?: string;
  /** Skill folders, or folders of skills, relative to the definition; where nobody reads any, names for the prompt. */
  readonly skills?: readonly string[];
  readonly loop?: ToolLoopSettings;
  /** More instructions, added to the system prompt unchanged. */
  readonly instructions?: string;
}

/** Limits, modes and stop conditions. What it may reach is `access`. */
export type ProfileSpec = Pick<AutonomySettings, 'limits' | 'warnAt' | 'modes' | 'stopWhen'>;

/** Who owns an agent, and whom to contact. */
export interface Ownership {
  readonly owner: string;
  readonly contact?: string;
  /** Whom to turn to when it cannot go on. */
  readonly escalation?: string;
}

/** Paths are relative to the definition's folder. */
export interface Access {
  /** Folders that may be read; the definition's own where it is absent. */
  readonly read?: readonly string[];
  /** Folders that may be read and written; none where it is absent. */
  readonly write?: readonly string[];
  /** Programs for the shell beside those that only read. */
  readonly commands?: readonly string[];
  /** Hosts for web_fetch and the browser: `example.com`, `*.example.org`; none where it is absent. */
  readonly domains?: readonly string[];
  /** Addresses with their port that may be reached although they are not public. */
  readonly privateAddresses?: readonly string[];
}

/** Something an agent depends on, named in its system prompt. */
export interface Dependency {
  readonly name: string;
  readonly why?: string;
}

/** Inputs or outputs by name, in the order in which they are told. */
export type Fields = Readonly<Record<string, Field>>;

export const FIELD_TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array'] as const;
/** The type of an input or output field. */
export type FieldType = (typeof FIELD_TYPES)[number];

/** One input or output. Without a type an output is only a name: then raw text may stand for it. */
export interface Field {
  readonly type?: FieldType;
  readonly description?: string;
  /** True where it is absent. */
  readonly required?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  /** Of the elements of an array. */
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}
