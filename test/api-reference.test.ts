import { expect, it } from 'vitest';
import { outdated, pages } from '../scripts/api.mjs';

it('the reference in docs/api is what the sources export: `npm run api -- --update` writes it anew [R9-DOCS-SURFACE]', () => {
  expect(outdated()).toEqual([]);
});

it('says what a name is for, how it is called, and nothing of how it works [R9-DOCS-REFERENCE]', () => {
  const page = pages().get('docs/api/flyball.md') ?? '';
  expect(page).toContain('### createRuntime\n');
  expect(page).toMatch(/^class BoundReachedError extends FlyballError \{$/m);
  expect(page).not.toMatch(/^\s+(return|this\.) /m);
});
