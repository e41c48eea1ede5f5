import { execFileSync } from 'node:child_process';
import { type Clock, done, failed, type Outcome, type Run, systemClock } from 'flyball';
import { type Script, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { defect, inputOf, ROOM, subject } from '../../../../../../test/loops/repair-bed.js';
import { eventsOf, RUN, Stage, still } from '../../../../../../test/runtime/stage.js';
import { type Project, project } from '../../../../../../test/security/project.js';
import type { ToolRef } from '../../../core/tool.js';
import { filesWorkpiece } from './files-workpiece.js';
import { repairSession } from './prompts.js';
import type { RepairResult } from './repair-contracts.js';
import { repairer } from './repairer.js';

const SUM = [
  'export function sum(values) {',
  '  let total = 0;',
  '  for (const value of values) total -= value;',
  '  return total;',
  '}',
  '',
].join('\r\n');
const TEST = "import { sum } from './sum.mjs';\nif (sum([1, 2]) !== 3) throw new Error('sum([1, 2]) is not 3');\n";
const FIXED = SUM.replace('-=', '+=').split('\r\n').slice(0, 5).join('\n');

function scene(): Project {
  const place = project();
  place.put('sum.mjs', SUM);
  place.put('sum.test.mjs', TEST);
  return place;
}

/** Runs the real test in a real process. */
function passes(place: Project): boolean {
  try {
    execFileSync(process.execPath, [place.path('sum.test.mjs')], { stdio: 'pipe' });
    return true;
  } catch {
    return false;
  }
}

interface Ways {
  /** The real test where absent. */
  readonly verify?: (place: Project) => boolean;
  readonly end?: (result: RepairResult) => Outcome<unknown>;
}

function agentIn(place: Project, script: Script, { verify = passes, end = done }: Ways = {}) {
  const tool = (name: string): ToolRef => place.tool(name) as unknown as ToolRef;
  const model = scriptedModel(script, { repeatedKey: 'same-reply' });
  const workpiece = filesWorkpiece({
    paths: ['sum.mjs'],
    read: tool('read_file'),
    write: tool('write_file'),
    edit: tool('edit_file'),
  });
  const repair = repairer({
    session: repairSession(model),
    workpiece,
    verifyDefect: (run) => run.step('test', null, () => verify(place), 'pure'),
    budget: ROOM,
  });
  const agent = async (run: Run): Promise<Outcome<unknown>> => {
    const artefacts = await workpiece.collect(run, '');
    const found = defect({
      foundBy: 'test:unit',
      location: { artefact: 'project/sum.mjs', line: 3 },
      severity: 0.8,
    });
    const result = await repair(run, { ...inputOf({ defects: [found] }), subject: subject(artefacts) });
    return end(result);
  };
  return { agent, model };
}

describe('a repair of a real file', () => {
  it('changes the line in the file, keeps its line breaks, and is verified by the real test [R4-REPAIR-REVERIFY] [R4-REPAIR-WINDOW]', async () => {
    const place = scene();
    expect(passes(place)).toBe(false);
    const { agent } = agentIn(place, { repairer: FIXED });
    const outcome = await new Stage<Clock>(systemClock()).open(agent).start();
    expect(outcome).toMatchObject({
      value: {
        kind: 'repaired',
        entries: [{ strategy: 'minimal-edit', cause: 'logic-error', resolved: true }],
        remaining: [],
      },
    });
    expect(place.get('sum.mjs')).toBe(SUM.replace('-=', '+='));
    expect(passes(place)).toBe(true);
  });

  it('that does not help is followed by a stronger one, over what the first one left [R4-REPAIR-REVERIFY]', async () => {
    const place = scene();
    const { agent, model } = agentIn(place, { repairer: [FIXED.replace('+=', '*='), FIXED] });
    const outcome = await new Stage<Clock>(systemClock()).open(agent).start();
    expect(outcome).toMatchObject({
      value: {
        entries: [
          { strategy: 'minimal-edit', resolved: false },
          { strategy: 'section-rewrite', resolved: true },
        ],
      },
    });
    expect(model.promptAt('repairer', 2)).toContain('*=');
    expect(place.get('sum.mjs')).toBe(SUM.replace('-=', '+='));
  });

  it('is taken back byte for byte when the run fails', async () => {
    const place = scene();
    const failure = { code: 'QUALITY_NOT_REACHED', message: 'not good enough', retryable: false } as const;
    const { agent } = agentIn(
      place,
      { repairer: [FIXED.replace('+=', '*='), FIXED] },
      {
        end: () => failed(failure),
      },
    );
    const outcome = await new Stage<Clock>(systemClock()).open(agent).start();
    expect(outcome).toMatchObject({ stop: 'failed', rollback: { success: true } });
    expect(place.get('sum.mjs')).toBe(SUM);
  });

  it('that a crash interrupts anywhere ends as if nothing had happened', async () => {
    const script = { repairer: [FIXED.replace('+=', '*='), FIXED] };
    const ways = { verify: (place: Project) => place.get('sum.mjs').includes('+=') };
    const reference = await still()
      .open(agentIn(scene(), script, ways).agent)
      .start();
    for (let nth = 1; ; nth++) {
      const place = scene();
      const stage = still();
      const { agent } = agentIn(place, script, ways);
      let seen = 0;
      const life = stage.open(agent, { crash: () => ++seen === nth });
      const ended = await Promise.race([life.start(), life.crashed.then(() => undefined)]);
      if (ended !== undefined) return expect(nth).toBeGreaterThan(15); // every write has been cut off once
      life.die();
      await stage.clock.advance(66_000); // the dead owner could have acted until then, and settled after it
      const next = stage.open(agent);
      const known = await next.runtime.entries(RUN).catch(() => []);
      const [end] = eventsOf(known, 'run-end');
      const resumed = known.length === 0 ? await next.start() : (end?.outcome ?? (await next.resume()));
      expect(compared(resumed)).toEqual(compared(reference));
      expect(place.get('sum.mjs')).toBe(SUM.replace('-=', '+='));
    }
  });
});

/** Time goes on while a process is dead: all else is compared. */
function compared(outcome: unknown): unknown {
  const { value } = outcome as { value: RepairResult };
  const { spent: _spent, entries, ...rest } = value;
  return { ...rest, entries: entries.map(({ ms: _ms, ...entry }) => entry) };
}
