import type { JsonSchema } from 'flyball';
import { expect, it } from 'vitest';
import { lintTools, tool } from './index.js';

const described = (name: string, description: string, properties: JsonSchema = {}) =>
  tool({ name, description, input: { type: 'object', properties }, effect: 'pure', execute: async () => '' });
const rulesOf = (...tools: Parameters<typeof lintTools>[0]) =>
  lintTools(tools).map(({ tool: name, rule }) => [name, rule]);

it('a description that never says when not to use the tool is warned about [I2.4]', () => {
  expect(rulesOf(described('find', 'Finds a customer by name.'))).toEqual([['find', 'when-not-to-use']]);
});

it.each([
  'Finds a customer. Not for suppliers.',
  'Finds a customer. For suppliers use find_supplier instead.',
  'Finds a customer, but only by name.',
  "Finds a customer. Doesn't look at archives.",
])('"%s" says when not to', (description) => {
  expect(rulesOf(described('find', description))).toEqual([]);
});

it('descriptions in nearly the same words are warned about once a pair', () => {
  const warnings = lintTools([
    described('get_user', 'Gets the user with this id from the directory. Not for groups.'),
    described('fetch_user', 'Get a user with the id from the directory, not for groups.'),
    described('get_group', 'Members and owners of one team, without the people who left.'),
  ]);
  expect(warnings).toEqual([
    {
      tool: 'get_user',
      rule: 'similar-descriptions',
      message: 'get_user and fetch_user are described in nearly the same words: say what sets them apart.',
    },
  ]);
});

it('a parameter without a description is warned about, wherever it stands', () => {
  const warnings = lintTools([
    described('pay', 'Pays. Not for refunds.', {
      amount: { type: 'number', description: 'In cents.' },
      to: { type: 'object', description: 'Whom.', properties: { iban: { type: 'string' } } },
      lines: { type: 'array', description: 'What for.', items: { type: 'object', properties: { text: {} } } },
      from: { $ref: '#/properties/to' },
      note: { type: 'string' },
    }),
  ]);
  expect(warnings.map(({ message }) => message)).toEqual([
    'pay: the parameter to.iban has no description.',
    'pay: the parameter lines[].text has no description.',
    'pay: the parameter note has no description.',
  ]);
});
