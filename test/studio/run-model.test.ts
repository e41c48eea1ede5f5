import { describe, expect, it } from 'vitest';
import type { Entry } from '../../packages/flyball/src/core/events.js';
import { forkPoints } from '../../packages/flyball/src/core/fork-points.js';
import { costBy } from '../../packages/flyball/src/views/cost.js';
import { effectsOf } from '../../packages/flyball/src/views/effects.js';
import { purchase } from '../../packages/flyball/src/views/fixtures.test-data.js';
import { guardDecisionsOf } from '../../packages/flyball/src/views/guard-decisions.js';
import { summarise } from '../../packages/flyball/src/views/summary.js';
import { traceOf } from '../../packages/flyball/src/views/trace.js';
import { forkAt } from '../../packages/studio/src/run/fork-button.js';
import { PrefixFold } from '../../packages/studio/src/run/prefix-fold.js';
import { type RunModel, runInputs, runModel } from '../../packages/studio/src/run/run-model.js';
import { goTo, step } from '../../packages/studio/src/run/time-slider.js';
import { longJournal } from './journal-of.js';

function modelOf(entries: readonly Entry[]) {
  const inputs = runInputs();
  inputs.entries.value = entries;
  return { inputs, model: runModel('r1', inputs, { refresh: () => undefined, close: () => undefined }) };
}

function viewsOf(model: RunModel) {
  const { summary, effects, guards, trace, cost } = model;
  return structuredClone([summary.value, effects.value, guards.value, trace.value, cost.value]);
}

function foldedAnew(entries: readonly Entry[]) {
  return structuredClone([
    summarise(entries),
    effectsOf(entries),
    guardDecisionsOf(entries),
    traceOf('r1', entries),
    costBy(entries),
  ]);
}

describe('the model of a run', () => {
  const entries = purchase({ crash: true });

  it('shows the run as it stood at any entry, going back and forth [R6-STUDIO-TIME]', () => {
    const { model } = modelOf(entries);
    const places = [...entries.keys()].map((index) => index + 1);
    for (const place of [...places, ...places.toReversed()]) {
      model.upTo.value = place;
      expect(model.shown.value).toEqual(entries.slice(0, place));
      expect(viewsOf(model)).toEqual(foldedAnew(entries.slice(0, place)));
      expect(model.lines.value).toHaveLength(place);
    }
  });

  it('follows a run that grows, and stays in the past while the slider is there [R6-STUDIO-LIVE] [R6-STUDIO-TIME]', () => {
    const { inputs, model } = modelOf([]);
    for (const count of entries.keys()) {
      inputs.entries.value = entries.slice(0, count + 1);
      expect(viewsOf(model)).toEqual(foldedAnew(entries.slice(0, count + 1)));
    }
    inputs.entries.value = entries.slice(0, 8);
    model.upTo.value = 5;
    inputs.entries.value = entries;
    expect(model.position.value).toBe(5);
    expect(model.summary.value).toEqual(summarise(entries.slice(0, 5)));
    model.upTo.value = 'live';
    expect(model.summary.value.status).toBe('done');
  });

  it('reads each entry once while ten thousand arrive [R6-STUDIO-VIRTUAL]', () => {
    const all = longJournal(5000);
    const counter = { applied: 0, made: 0 };
    const fold = new PrefixFold(
      () => {
        counter.made++;
        return { apply: () => counter.applied++ };
      },
      () => counter.applied,
    );
    for (let count = 0; count <= all.length; count += 50) fold.of(all.slice(0, count));
    fold.of(all);
    expect(all.length).toBeGreaterThan(10_000);
    expect(counter).toEqual({ applied: all.length, made: 1 });
    fold.of(all.slice(0, 10));
    expect(counter).toEqual({ applied: all.length + 10, made: 2 });
  });

  it('starts its folds again for another journal of the same length', () => {
    const fold = new PrefixFold(
      () => {
        const seen: Entry[] = [];
        return { seen, apply: (entry: Entry) => seen.push(entry) };
      },
      ({ seen }) => [...seen],
    );
    const other = purchase();
    fold.of(entries.slice(0, 6));
    expect(fold.of(other.slice(0, 6))).toEqual(other.slice(0, 6));
  });

  it('shows nothing as arriving while the past is looked at', () => {
    const { inputs, model } = modelOf(entries);
    inputs.arriving.value = new Map([['#9', 'so far']]);
    expect(model.arriving.value.get('#9')).toBe('so far');
    model.upTo.value = 3;
    expect(model.arriving.value.size).toBe(0);
  });

  it('follows the run again at the right end of the slider, and stops at the left one [R6-STUDIO-TIME]', () => {
    const { model } = modelOf(entries);
    step(model, -1);
    expect(model.upTo.value).toBe(entries.length - 1);
    step(model, 1);
    expect(model.upTo.value).toBe('live');
    goTo(model, -5);
    step(model, -1);
    expect(model.position.value).toBe(1);
  });

  it('offers a fork exactly where the journal allows a cut, and names the nearest place elsewhere [R6-STUDIO-FORK]', () => {
    const { model } = modelOf(entries);
    const allowed = entries.flatMap(({ seq }, index) => {
      model.upTo.value = index + 1;
      return forkAt(model).ok ? [seq] : [];
    });
    expect(allowed).toEqual(forkPoints(entries));
    expect(allowed.length).toBeLessThan(entries.length);
    model.upTo.value = entries.findIndex(({ event }) => event.type === 'intent') + 1;
    expect(forkAt(model)).toMatchObject({ ok: false, nearest: model.shown.value.length - 2 });
  });
});
