import { ConfigError, unreachable } from '../core/errors.js';
import {
  CODE_LIMITS,
  type CodeEnd,
  type CodeJob,
  type CodeLimits,
  type CodeResult,
  type CodeSandbox,
} from '../ports/code-sandbox.js';
import { tool } from '../tools/define-tool.js';
import type { DefinedTool } from '../tools/tool-definition.js';

/** Options of the tool `run_javascript`. */
export interface RunJavascriptOptions {
  readonly sandbox: CodeSandbox;
  /** What the code may call. They have to be pure: the code may be run again. */
  readonly functions?: CodeJob['functions'];
  readonly limits?: Partial<CodeLimits>;
  readonly name?: string;
}

/** Arguments of `run_javascript`. */
export interface JavascriptCall {
  readonly code: string;
  readonly input?: unknown;
}

const INPUT = {
  type: 'object',
  properties: {
    code: {
      type: 'string',
      description: 'The body of an async function. Use return to give back a value that JSON can hold.',
    },
    input: { description: 'Any JSON value; the code reads it as `input`.' },
  },
  required: ['code'],
  additionalProperties: false,
} as const;

/** Starting the sandbox takes time of its own, which is not the code's. */
const START_MS = 30_000;

/** Lets a model compute with JavaScript that reaches nothing: no files, no network, no modules, no timers. */
export function runJavascriptTool(options: RunJavascriptOptions): DefinedTool<JavascriptCall, CodeResult> {
  if (options.sandbox === undefined)
    throw new ConfigError(
      'run_javascript needs a sandbox, such as quickJsSandbox(), because Node itself is not a sandbox.',
    );
  const limits = { ...CODE_LIMITS, ...options.limits };
  const functions = options.functions ?? {};
  return tool<CodeResult, typeof INPUT>({
    name: options.name ?? 'run_javascript',
    description: descriptionOf(Object.keys(functions), limits),
    input: INPUT,
    effect: 'pure',
    timeoutMs: limits.wallMs + START_MS,
    present: presentCode,
    execute: (call, { signal }) => {
      const { code, input } = call as unknown as JavascriptCall;
      return options.sandbox.evaluate({ code, input, functions, limits }, { signal });
    },
  }) as unknown as DefinedTool<JavascriptCall, CodeResult>;
}

function descriptionOf(functions: readonly string[], limits: CodeLimits): string {
  const calls =
    functions.length === 0 ? '' : ` It may call: ${functions.map((name) => `await ${name}(value)`).join(', ')}.`;
  return (
    'Evaluates JavaScript (ES2023) and returns what it returns and logs. Plain language only: no imports, files, network or timers.' +
    `${calls} Limits: ${limits.wallMs / 1000} s, ${limits.memoryMb} MB.`
  );
}

/** The text for the model: the value or what went wrong, then what was logged. */
export function presentCode({ end, logs, elidedLogs }: CodeResult): string {
  const lines = elidedLogs === 0 ? logs : [...logs, `[${elidedLogs} lines left out]`];
  return [endText(end), ...(lines.length === 0 ? [] : [`console:\n${lines.join('\n')}`])].join('\n');
}

const LIMIT_TEXT: Readonly<Record<keyof CodeLimits, (allowed: number) => string>> = {
  wallMs: (allowed) => `it ran longer than ${allowed / 1000} s`,
  memoryMb: (allowed) => `it used more than ${allowed} MB of memory`,
  outputBytes: (allowed) => `it gave back more than ${allowed} bytes`,
  calls: (allowed) => `it made more than ${allowed} calls`,
};

function endText(end: CodeEnd): string {
  switch (end.how) {
    case 'value':
      return `returned ${JSON.stringify(end.value)}`;
    case 'error':
      return `threw ${end.name}: ${end.message}${end.stack === undefined || end.stack.trim() === '' ? '' : `\n${end.stack.trimEnd()}`}`;
    case 'limit':
      return `stopped: ${LIMIT_TEXT[end.limit](end.allowed)} (limit ${end.limit})`;
    case 'stuck':
      return 'stopped: the code waits for something that never comes; there are no timers, and nothing arrives from outside';
    case 'aborted':
      return 'stopped: the call was cancelled';
    default:
      return unreachable(end);
  }
}
