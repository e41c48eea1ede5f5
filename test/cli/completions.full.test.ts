import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { budget, createRuntime, done } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionScript, SHELLS } from '../../packages/flyball/src/cli/completion/scripts.js';
import { flyball } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'flyball-completions-'));
const database = join(folder, 'runs.db');
beforeAll(async () => {
  const engine = await sqliteEngine({ path: database });
  const runtime = createRuntime({ engine, agents: { writer: async () => done('text') } });
  await (await runtime.start('writer', null, { id: 'run_tides', budget: budget() })).outcome();
  await runtime.close();
  await engine.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const offered = async (...words: readonly string[]): Promise<readonly string[]> => {
  const { out, code } = await flyball(['__complete', '--', ...words], { FLYBALL_DB: database });
  expect(code).toBe(0);
  return out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '');
};

describe('completions', () => {
  it('offer commands and the commands of commands [R6-CLI-COMPLETIONS]', async () => {
    expect(await offered('se')).toEqual(['serve']);
    expect(await offered('')).toEqual(expect.arrayContaining(['run', 'serve', 'keys', 'evals', 'completions']));
    expect(await offered('keys', '')).toEqual(expect.arrayContaining(['create', 'list', 'rotate', 'revoke']));
    expect(await offered('evals', 're')).toEqual(expect.arrayContaining(['report', 'resume', 'replay', 'regrade']));
  });

  it('offer options that were not given yet, and values that are known [R6-CLI-COMPLETIONS]', async () => {
    expect(await offered('serve', '--po')).toEqual(['--port']);
    expect(await offered('serve', '--port', '1', '--po')).toEqual(['']);
    expect(await offered('keys', 'create', '--scope', 'runs:')).toEqual([
      'runs:*',
      'runs:read',
      'runs:control',
      'runs:all',
    ]);
    expect(await offered('completions', '')).toEqual([...SHELLS]);
  });

  it('offer the runs of the database where a run is asked for, and files where a file is [R6-CLI-COMPLETIONS]', async () => {
    expect(await offered('show', 'run_t')).toEqual(['run_tides']);
    expect(await offered('approve', '')).toEqual(['run_tides']);
    expect(await offered('run', '')).toEqual([':files']);
    expect(await offered('run', 'agents.mjs', '--agent', 'w')).toEqual(['writer']);
    const { out, code, error } = await flyball(['__complete', '--', 'show', ''], {
      FLYBALL_DB: join(folder, 'none.db'),
    });
    expect([out, code, error]).toEqual(['', 0, '']);
  });

  it('are printed for a shell that is known, and for no other [R6-CLI-COMPLETIONS]', async () => {
    for (const shell of SHELLS) expect((await flyball(['completions', shell])).out).toContain('flyball __complete');
    const refused = await flyball(['completions', 'tcsh']);
    expect(refused.code).toBe(2);
    expect(refused.error).toContain('bash, zsh, fish');
  });
});

/** A program called flyball for a shell to find: this checkout. */
function shellFolder(): string {
  const main = fileURLToPath(new URL('../../packages/flyball/dist/cli/main.js', import.meta.url));
  const shim = join(folder, 'flyball');
  writeFileSync(shim, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  chmodSync(shim, 0o755);
  return folder;
}

const isThere = (shell: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${shell}`]);
    return true;
  } catch {
    return false;
  }
};

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are for shells
const SESSIONS = {
  bash: 'source "$SCRIPT"; COMP_WORDS=(flyball show run_t); COMP_CWORD=2; _flyball; printf "%s\\n" "${COMPREPLY[@]}"',
  zsh: 'autoload -Uz compinit && compinit -u -d "$DUMP"; _describe() { print -l -- ${(P)2%%:*} }; source "$SCRIPT"; words=(flyball show run_t); CURRENT=3; _flyball',
  fish: 'source $SCRIPT; complete -C "flyball show run_t"',
} as const;
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are for shells

for (const shell of SHELLS) {
  const found = isThere(shell);
  if (!found)
    console.log(`completions in ${shell} are not tried: ${shell} is not installed (apt-get install ${shell})`);
  it.skipIf(!found)(`complete a run in a real ${shell} [R6-CLI-COMPLETIONS]`, () => {
    const bin = shellFolder();
    const script = join(folder, `completions.${shell}`);
    writeFileSync(script, completionScript(shell));
    const said = execFileSync(shell, ['-c', SESSIONS[shell]], {
      env: {
        ...process.env,
        PATH: `${bin}:${process.env['PATH']}`,
        FLYBALL_DB: database,
        SCRIPT: script,
        DUMP: join(folder, 'dump'),
        HOME: folder,
      },
      encoding: 'utf8',
    });
    expect(said.split('\n').map((line) => line.split('\t')[0])).toContain('run_tides');
  });
}
