import { useOf } from 'flyball/patterns';
import { expect, it } from 'vitest';
import { agentCard } from './agent-card.js';

it('an agent card says that it is one, and serializes as before [R11-PATTERN-KEPT]', () => {
  const meta = { name: 'desk', description: 'A desk.', version: '1', origin: 'https://a.example', open: false };
  const card = agentCard({ list: () => [] }, meta);
  expect(useOf(card)).toMatchObject({ id: 'I5', name: 'agentCard' });
  expect(JSON.parse(JSON.stringify(card))).toEqual(card);
});

it('a card grants nothing: it names the credential that a call needs, and holds none [I5.4]', () => {
  const meta = { name: 'desk', description: 'A desk.', version: '1', origin: 'https://a.example', open: false };
  const card = agentCard({ list: () => [] }, meta);
  expect(card).toMatchObject({ securityRequirements: [{ schemes: { bearer: { list: ['agents:invoke'] } } }] });
  expect(JSON.stringify(card)).not.toMatch(/token|secret|password/i);
});
