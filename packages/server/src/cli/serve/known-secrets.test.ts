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

  it('are passwords by the names of other programs, and those in addresses, as written and as meant [R19-SECRETS-ESCAPED]', () => {
    const env = {
      PGPASSWORD: 'of-postgres-1',
      MYSQL_PWD: 'of-mysql-1',
      PWD: '/home/somebody/project',
      OLDPWD: '/home/somebody',
      DATABASE_URL: 'postgres://app:p%40ssword@db/app',
      REDIS_URL: 'redis://:of-redis-1@cache:6379',
      HOMEPAGE: 'https://example.org/a%zz',
    };
    const addresses = ['restate://:of-restate@host:8080?admin=http://host:9070', undefined, 'runs.db'];
    expect(knownSecrets(env, addresses)).toEqual([
      'of-postgres-1',
      'of-mysql-1',
      'p%40ssword',
      'p@ssword',
      'of-redis-1',
      'of-restate',
    ]);
  });
});
