import { expect, it } from 'vitest';
import { actLines } from './act-lines.js';

it('says of an act that was undone that its changes were: a test run stays one that took place [R8-REST-UNDONE]', () => {
  const act = {
    id: '#1',
    name: 'tests:unit',
    of: 'step',
    class: 'idempotent',
    what: 'took-place',
    undone: true,
  } as const;
  expect(actLines({ acts: [act] })).toEqual(['tests:unit took place, and its changes were undone']);
});
