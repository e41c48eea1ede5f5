import { describe, expect, it } from 'vitest';
import { knownSecrets } from './known-secrets.js';

describe('the secrets of an environment', () => {
  it('are what is named like one and long enough to be one [R6-ACCESS-NO-LEAKS]', () => {
    const env = {
      OPENAI_API_KEY: 'sk-0123456789',
      FLYBALL_JWT_SECRET: 'x'.repeat(32),
      GITHUB_TOKEN: 'token-of-github',
      DB_PASSWORD: 'correct horse',
      PATH: '/usr/bin:/usr/local/bin',
      KEYBOARD: 'a german layout',
      API_KEY: 'short',
      TOKEN: undefined,
    };
    expect(knownSecrets(env)).toEqual(['sk-0123456789', 'x'.repeat(32), 'token-of-github', 'correct horse']);
  });
});
