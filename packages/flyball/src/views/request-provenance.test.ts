import { expect, it } from 'vitest';
import { provenanceLines } from './request-provenance.js';

it('says where the sources are that are not listed [R8-WAYS-SOURCES]', () => {
  const of = { by: { kind: 'code' }, sources: [], values: [] } as const;
  expect(provenanceLines(of)).toEqual(['Proposed by the code of the agent.']);
  expect(provenanceLines({ ...of, sourcesLeftOut: 2 }).at(-1)).toBe(
    'Other sources: 2, listed in the entries of the run.',
  );
});
