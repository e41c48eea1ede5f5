import { describe, expect, it } from 'vitest';
import { defect } from '../../../../../../test/loops/repair-bed.js';
import { artefactAt, concerned, placedIn } from './targets.js';

const A = { name: 'src/a.ts', text: 'a' };
const B = { name: 'lib/b.ts', text: 'b' };
const OTHER_A = { name: 'lib/a.ts', text: 'other' };
const outputs = { artefacts: [A, B], reports: [] };

describe('the artefact that a defect is in', () => {
  it('is found by its name, or by a path that can mean only one', () => {
    expect(artefactAt([A, B], { artefact: 'src/a.ts' })).toBe(A);
    expect(artefactAt([A, B], { artefact: '/home/x/project/src/a.ts' })).toBe(A);
    expect(artefactAt([A, B], { artefact: './src\\a.ts' })).toBe(A);
    expect(artefactAt([A, B], { artefact: 'a.ts' })).toBe(A);
    expect(artefactAt([A, OTHER_A], { artefact: 'a.ts' })).toBeUndefined();
    expect(artefactAt([A, B], { artefact: 'data.ts' })).toBeUndefined();
    expect(artefactAt([A, B], undefined)).toBeUndefined();
    expect(artefactAt([A], undefined)).toBe(A);
    expect(artefactAt([A], { artefact: 'somewhere/else.ts' })).toBeUndefined();
  });

  it('is named as the outputs name it; a defect that may be anywhere concerns everything', () => {
    const far = defect({ location: { artefact: '/x/src/a.ts', line: 3 } });
    expect(placedIn(outputs, far)).toMatchObject({ location: { artefact: 'src/a.ts', line: 3 }, scope: 'bounded' });
    const nowhere = placedIn(outputs, defect({ location: { artefact: 'c.ts', line: 3 } }));
    expect(nowhere.scope).toBe('global');
    expect(nowhere.location).toBeUndefined();
  });

  it('is what a regeneration is about; all of them where one defect has no place', () => {
    const inA = defect({ location: { artefact: 'src/a.ts' } });
    const { location: _none, ...anywhere } = defect();
    expect(concerned(outputs, [inA])).toEqual([A]);
    expect(concerned(outputs, [inA, anywhere])).toEqual([A, B]);
  });
});
