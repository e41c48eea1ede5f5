import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FlyballError } from 'flyball';
import { describe, expect, it, onTestFinished } from 'vitest';
import { holdingHere } from '../../packages/flyball/src/toolbox/files-held.js';
import { pathRules } from '../../packages/flyball/src/tools/rules/paths.js';
import { patient } from '../patience.js';
import cases from './path-cases.json' with { type: 'json' };
import { type Project, project, SECRET } from './project.js';

type Given =
  | { readonly file: string }
  | { readonly link: string; readonly to: string }
  | { readonly hardLink: string; readonly to: string }
  | { readonly pipe: string };

const MANY = 'x/'.repeat(2100);

function filledIn(place: Project, text: string): string {
  return text.replaceAll('$BASE', place.base).replace('$LONG_PATH', MANY).replace('$LONG_NAME', 'x'.repeat(256));
}

function scene(): Project {
  const outer = project();
  const rules = pathRules({
    roots: [
      { path: outer.root, write: true },
      { path: outer.path('vendor'), write: false },
    ],
    deny: ['secrets/**'],
  });
  const { tool, call } = project({ allow: rules });
  return { ...outer, tool, call };
}

function arrange(place: Project, given: readonly Given[]): void {
  for (const each of given) {
    if ('file' in each) place.put(each.file, 'x');
    else if ('link' in each) place.link(each.link, filledIn(place, each.to));
    else if ('hardLink' in each) place.hardLink(each.hardLink, each.to);
    else place.pipe(each.pipe);
  }
}

function outside({ base }: Project): unknown {
  return [readdirSync(base).sort(), readFileSync(join(base, 'secret.txt'), 'utf8')];
}

/** Names of everything below, links not followed. */
function everything(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...everything(path)] : [path];
  });
}

describe('a path that leads out', () => {
  it('is one of at least 35 cases', () => expect(cases.length).toBeGreaterThanOrEqual(35));

  it.each(cases.map((each) => [each.name, each] as const))(
    'is refused with a reason: %s [R3-SHOW-SECURITY] [R3-FILES-ALLOW]',
    async (_name, { given = [], tool, args, why }) => {
      const place = scene();
      arrange(place, given as readonly Given[]);
      const before = [outside(place), everything(place.root)];
      const asked = JSON.parse(JSON.stringify(args), (_key, value: unknown) =>
        typeof value === 'string' ? filledIn(place, value) : value,
      ) as unknown;
      const error = await place.call(tool, asked).then(
        () => undefined,
        (refusal: unknown) => refusal,
      );
      expect(error).toBeInstanceOf(FlyballError);
      expect(error).toMatchObject({ code: 'DENIED', retryable: false, message: expect.stringContaining(why) });
      expect((error as Error).message).not.toContain(SECRET);
      expect([outside(place), everything(place.root)]).toEqual(before);
    },
  );
});

/** Another process that swaps a folder for a link that leads out, and back, as fast as it can. */
const SWAPPER = `
const { renameSync } = require('node:fs');
const [, place] = process.argv;
let spare = 0;
const swap = (from, to) => {
  try {
    renameSync(place + '/' + from, place + '/' + to);
  } catch {
    renameSync(place + '/' + to, place + '/spare' + spare++); // a writer has made the folder anew in the meantime
    renameSync(place + '/' + from, place + '/' + to);
  }
};
process.stdout.write('swapping');
for (;;) {
  swap('door', 'inside'); swap('outside', 'door');
  swap('door', 'outside'); swap('inside', 'door');
}
`;

async function swapping(place: Project): Promise<ChildProcess> {
  mkdirSync(place.path('door'));
  writeFileSync(place.path('door/secret.txt'), 'inside');
  symlinkSync(place.base, place.path('outside'));
  const child = spawn(process.execPath, ['-e', SWAPPER, place.root], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  return child;
}

async function attempts(
  work: (n: number) => Promise<unknown>,
): Promise<{ readonly ok: number; readonly refused: number }> {
  const count = { ok: 0, refused: 0 };
  const until = performance.now() + patient(500); // as long as the other process gets to swap often enough
  for (let n = 0; performance.now() < until; n++) {
    await work(n).then(
      () => count.ok++,
      () => count.refused++,
    );
  }
  return count;
}

const holds = holdingHere() === 'by-descriptor';
if (!holds) console.log('skipped: without /proc/self/fd a folder cannot be held, so a race can only be narrowed');

describe.skipIf(!holds)('a folder that is swapped for a link while it is used', () => {
  it('never gives what lies outside to a reader [R3-SHOW-SECURITY] [R3-FILES-ALLOW]', async () => {
    const place = scene();
    await swapping(place);
    const texts = new Set<string>();
    const { ok, refused } = await attempts(async () => {
      texts.add((await place.call<{ text: string }>('read_file', { path: 'door/secret.txt' })).text);
    });
    expect([...texts]).toEqual(['inside']);
    expect([ok > 0, refused > 0]).toEqual([true, true]); // the race was really run
  });

  it('never lets a writer out [R3-SHOW-SECURITY] [R3-FILES-ALLOW]', async () => {
    const place = scene();
    await swapping(place);
    const { ok, refused } = await attempts((n) =>
      place.call('write_file', { path: `door/planted-${n}.txt`, content: 'x' }),
    );
    expect(readdirSync(place.base).sort()).toEqual(['project', 'secret.txt']);
    expect([ok > 0, refused > 0]).toEqual([true, true]);
  });

  it('never lets a search or a listing out [R3-SHOW-SECURITY] [R3-FILES-ALLOW]', async () => {
    const place = scene();
    await swapping(place);
    const found = new Set<string>();
    await attempts(async () => {
      const { matches } = await place.call<{ matches: { text: string }[] }>('search_files', { query: 'secret' });
      for (const { text } of matches) found.add(text);
      const { entries } = await place.call<{ entries: { path: string }[] }>('list_files', { glob: 'door/**' });
      for (const { path } of entries) if (path.startsWith('door/project')) found.add(path);
    });
    expect([...found]).toEqual([]);
  });

  it('never lets a deletion out [R3-SHOW-SECURITY] [R3-FILES-ALLOW]', async () => {
    const place = scene();
    await swapping(place);
    await attempts(async () => {
      for (const name of ['inside', 'door']) {
        await place.call('write_file', { path: `${name}/secret.txt`, content: 'inside' }).catch(() => undefined);
      }
      await place.call('delete_file', { path: 'door/secret.txt' });
    });
    expect(existsSync(join(place.base, 'secret.txt'))).toBe(true);
    expect(readFileSync(join(place.base, 'secret.txt'), 'utf8')).toBe(SECRET);
  });
});
