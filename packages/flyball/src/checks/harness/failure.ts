import type { StackFrame, TestFailure } from '../contracts.js';
import { comparedIn } from './compared-values.js';
import { errorText, inputsIn, plain, shortened } from './failure-text.js';
import { sourceFile } from './source-file.js';
import { analyseStack, stackFrames } from './stack-frames.js';

/** What one failure may take of a report, in characters and entries. */
export const FAILURE_CAPS = {
  name: 300,
  message: 2000,
  value: 1000,
  frames: 30,
  inputs: 10,
  input: 500,
} as const;

/** What a reader knows of a failure. What it does not say is looked for in the text. */
export interface FailureFacts {
  readonly test: string;
  readonly file?: string | undefined;
  /** The whole error as it was printed: message, difference, stack. */
  readonly text: string;
  readonly message?: string | undefined;
  readonly errorType?: string | undefined;
  readonly expected?: string | undefined;
  readonly actual?: string | undefined;
  readonly frames?: readonly StackFrame[] | undefined;
  readonly inputs?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
}

export function failureFrom(facts: FailureFacts): TestFailure {
  const text = plain(facts.text);
  const where = facts.cwd === undefined ? {} : { cwd: facts.cwd };
  const said = errorText(text);
  const file = facts.file === undefined ? undefined : sourceFile(facts.file, facts.cwd);
  const stack = (facts.frames ?? stackFrames(text, facts.cwd)).slice(0, FAILURE_CAPS.frames);
  const { at } = analyseStack(stack, { ...where, ...(file === undefined ? {} : { testFile: file }) });
  const message = plain(facts.message ?? said.message) || said.message || 'It failed without a message.';
  const seen = comparedIn(text);
  const values = { ...(seen.expected === undefined ? comparedIn(message) : seen), ...given(facts) };
  const inputs = facts.inputs ?? inputsIn(message);
  return {
    test: testName(facts.test),
    ...optional('file', file),
    message: shortened(message, FAILURE_CAPS.message),
    ...optional('errorType', facts.errorType ?? said.errorType),
    ...optional('expected', bounded(values.expected)),
    ...optional('actual', bounded(values.actual)),
    stack,
    ...(at === undefined ? {} : { at }),
    ...(inputs.length === 0
      ? {}
      : { inputs: inputs.slice(0, FAILURE_CAPS.inputs).map((one) => shortened(one, FAILURE_CAPS.input)) }),
  };
}

/** Two values that the report gives as such outweigh what its sentences seem to say. */
function given({ expected, actual }: FailureFacts): { readonly expected?: string; readonly actual?: string } {
  if (expected === undefined && actual === undefined) return {};
  return { ...optional('expected', expected), ...optional('actual', actual) };
}

function bounded(value: string | undefined): string | undefined {
  return value === undefined ? undefined : shortened(value, FAILURE_CAPS.value);
}

function optional<K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: string });
}

/** A name is compared from run to run: what is cut off still counts, as a number. */
export function testName(name: string): string {
  const line = plain(name).replace(/\s+/g, ' ').trim();
  if (line.length <= FAILURE_CAPS.name) return line;
  let sum = 0x811c9dc5;
  for (let index = FAILURE_CAPS.name; index < line.length; index++)
    sum = Math.imul(sum ^ line.charCodeAt(index), 0x01000193) >>> 0;
  return `${line.slice(0, FAILURE_CAPS.name)}… ${sum.toString(16)}`;
}
