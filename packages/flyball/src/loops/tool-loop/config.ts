import { ConfigError } from '../../core/errors.js';

/** How a tool loop behaves; every bound is there, always. */
export interface ToolLoopConfig {
  readonly maxIterations: number;
  /** Calls of one reply beyond this are answered as not executed. */
  readonly maxToolCallsPerIteration: number;
  readonly maxConsecutiveErrors: number;
  /** Per try of a tool that names no time of its own. */
  readonly toolTimeoutMs: number;
  /** An answer is asked to be checked once before it is accepted; further tool calls arm the question again. */
  readonly doubleConfirmation: boolean;
  /** Times the same call may give the same result without anything new in between. `off`: as often as it likes. */
  readonly repeatLimit: number | 'off';
  /** `pure`: neighboring calls of pure tools run side by side. */
  readonly parallel: 'pure' | 'never';
  /** For models without tool calls of their own: calls are read from a block in the text. No `tools.load` seam sees them. */
  readonly textCalls: 'off' | 'json' | 'xml';
  /** Longest result that goes into the prompt whole; the middle of a longer one is left out. Less in a small window. */
  readonly maxResultChars: number;
  /**
   * A place before each model call where a pause lands and a redirection still reaches that call; without it, it reaches
   * the one after. One entry more an iteration.
   */
  readonly safePoints: boolean;
  readonly window: WindowConfig;
}

/** When and how a tool loop clears its prompt. */
export interface WindowConfig {
  /** Share of the room for the prompt at which something is cleared. */
  readonly trigger: number;
  /** Turns at the end that are never touched. */
  readonly keepRecent: number;
  /** `clear`: consumed tool results only. `compact`: then summarise. `off`: an overflow ends the loop. */
  readonly care: 'off' | 'clear' | 'compact';
}

/** The default settings of a tool loop. */
export const DEFAULT_CONFIG: ToolLoopConfig = {
  maxIterations: 20,
  maxToolCallsPerIteration: 5,
  maxConsecutiveErrors: 3,
  toolTimeoutMs: 60_000,
  doubleConfirmation: true,
  repeatLimit: 3,
  parallel: 'pure',
  textCalls: 'off',
  maxResultChars: 30_000,
  safePoints: false,
  window: { trigger: 0.7, keepRecent: 6, care: 'compact' },
};

/** Settings of a tool loop; what is omitted gets defaults. */
export type ToolLoopSettings = Partial<Omit<ToolLoopConfig, 'window'>> & { readonly window?: Partial<WindowConfig> };

/** Settings with a fixed choice of words. */
export const CHOICES = {
  parallel: ['pure', 'never'],
  textCalls: ['off', 'json', 'xml'],
  care: ['off', 'clear', 'compact'],
} as const;

/** The smallest sensible value of every setting that counts something. A single repeat is a retry, not a circle. */
export const LEAST = {
  maxIterations: 1,
  maxToolCallsPerIteration: 1,
  maxConsecutiveErrors: 1,
  toolTimeoutMs: 1,
  repeatLimit: 2,
  maxResultChars: 100,
} as const;

/** Complete and checked before a token is spent. */
export function completeConfig(given: ToolLoopSettings = {}): ToolLoopConfig {
  const config = { ...DEFAULT_CONFIG, ...given, window: { ...DEFAULT_CONFIG.window, ...given.window } };
  for (const [name, least] of Object.entries(LEAST)) {
    const value = config[name as keyof typeof LEAST];
    if (!(name === 'repeatLimit' && value === 'off')) requireAtLeast(name, value, least);
  }
  requireAtLeast('window.keepRecent', config.window.keepRecent, 1);
  if (!(config.window.trigger > 0 && config.window.trigger <= 1))
    throw new ConfigError(`window.trigger of a tool loop must be above 0 and at most 1, got ${config.window.trigger}.`);
  for (const name of ['doubleConfirmation', 'safePoints'] as const)
    if (typeof config[name] !== 'boolean')
      throw new ConfigError(`${name} of a tool loop is true or false, got ${String(config[name])}.`);
  requireOneOf('parallel', config.parallel, CHOICES.parallel);
  requireOneOf('textCalls', config.textCalls, CHOICES.textCalls);
  requireOneOf('window.care', config.window.care, CHOICES.care);
  return config;
}

function requireAtLeast(name: string, value: unknown, least: number): void {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= least) return;
  throw new ConfigError(`${name} of a tool loop must be a whole number of at least ${least}, got ${String(value)}.`);
}

function requireOneOf(name: string, value: unknown, choices: readonly unknown[]): void {
  if (choices.includes(value)) return;
  throw new ConfigError(`${name} of a tool loop is one of ${choices.join(', ')}, got ${String(value)}.`);
}
