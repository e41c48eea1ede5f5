import { typeName } from '../../tau2/python/equality.js';
import { repr } from '../../tau2/python/text.js';
import { PyError, type PyValue } from '../../tau2/python/value.js';

/** One thing that does not fit, as the reference's validation names it. */
export interface Misfit {
  readonly path: readonly string[];
  readonly problem: string;
  readonly type: string;
  readonly value: PyValue;
}

/** A caller sees these messages: they name the field, what belongs there and what was given. */
export function validationError(model: string, misfits: readonly Misfit[]): PyError {
  const title = `${misfits.length} validation error${misfits.length === 1 ? '' : 's'} for ${model}`;
  return new PyError('ValueError', [title, ...misfits.flatMap(lines)].join('\n'));
}

function lines({ path, problem, type, value }: Misfit): string[] {
  const given = `[type=${type}, input_value=${shortened(repr(value))}, input_type=${typeName(value)}]`;
  const more = `For further information visit https://errors.pydantic.dev/2.13/v/${type}`;
  return [path.join('.'), `  ${problem} ${given}`, `    ${more}`];
}

/** Long values keep their beginning and end. */
function shortened(text: string): string {
  return text.length <= 50 ? text : `${text.slice(0, 25)}...${text.slice(-24)}`;
}
