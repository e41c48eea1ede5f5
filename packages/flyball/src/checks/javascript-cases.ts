import { sha256 } from '../core/canonical.js';
import { ConfigError, unreachable } from '../core/errors.js';
import { CODE_LIMITS, type CodeEnd, type CodeLimits, type CodeSandbox } from '../ports/code-sandbox.js';
import { linesOf } from './artefact-view.js';
import { type CaseResult, type CaseRunner, compared, type Expected } from './case-runner.js';

/** How edge cases are run as JavaScript. */
export interface JavascriptCaseOptions {
  readonly sandbox: CodeSandbox;
  /** The artefact that holds the function: plain JavaScript without imports. */
  readonly artefact: string;
  /** The function that is called. */
  readonly call: string;
  readonly limits?: Partial<CodeLimits>;
}

/** Starting the sandbox takes time of its own, which is not the code's. */
const START_MS = 30_000;

/** Calls a function of an artefact in the code sandbox: the input is the list of its arguments. */
export function javascriptCases(options: JavascriptCaseOptions): CaseRunner {
  const { sandbox, artefact, call } = options;
  if (!/^[A-Za-z_$][\w$]*$/.test(call)) throw new ConfigError(`"${call}" is not a function name.`);
  const limits = { ...CODE_LIMITS, ...options.limits };
  return {
    artefact,
    describe: `The function ${call} in ${artefact} is called. An input is a JSON array of its arguments. Expect {"returns": value} for what it returns as JSON, or {"throws": text} for an error whose name or message holds the text.`,
    async runCase(run, { outputs }, { input, expected }) {
      const source = outputs.artefacts.find(({ name }) => name === artefact)?.text;
      if (source === undefined) return { ran: false, problem: `There is no artefact called ${artefact}.` };
      if (!Array.isArray(input)) return { ran: false, problem: 'The input is not a list of arguments.' };
      if (linesOf(source).some((line) => /^\s*import\b(?!\s*\()/.test(line)))
        return { ran: false, problem: `${artefact} imports something, which the sandbox does not have.` };
      const code = `${withoutExports(source)}\nreturn await ${call}(...input);`;
      const end = await run.step(
        'edge-case',
        { code: sha256(code), input },
        async (_input, { signal }) => (await sandbox.evaluate({ code, input, limits }, { signal })).end,
        { class: 'pure', timeoutMs: limits.wallMs + START_MS },
      );
      return resultOf(expected, end);
    },
  };
}

function resultOf(expected: Expected, end: CodeEnd): CaseResult {
  switch (end.how) {
    case 'value':
      return compared(expected, { value: end.value ?? null });
    case 'error':
      return compared(expected, { error: `${end.name}: ${end.message}` });
    // code that never ends or eats all memory has failed the case, even where an error was expected
    case 'limit':
      return { ran: true, ok: false, actual: `was stopped at the limit ${end.limit} (${end.allowed})` };
    case 'stuck':
      return { ran: true, ok: false, actual: 'waits for something that never comes' };
    case 'aborted':
      return { ran: false, problem: 'The evaluation was aborted.' };
    default:
      return unreachable(end);
  }
}

/**
 * The sandbox evaluates a function body, which exports nothing. Blanks in front are those of the line, and a list holds
 * no bracket: a run of empty lines or of open lists, tried from each of them, would take the square of its length.
 */
function withoutExports(source: string): string {
  return source
    .replaceAll(/^([ \t\ufeff]*)export\s+default\s+(?=(async\s+)?(function|class)\b)/gm, '$1')
    .replaceAll(/^([ \t\ufeff]*)export\s+(?=(async\s+function|function|class|const|let|var)\b)/gm, '$1')
    .replaceAll(/^[ \t\ufeff]*export\s*(\{[^{}]*\}|default\s+[\w$]+)[ \t]*(?:;[ \t]*)?$/gm, '');
}
