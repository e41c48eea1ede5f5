/**
 * What the JSON Schema validator says about a value, in the words of our own checks: people and models read it, and
 * "instance" and "subschema" are words of the specification. Sentences that are plain already stay as they are.
 */
export function plainSchemaError(said: string): string {
  const text = said.replace(/\.$/, '');
  for (const [pattern, words] of WORDS) if (pattern.test(text)) return text.replace(pattern, words);
  return text.replace(/^Instance /, 'the value ');
}

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^Instance does not have required property "(.*)"$/s, 'the field "$1" is missing'],
  [/^Instance type "(.*)" is invalid\. Expected "(.*)"$/s, 'expected "$2", got "$1"'],
  [/^Instance does not match any of (\[.*\])$/s, 'must be one of $1'],
  [/^Instance does not match ("|\d|-|true|false|null|\[|\{)(.*)$/s, 'must be $1$2'],
];
