/**
 * Looks for a fault with generated programs and says after how many it was found:
 *
 *     node --import tsx test/crash/hunt.ts [--fault F-C1] [--profile budget] [--seed 1] [--programs 5000] [--from 2501] [--only 398,1253] [--rule end:spins] [--file runs.db] [--postgres postgres://…]
 *
 * Without a fault it counts every rule that was broken. A fault that was mended is found again when its mending is
 * taken out.
 */
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { type Engine, memoryEngine } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { counted } from './busy-engine.js';
import { type Case, cases, profile } from './case.js';
import { type Examined, examine } from './examine.js';
import { faultOf } from './faults.js';
import type { Violation } from './world.js';

const { values } = parseArgs({
  options: {
    fault: { type: 'string' },
    rule: { type: 'string' },
    profile: { type: 'string' },
    seed: { type: 'string', default: '1' },
    programs: { type: 'string', default: '3000' },
    /** Leaves out those before it, which another process plays. */
    from: { type: 'string', default: '1' },
    /** Plays these alone. */
    only: { type: 'string' },
    /** An SQLite file instead of memory. */
    file: { type: 'string' },
    /** A database of PostgreSQL: each hunt gets a schema of its own. */
    postgres: { type: 'string' },
    show: { type: 'boolean', default: false },
  },
});

async function onPostgres(): Promise<Engine | undefined> {
  if (values.postgres === undefined) return undefined;
  const { postgresEngine } = await import('@flyball/postgres');
  const schema = `hunt_${process.pid}`;
  return counted(await postgresEngine({ url: values.postgres, schema, leaseClock: 'caller', pollMs: 50 }));
}

const isWanted = (violation: Violation): boolean =>
  (values.fault === undefined || faultOf(violation) === values.fault) &&
  (values.rule === undefined || violation.rule.startsWith(values.rule));

interface Count {
  readonly programs: number[];
  readonly example: Violation;
  readonly given: Case;
}

const only = values.only?.split(',').map(Number);
const wanted = values.fault !== undefined || values.rule !== undefined;
const all = fc.sample(values.profile === undefined ? cases : profile(values.profile), {
  numRuns: Math.max(Number(values.programs), ...(only ?? [])),
  seed: Number(values.seed),
});
const file = values.file === undefined ? await onPostgres() : await sqliteEngine({ path: values.file });
const counts = new Map<string, Count>();
const began = Date.now();
let lives = 0;
let played = 0;
let found: { readonly given: Case; readonly violation: Violation; readonly runs: Examined['runs'] } | undefined;
for (const given of all) {
  played++;
  if (played < Number(values.from) || only?.includes(played) === false) continue;
  const examined = await examine(given, file ?? memoryEngine(), { runId: `run-${played}`, patienceMs: 10_000 });
  lives += examined.lives;
  for (const violation of examined.violations) {
    const name = `${faultOf(violation) ?? '?'} ${violation.rule}`;
    const known = counts.get(name);
    if (known === undefined) counts.set(name, { programs: [played], example: violation, given });
    else known.programs.push(played);
    if (!wanted) console.error(`${played}: ${violation.rule}`); // a long hunt says at once what it found
    if (wanted && isWanted(violation)) found ??= { given, violation, runs: examined.runs };
  }
  if (found !== undefined) break;
  if (played % 1000 === 0) console.error(`${played} programs, ${lives} lives`);
}
const seconds = ((Date.now() - began) / 1000).toFixed(1);
if (found !== undefined) {
  console.log(
    `${values.fault ?? values.rule}: found in program ${played} (seed ${values.seed}, profile ${values.profile ?? 'all'}, ${seconds} s)`,
  );
  console.log(`${found.violation.rule}: ${found.violation.detail.slice(0, 2000)}`);
  if (values.show) {
    console.log(JSON.stringify(found.given));
    for (const { runId, entries } of found.runs) {
      console.log(`\n${runId}`);
      for (const { generation, seq, at, event } of entries)
        console.log(`${generation}:${seq} ${at} ${JSON.stringify(event).slice(0, 2000)}`);
    }
  }
} else {
  console.log(`programs ${values.from} to ${played} of seed ${values.seed}, ${lives} lives, ${seconds} s`);
  for (const [name, { programs, example, given }] of [...counts].sort()) {
    console.log(
      `${name}: ${programs.length} times, in ${[...new Set(programs)].slice(0, 12)} (${given.profile}): ${example.detail.slice(0, 160)}`,
    );
  }
}
process.exit(wanted && found === undefined ? 1 : 0);
