import { type PyDict, PyError, type PyValue } from './value.js';

/** A parameter of a Python function. */
export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  /** What an absent argument counts as; only where it is not required. */
  readonly default?: PyValue;
}

/** Arguments by the name of their parameter. */
export type Bound = ReadonlyMap<string, PyValue>;

/**
 * Binds keyword arguments as Python does. `fnName` is the qualified name that its messages show
 * (`KnowledgeTools.log_verification`); methods know `self` already.
 */
export function bind(fnName: string, parameters: readonly Parameter[], args: PyDict): Bound {
  const names = new Set(parameters.map(({ name }) => name));
  for (const given of args.keys()) {
    if (given === 'self') throw new PyError('TypeError', `${fnName}() got multiple values for argument 'self'`);
    if (!names.has(given)) {
      throw new PyError('TypeError', `${fnName}() got an unexpected keyword argument '${given}'`);
    }
  }
  const missing = parameters.filter(({ name, required }) => required && !args.has(name));
  if (missing.length > 0) throw missingArguments(fnName, missing);
  return new Map(parameters.map((parameter) => [parameter.name, argument(parameter, args)]));
}

function argument(parameter: Parameter, args: PyDict): PyValue {
  const given = args.get(parameter.name);
  return given === undefined ? (parameter.default ?? null) : given;
}

function missingArguments(fnName: string, missing: readonly Parameter[]): PyError {
  const names = missing.map(({ name }) => `'${name}'`);
  const noun = names.length === 1 ? 'argument' : 'arguments';
  return new PyError('TypeError', `${fnName}() missing ${names.length} required positional ${noun}: ${listed(names)}`);
}

function listed(names: readonly string[]): string {
  if (names.length < 3) return names.join(' and ');
  return `${names.slice(0, -1).join(', ')}, and ${names.at(-1)}`;
}
