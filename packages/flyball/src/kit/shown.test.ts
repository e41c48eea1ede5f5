import { untilApproved, zeroShot } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { expect, it } from 'vitest';
import { ended, session } from '../../../../test/patterns/bed.js';
import { shown } from './shown.js';

const photo = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUgAA', name: 'm.png' } as const;

it('names images where a model reads a value as text, and never writes out their bytes [R11-N12-NAMED]', () => {
  expect(shown([{ type: 'text', text: 'What is it?' }, photo])).toBe('What is it?\n[image m.png, image/png, 18 bytes]');
  expect(shown({ of: 'Ada', photo })).toBe('{\n  "of": "Ada",\n  "photo": "[image m.png, image/png, 18 bytes]"\n}');
  expect(shown('as it is')).toBe('as it is');
  expect(shown(undefined)).toBe('');
});

it('keeps the bytes of a task with an image out of the prompt of whoever judges [R11-N12-NAMED]', async () => {
  const model = scriptedModel({ eye: 'A cat.', judge: 'fine' }, { capabilities: { media: ['image/*'] } });
  const judge = session(model, 'judge', { setup: 'You judge.' });
  const agent = untilApproved(zeroShot(session(model, 'eye')), {
    test: async (run, value, input) => {
      await run.ask(judge, `${shown(input)}\n${shown(value)}`);
      return { ok: true };
    },
  });
  await ended(agent, [{ type: 'text', text: 'What is it?' }, photo]);
  expect(model.promptAt('judge')).toContain('[image m.png');
  expect(model.promptAt('judge')).not.toContain(photo.data);
});
