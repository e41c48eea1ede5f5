import type { Budget } from '../core/budget.js';
import type { Sampling } from '../core/model.js';
import type { JsonSchema } from '../core/schema.js';
import type { ToolLoopSettings } from '../loops/config.js';

/** An agent as data: what a YAML file holds, and what `defineAgent` takes. Everything here reaches the system prompt or a bound. */
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
  readonly inputs?: Readonly<Record<string, Field>>;
  readonly outputs?: Readonly<Record<string, Field>>;
  /** Instead of `outputs`, where fields cannot say it. */
  readonly outputSchema?: JsonSchema;
  /** `provider/model`, or a role that the model router knows. */
  readonly model?: string;
  readonly sampling?: Sampling;
  readonly budget?: Partial<Budget>;
  /** Names of registered tools. */
  readonly tools?: readonly string[];
  /** Names of skills. */
  readonly skills?: readonly string[];
  readonly loop?: ToolLoopSettings;
  /** Further instructions, as they are. */
  readonly instructions?: string;
}

export type AutonomyLevel = 'read-only' | 'supervised' | 'autonomous';

export interface Ownership {
  readonly owner: string;
  readonly contact?: string;
  /** Whom to turn to when it cannot go on. */
  readonly escalation?: string;
}

export interface Dependency {
  readonly name: string;
  readonly why?: string;
}

/** One input or output. Without a type an output is only a name: then raw text may stand for it. */
export interface Field {
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'array';
  readonly description?: string;
  /** True where it is absent. */
  readonly required?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  /** Of the elements of an array. */
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
}
