import { plainSchema } from '../../people/plain-schema.js';
import { shorten } from '../amounts.js';
import { printable } from '../printable.js';
import type { Screen } from '../screen.js';
import type { ChatQuestion, Understood } from './chat-question.js';

/** A form is asked for field by field, or taken whole as JSON; each answer is checked before the next field comes. */

interface Field {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: unknown;
}

interface Form {
  readonly properties: Readonly<Record<string, Field>>;
  readonly required: readonly string[];
}

export function formQuestion(fields: unknown, above: readonly string[], screen: Pick<Screen, 'paint'>): ChatQuestion {
  const { properties = {}, required = [] } = (fields ?? {}) as Partial<Form>;
  const names = Object.keys(properties);
  const hint = `  ${names.length} fields, one at a time; or enter all of them as one line of JSON.`;
  return fieldQuestion({ properties, required }, { names, given: {} }, [...above, hint], screen);
}

interface Filled {
  readonly names: readonly string[];
  readonly given: Readonly<Record<string, unknown>>;
}

function fieldQuestion(
  form: Form,
  { names, given }: Filled,
  above: readonly string[],
  screen: Pick<Screen, 'paint'>,
): ChatQuestion {
  const [name = '', ...rest] = names;
  const field = form.properties[name] ?? {};
  const isRequired = form.required.includes(name);
  return {
    kind: 'decision',
    above,
    prompt: `  ${screen.paint('bold', printable(name))}${aboutField(field, isRequired)}: `,
    read: (line) => {
      const text = line.trim();
      if (Object.keys(given).length === 0 && text.startsWith('{')) return wholeForm(text);
      if (text === '' && isRequired) return { again: `${name} is required.` };
      const value = text === '' ? undefined : typedValue(field, text);
      const problem = value === undefined ? undefined : problemWith(field, value);
      if (problem !== undefined) return { again: `${name} ${problem}.` };
      const filled = value === undefined ? given : { ...given, [name]: value };
      return rest.length === 0
        ? { payload: filled }
        : { next: fieldQuestion(form, { names: rest, given: filled }, [], screen) };
    },
  };
}

function wholeForm(text: string): Understood {
  try {
    return { payload: JSON.parse(text) as unknown };
  } catch (error) {
    return { again: `That is not JSON: ${(error as Error).message}.` };
  }
}

function aboutField({ type, description, enum: choices, format }: Field, isRequired: boolean): string {
  const kind =
    choices !== undefined
      ? choices.map((one) => printable(String(one))).join(' | ')
      : format === 'date'
        ? 'YYYY-MM-DD'
        : type === 'boolean'
          ? 'y/n'
          : type === 'array'
            ? 'separated by commas'
            : '';
  const parts = [typeof description === 'string' ? shorten(description, 80) : '', kind, isRequired ? '' : 'optional'];
  const words = parts.filter((part) => part !== '').join('; ');
  return words === '' ? '' : ` (${words})`;
}

/** What was typed, as the field's type has it; text stays text where it is no number, and the check says so. */
function typedValue({ type }: Field, text: string): unknown {
  switch (type) {
    case 'number':
    case 'integer':
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
      return /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : text;
    case 'array':
      return text.split(',').map((part) => part.trim());
    default:
      return text;
  }
}

function problemWith(field: Field, value: unknown): string | undefined {
  const result = plainSchema({ ...field })['~standard'].validate(value);
  if (result instanceof Promise) return undefined; // it never is: the run checks the whole again
  return result.issues?.[0]?.message;
}
